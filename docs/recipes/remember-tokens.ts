import { createHash, randomBytes } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const MAX_PER_USER = 10;

/**
 * Tokens of remember-me cookies, each valid once. Use a table in your database; it needs only
 * hashes.
 */
export class RememberTokens {
  private readonly owners = new Map<string, string>();

  /** Creates a token for a user. Beyond the limit the oldest one is removed. */
  give(userId: string): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    this.owners.set(hash(token), userId);
    const own = [...this.owners].filter(([, owner]) => owner === userId);
    for (const [oldest] of own.slice(0, -MAX_PER_USER)) this.owners.delete(oldest);
    return Promise.resolve(token);
  }

  /** Returns the owner of a token and spends it. */
  take(token: string): Promise<string | null> {
    const owner = this.owners.get(hash(token)) ?? null;
    this.owners.delete(hash(token));
    return Promise.resolve(owner);
  }

  /** Removes all tokens of a user: after a logout, a new password, a new number. */
  forget(userId: string): Promise<void> {
    for (const [token, owner] of this.owners) if (owner === userId) this.owners.delete(token);
    return Promise.resolve();
  }
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Does what passport-remember-me needs of cookie-parser. */
export function readCookies(req: Request, _res: Response, next: NextFunction): void {
  const pairs = (req.headers.cookie ?? '').split('; ').map((pair) => pair.split('=', 2));
  req.cookies = Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
  next();
}
