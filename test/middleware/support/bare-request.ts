import type { Request, RequestHandler, Response } from 'express';

/** A request as far as a guard looks at it. */
export function bareRequest(user: { id: unknown }, smsOtp: unknown): Request {
  return { user, session: { smsOtp } } as unknown as Request;
}

/** Whether a guard lets a request pass before it returns. */
export function letsPass(guard: RequestHandler, req: Request): boolean {
  const calls: unknown[] = [];
  // A guard that lets pass does not touch the response.
  void guard(req, undefined as unknown as Response, (error?: unknown) => void calls.push(error));
  return calls.length === 1 && calls[0] === undefined;
}
