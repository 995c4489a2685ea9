import type { NextFunction, Response } from 'express';
import { GatewayBusyError } from '../errors';

/** Whether a callback was given an error: Node's own say null, others undefined. */
export function isGiven(error: unknown): boolean {
  return error !== undefined && error !== null;
}

/**
 * Runs the work of a middleware: true goes on to the next handler, false means that it has answered. Whatever it
 * throws goes to `next`; Express 4 does not look after promises.
 */
export function run(res: Response, next: NextFunction, work: () => Promise<boolean>): void {
  work().then(
    (goesOn) => {
      if (goesOn) next();
    },
    (error: unknown) => {
      // For whichever handler answers: nothing was sent, and another try makes sense after so many seconds.
      if (error instanceof GatewayBusyError) res.setHeader('Retry-After', String(error.retryAfterSeconds));
      next(error);
    },
  );
}
