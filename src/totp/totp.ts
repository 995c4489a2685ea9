import type * as OtpAuthModule from 'otpauth';
import { z } from 'zod';
import type { CodeFactor } from '../features/factors/factors';
import { decrypt, encrypt } from '../client/token-crypto';
import {
  callback,
  nonEmptyString,
  parseOptions,
  secretOption,
  strictOptions,
} from '../define-options';
import type { SecretOption } from '../define-options';
import { UsageError } from '../errors';
import { expandKey } from '../keys';
import { readCode } from '../core/sms-factor';

/** The user of an authenticator app, and what the app shows. */
export interface TotpSecretOptions {
  /** The `secret` of `createSmsOtp`. Of a list, the first one seals, and all can open. */
  readonly secret: SecretOption;
  /** The id that `getUserId` returns. A secret sealed for one user cannot be opened for another. */
  readonly userId: string | number | bigint;
  /** The app's name, without a colon. */
  readonly issuer: string;
  /** The user's name or address, without a colon. */
  readonly account: string;
  /**
   * An existing secret: base32 from another library, or `sealed`, to seal it under a new `secret`.
   * Default: 160 random bits.
   */
  readonly existing?: string | undefined;
}

/** A new secret. Store only `sealed`; show `uri` and `key` once. */
export interface TotpSecret {
  /** The encrypted secret, a string of about 90 characters. */
  readonly sealed: string;
  /** The `otpauth://` link that an authenticator app reads as a QR code. */
  readonly uri: string;
  /** The secret in base32, for typing it by hand. */
  readonly key: string;
}

/** Where the app keeps the secrets of its users. */
export interface TotpFactorOptions {
  /** The `secret` of `createSmsOtp`. */
  readonly secret: SecretOption;
  /**
   * Returns the stored `sealed` of this user. Null or undefined: the user has no authenticator app.
   */
  findSecret(user: Express.User): string | null | undefined | Promise<string | null | undefined>;
  /**
   * Stores `step` as the user's last step if it is above the stored one, in one atomic statement,
   * and returns whether it did. So a code works only once. Only `true` counts.
   */
  acceptStep(user: Express.User, step: number): boolean | Promise<boolean>;
  /** The factor's name. Default: `'totp'`. */
  readonly name?: string | undefined;
  /** Returns the time in milliseconds since 1970. Default: `Date.now`. */
  now?(): number;
}

const VERSION = 'totp1.';
const KEY_LABEL = `${VERSION}secrets`;
const EXISTING = /^(?:totp1\..+|[A-Z2-7]{16,})$/;

const label = z.string('must be a string').regex(/^[^:]+$/, 'must not be empty or contain a colon');
const secretSchema = strictOptions({
  secret: secretOption(),
  userId: z
    .union([nonEmptyString(), z.int(), z.bigint()], 'must be the id of a user')
    .transform(String),
  issuer: label,
  account: label,
  existing: z
    .string('must be a string')
    .regex(EXISTING, 'must be sealed, or base32 of at least 16 capital letters and digits')
    .optional(),
});

const factorSchema = strictOptions({
  secret: secretOption(),
  findSecret: callback<TotpFactorOptions['findSecret']>(),
  acceptStep: callback<TotpFactorOptions['acceptStep']>(),
  name: nonEmptyString().default('totp'),
  now: callback<() => number>().default(() => Date.now),
});

/**
 * Creates the secret of a user's authenticator app, for codes of 6 digits, 30 seconds and SHA-1,
 * which all such apps support.
 * @throws {TypeError} if an option is wrong. @throws {Error} if the package otpauth is not
 * installed.
 */
export async function createTotpSecret(options: TotpSecretOptions): Promise<TotpSecret> {
  const { secret, userId, issuer, account, existing } = parseOptions(
    'createTotpSecret',
    secretSchema,
    options,
  );
  const { Secret, TOTP } = loadLibrary('createTotpSecret');

  const found = existing?.startsWith(VERSION)
    ? await unseal('createTotpSecret', secret, userId, existing)
    : existing;
  const key = found ?? new Secret({ size: 20 }).base32;
  const sealed = encrypt(await expandKey(secret[0], KEY_LABEL), Buffer.from(userId), key).toString(
    'base64url',
  );

  return {
    sealed: VERSION + sealed,
    uri: new TOTP({ issuer, label: account, secret: key }).toString(),
    key,
  };
}

/**
 * Creates the factor of authenticator apps, for the option `factors`. A code is valid in its own 30
 * seconds and the 30 before and after. A stored secret that cannot be opened is an error with the
 * code `ERR_TOTP_SECRET`, and not a wrong code.
 * @throws {TypeError} if an option is wrong. @throws {Error} if the package otpauth is not
 * installed.
 */
export function totpFactor(
  options: TotpFactorOptions,
): CodeFactor & Required<Pick<CodeFactor, 'isAvailable'>> {
  const { secret, findSecret, acceptStep, name, now } = parseOptions(
    'totpFactor',
    factorSchema,
    options,
  );
  const { TOTP } = loadLibrary('totpFactor');

  return {
    name,
    amr: 'otp',
    isAvailable: async (user) => ((await findSecret(user)) ?? null) !== null,
    async check({ user, userId, code }) {
      const [sealed = null, token] = [await findSecret(user), readCode(code)];
      if (sealed === null || token === null) return false;

      const totp = new TOTP({ secret: await unseal('totpFactor', secret, userId, sealed) });
      const timestamp = now();
      // Allow one step to each side, for clocks that differ a little. RFC 6238 section 5.2.
      const offset = totp.validate({ token, timestamp, window: 1 });
      if (offset === null) return false;
      return ((await acceptStep(user, totp.counter({ timestamp }) + offset)) as unknown) === true;
    },
  };
}

/** Loads the optional peer dependency. @throws {Error} if it is not installed. */
function loadLibrary(maker: string): typeof OtpAuthModule {
  try {
    return require('otpauth') as typeof OtpAuthModule;
  } catch (cause) {
    throw new Error(
      `${maker} needs the package otpauth, which cannot be loaded: npm install otpauth`,
      { cause },
    );
  }
}

/** @throws {UsageError} ERR_TOTP_SECRET if none of the secrets has sealed it for this user. */
async function unseal(
  maker: string,
  secrets: readonly string[],
  userId: string,
  sealed: string,
): Promise<string> {
  const bytes = Buffer.from(
    sealed.startsWith(VERSION) ? sealed.slice(VERSION.length) : '',
    'base64url',
  );
  const open = async (one: string): Promise<string> =>
    decrypt(await expandKey(one, KEY_LABEL), Buffer.from(userId), bytes);

  return Promise.any(secrets.map(open)).catch(() => {
    throw new UsageError('ERR_TOTP_SECRET', maker);
  });
}
