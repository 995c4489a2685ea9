import { createHash, randomBytes } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const MOST_PER_USER = 10;

/** Tokens of remember-me cookies, each good once. A table in your database does the same; it holds hashes alone. */
export class RememberTokens {
  private readonly owners = new Map<string, string>();

  /** Makes a token for a user. The oldest of too many ends. */
  give(userId: string): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    this.owners.set(hash(token), userId);
    const own = [...this.owners].filter(([, owner]) => owner === userId);
    for (const [oldest] of own.slice(0, -MOST_PER_USER)) this.owners.delete(oldest);
    return Promise.resolve(token);
  }

  /** Whose token it is; it is spent by this. */
  take(token: string): Promise<string | null> {
    const owner = this.owners.get(hash(token)) ?? null;
    this.owners.delete(hash(token));
    return Promise.resolve(owner);
  }

  /** After a logout, a new password, a new number: no token of the user is good any more. */
  forget(userId: string): Promise<void> {
    for (const [token, owner] of this.owners) if (owner === userId) this.owners.delete(token);
    return Promise.resolve();
  }
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** What cookie-parser does, as far as passport-remember-me needs it. */
export function readCookies(req: Request, _res: Response, next: NextFunction): void {
  const pairs = (req.headers.cookie ?? '').split('; ').map((pair) => pair.split('=', 2));
  req.cookies = Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
  next();
}
