import type { Request } from 'express';

/** The user of a request. Passport sets null at a logout, which its types do not tell. */
export function currentUser(req: Request): Express.User | undefined {
  return req.user ?? undefined;
}
