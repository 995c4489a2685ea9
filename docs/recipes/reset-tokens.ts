import { createHash, randomBytes } from 'node:crypto';

const VALID_MS = 30 * 60 * 1000;
/** Links that a user can have at a time: who asks again and again fills no mailbox. */
const MAX_PER_USER = 3;

interface Token {
  readonly userId: string;
  readonly expiresAt: number;
}

/**
 * Tokens of links that set a new password, each valid once, for half an hour. Use a table in your
 * database; it needs only hashes.
 */
export class ResetTokens {
  private readonly tokens = new Map<string, Token>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Creates a token for a user. Returns null while the user has three that can be used. */
  give(userId: string): Promise<string | null> {
    for (const [key, { expiresAt }] of this.tokens)
      if (expiresAt <= this.now()) this.tokens.delete(key);
    const own = [...this.tokens.values()].filter((token) => token.userId === userId);
    if (own.length >= MAX_PER_USER) return Promise.resolve(null);
    const token = randomBytes(32).toString('base64url');
    this.tokens.set(hash(token), { userId, expiresAt: this.now() + VALID_MS });
    return Promise.resolve(token);
  }

  /** Returns the owner of a token that can be used, which it still can be afterwards. */
  find(token: string): Promise<string | null> {
    const found = this.tokens.get(hash(token));
    const isActive = found !== undefined && found.expiresAt > this.now();
    return Promise.resolve(isActive ? found.userId : null);
  }

  /**
   * Spends a token and all others of its owner; returns whether it could be used, true for exactly
   * one caller. In SQL: one `delete … returning`.
   */
  async take(token: string): Promise<boolean> {
    const userId = await this.find(token);
    if (userId === null || !this.tokens.delete(hash(token))) return false;
    for (const [key, other] of this.tokens) if (other.userId === userId) this.tokens.delete(key);
    return true;
  }
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
