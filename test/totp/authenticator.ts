import { TOTP } from 'otpauth';
import type { CodeFactor } from 'passport-sms-otp';
import { createTotpSecret, totpFactor, type TotpFactorOptions } from 'passport-sms-otp/totp';

export const SECRET = 'a secret of the tests, long enough to be one';
export const OLD_SECRET = 'another secret of the tests, which was there before';

/** The ASCII secret of RFC 6238 appendix B, "12345678901234567890", in base32. */
export const RFC_KEY = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

export const NEW = {
  secret: SECRET,
  userId: 'alice',
  issuer: 'Harbour Bank',
  account: 'alice@example.org',
} as const;

/** What an authenticator app with this key shows. */
export function show(key: string, timeMs: number, offsetSteps = 0): string {
  return new TOTP({ secret: key }).generate({ timestamp: timeMs + offsetSteps * 30_000 });
}

/** An app's table of authenticator apps, in memory. */
export class TotpBook {
  readonly sealed = new Map<string, string>();
  readonly #lastSteps = new Map<string, number>();

  /** Gives a user an authenticator app, and returns its key. */
  async add(
    userId: string,
    more: { readonly secret?: string; readonly existing?: string } = {},
  ): Promise<string> {
    const { sealed, key } = await createTotpSecret({ ...NEW, userId, ...more });
    this.sealed.set(userId, sealed);
    return key;
  }

  /** Options that read and write this table. */
  readonly options: Pick<TotpFactorOptions, 'secret' | 'findSecret' | 'acceptStep'> = {
    secret: SECRET,
    findSecret: (user) => Promise.resolve(this.sealed.get(idOf(user)) ?? null),
    acceptStep: (user, step) => {
      const isNewer = step > (this.#lastSteps.get(idOf(user)) ?? 0);
      if (isNewer) this.#lastSteps.set(idOf(user), step);
      return Promise.resolve(isNewer);
    },
  };

  factor(
    more: Partial<TotpFactorOptions> = {},
  ): CodeFactor & Required<Pick<CodeFactor, 'isAvailable'>> {
    return totpFactor({ ...this.options, ...more });
  }
}

/** Enters a code, without a login around it. */
export async function enter(
  factor: Pick<CodeFactor, 'check'>,
  code: string,
  userId = 'alice',
): Promise<boolean> {
  return factor.check({ user: userOf(userId), userId, code, address: undefined });
}

export function userOf(id: string): Express.User {
  return { id } as unknown as Express.User;
}

function idOf(user: Express.User): string {
  return (user as unknown as { readonly id: string }).id;
}
