import type { Request } from 'express';

/** Only an own member of a parsed body counts; what it is worth is decided by the login. */
export function readField(req: Request, field: string): unknown {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, field)) return undefined;
  // An object that has the member; what it holds is unknown.
  return (body as Record<string, unknown>)[field];
}
