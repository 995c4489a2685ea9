import type { Request, RequestHandler } from 'express';
import type { EdgeParts } from './edge-parts';
import { createGuards, type Guards } from './guard';
import { createPendingMiddlewares, type PendingMiddlewares } from './pending-middleware';
import { createSend, type SendOptions } from './send-middleware';
import { createPhones, type Phones } from './phones';
import { createStatus, type SmsOtpStatus } from './status';
import { createVerify, type VerifyOptions } from './verify-middleware';

/** What an app puts into its routes. */
export interface Edge extends Guards, PendingMiddlewares, Partial<FactorsEdge>, Partial<PhonesEdge> {
  readonly send: (options?: SendOptions) => RequestHandler;
  readonly verify: (options?: VerifyOptions) => RequestHandler;
  readonly status: (req: Request) => SmsOtpStatus;
}

/** Where `factors` has one. */
export interface FactorsEdge {
  /** `verify` for the code of another factor. @throws {TypeError} when `factors` has none of that name. */
  readonly verifyWith: (factor: string, options?: VerifyOptions) => RequestHandler;
}

/** Where `phoneBook` is configured. */
export interface PhonesEdge {
  readonly phones: Phones;
}

/** Makes all middlewares and guards from the same parts. */
export function createEdge(parts: EdgeParts): Edge {
  return {
    send: createSend(parts),
    verify: createVerify(parts),
    status: createStatus(parts),
    ...createPendingMiddlewares(parts),
    ...createGuards(parts),
    ...(parts.phones && { phones: createPhones(parts, parts.phones) }),
    ...(parts.verifiers.size > 1 && { verifyWith: createVerifyWith(parts) }),
  };
}

function createVerifyWith(parts: EdgeParts): FactorsEdge['verifyWith'] {
  return (factor, options) => {
    if (factor === 'sms' || !parts.verifiers.has(factor)) {
      throw new TypeError('verifyWith: factors has none of that name');
    }
    return createVerify(parts, 'verifyWith', factor)(options);
  };
}
