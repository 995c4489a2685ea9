import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';

/** Everything from this site, nothing inline, in nobody's frame. */
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
    // Over plain http, as on a developer's machine, it would mean nothing.
    strictTransportSecurity: isProduction,
  });
}

/** Pages that show an account must not come out of a cache after logout. */
export function noStore(_req: Request, res: Response, next: NextFunction): void {
  res.set('Cache-Control', 'no-store');
  next();
}
