import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';

/** Allows resources of this site only, nothing inline, and no framing. */
export function securityHeaders(isProduction: boolean): ReturnType<typeof helmet> {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    // It has no effect over plain http, as on a developer's machine.
    strictTransportSecurity: isProduction,
  });
}

/** Pages that show an account must not be served from a cache after logout. */
export function noStore(_req: Request, res: Response, next: NextFunction): void {
  res.set('Cache-Control', 'no-store');
  next();
}
