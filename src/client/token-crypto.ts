import { createCipheriv, createDecipheriv, createHash, hkdf, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { finite, nullable, number, object, pipe, regex, safeParse, string } from 'valibot';
import { DEFAULT_TOKEN_VALIDITY_SECONDS, type Tokens } from '../protocol/auth';
import type { ClientSettings } from './options';

/** Of every key that is made here. */
const KEY_BYTES = 32;

const hkdfAsync = promisify<string, Buffer | string, string, string, number, ArrayBuffer>(hkdf);

/** A key for one purpose out of a secret that nobody can guess; keys of different labels tell nothing of each other. */
export async function expandKey(secret: Buffer | string, label: string): Promise<Buffer> {
  return Buffer.from(await hkdfAsync('sha256', secret, '', label, KEY_BYTES));
}

/** About 0.05 s and 16 MiB, once a client: what each guess at the password costs an attacker who has read the store. */
const SCRYPT_COST = { N: 2 ** 14, r: 8, p: 1 };

const scryptAsync = promisify<string, string, number, typeof SCRYPT_COST, Buffer>(scrypt);

/** Keys that every process with the account's password can make, and nobody else. */
export class AccountKeys {
  readonly #settings: Pick<ClientSettings, 'address' | 'username' | 'password'>;
  #root: Promise<Buffer> | null = null;

  constructor(settings: Pick<ClientSettings, 'address' | 'username' | 'password'>) {
    this.#settings = settings;
  }

  /** A key of 32 bytes for one purpose. */
  async derive(label: string): Promise<Buffer> {
    const { username, password, address } = this.#settings;
    this.#root ??= scryptAsync(password, JSON.stringify([username, address.host]), KEY_BYTES, SCRYPT_COST);
    return expandKey(await this.#root, label);
  }
}

/** The account's name in a store: tells accounts apart and gives nothing of them away. */
export function toAccountName({ address, username }: Pick<ClientSettings, 'address' | 'username'>): string {
  const id = JSON.stringify([address.origin + address.pathPrefix, username]);
  return createHash('sha256').update(id).digest('hex').slice(0, 32);
}

/** Nothing the gateway says makes a token trusted for longer. */
const LONGEST_VALIDITY_SECONDS = 86_400;

/** The end of a token's life that is not used: requests take time, and clocks differ. At most 5 % of it. */
const MARGIN_MS = 5_000;

/**
 * Dates a token.
 * Not shown in OTP spec §2: `validity_period` missing or odd; then the validity asked for counts, or the default.
 * @param askedAt When it was asked for, in milliseconds since 1970: its life cannot have begun earlier.
 */
export function toContents(tokens: Tokens, askedAt: number, askedSeconds: number | undefined): TokenContents {
  const { accessToken, refreshToken, validitySeconds } = tokens;
  const seconds = validitySeconds ?? askedSeconds ?? DEFAULT_TOKEN_VALIDITY_SECONDS;
  const lifeMs = Math.min(seconds, LONGEST_VALIDITY_SECONDS) * 1000;
  return { accessToken, refreshToken, expiresAt: askedAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 20) };
}

/**
 * When to renew a token: after 80 to 90 % of what is left of its life, spread by chance so that processes do not all
 * renew at once.
 */
export function toRenewalTime({ expiresAt }: TokenContents, now: number, chance: number): number {
  return now + (expiresAt - now) * (0.8 + 0.1 * chance);
}

/** A token with what belongs to it. */
export interface TokenContents {
  readonly accessToken: string;
  /** Null when the gateway gave none: then only credentials renew. */
  readonly refreshToken: string | null;
  /** Milliseconds since 1970 from which it counts as expired. */
  readonly expiresAt: number;
}

/** Turns tokens into what a store keeps, and back. */
export interface TokenSeal {
  seal(contents: TokenContents): Promise<string>;
  /** Null when the text is not one of ours, or was sealed under another password. */
  open(sealed: string): Promise<TokenContents | null>;
}

const VERSION = 'v1.';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Visible ASCII: a token becomes a header value. */
const token = pipe(string(), regex(/^[\x21-\x7e]{1,4096}$/));
const contentsSchema = object({
  accessToken: token,
  refreshToken: nullable(token),
  expiresAt: pipe(number(), finite()),
});

/** Leaves the token as it is, for a store that is this process's own memory. */
export const openSeal: TokenSeal = {
  seal: (contents) => Promise.resolve(JSON.stringify(contents)),
  open: (sealed) => Promise.resolve(readContents(sealed)),
};

/**
 * AES-256-GCM under a key that only holders of the account's password have. The account's name is authenticated with
 * it, so that a token cannot be moved from one account to another.
 */
export function createSeal(deriveKey: () => Promise<Buffer>, account: string): TokenSeal {
  const boundTo = Buffer.from(VERSION + account);
  return {
    async seal(contents) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', await deriveKey(), iv).setAAD(boundTo);
      const body = [cipher.update(JSON.stringify(contents)), cipher.final()];
      return VERSION + Buffer.concat([iv, cipher.getAuthTag(), ...body]).toString('base64url');
    },
    async open(sealed) {
      const key = await deriveKey();
      if (!sealed.startsWith(VERSION)) return null;
      return decrypt(key, boundTo, Buffer.from(sealed.slice(VERSION.length), 'base64url'));
    },
  };
}

function decrypt(key: Buffer, boundTo: Buffer, bytes: Buffer): TokenContents | null {
  const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(boundTo).setAuthTag(tag);
    const body = bytes.subarray(IV_BYTES + TAG_BYTES);
    return readContents(Buffer.concat([decipher.update(body), decipher.final()]).toString());
  } catch {
    // Changed, cut short or sealed under another password: as good as no token at all.
    return null;
  }
}

function readContents(text: string): TokenContents | null {
  const parsed = safeParse(contentsSchema, JSON.parse(text));
  return parsed.success ? parsed.output : null;
}
