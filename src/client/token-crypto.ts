import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { expandKey } from '../keys';
import type { ClientSettings } from './options';
import type { TokenContents } from './wire';

/** Seals tokens for a store, and opens them. */
export interface TokenCrypto {
  seal(contents: TokenContents): Promise<string>;
  /** Opens a sealed token. Null if it is not one of ours or was sealed under another password. */
  open(sealed: string): Promise<TokenContents | null>;
}

/** Reads the JSON of a token. Null if it is malformed. */
type ReadContents = (json: string) => Promise<TokenContents | null>;

type GatewayAccount = Pick<ClientSettings, 'address' | 'username' | 'password'>;

/** The version of the format and of the key. Tokens of another version are ignored. */
const VERSION = 'v2.';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts tokens with AES-256-GCM, under a key derived from the account's password. The account's
 * name is authenticated too, so that a token cannot be moved to another account.
 * @param isAtRest Whether others may read the store and try to guess the password from its content.
 */
export function createTokenCrypto(
  account: GatewayAccount,
  readContents: ReadContents,
  isAtRest: boolean,
): TokenCrypto {
  const boundTo = Buffer.from(VERSION + toAccountName(account));
  let key: Promise<Buffer> | null = null;
  const getKey = (): Promise<Buffer> => (key ??= deriveAccountKey(account, isAtRest));

  return {
    async seal(contents) {
      const bytes = encrypt(await getKey(), boundTo, JSON.stringify(contents));
      return VERSION + bytes.toString('base64url');
    },
    async open(sealed) {
      if (!sealed.startsWith(VERSION)) return null;
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');

      try {
        return await readContents(decrypt(await getKey(), boundTo, bytes));
      } catch {
        // Treat a token that was changed, truncated or sealed under another password as missing.
        return null;
      }
    },
  };
}

/** Encrypts with AES-256-GCM. `boundTo` is authenticated too, but not part of the result. */
export function encrypt(key: Buffer, boundTo: Buffer, text: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(boundTo);
  const body = [cipher.update(text), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...body]);
}

/** @throws {Error} of the platform if the bytes were not encrypted with this key and `boundTo`. */
export function decrypt(key: Buffer, boundTo: Buffer, bytes: Buffer): string {
  const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo).setAuthTag(tag);
  const body = bytes.subarray(IV_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString();
}

/**
 * Returns the account's name in a store. It identifies the account and reveals nothing about it.
 */
export function toAccountName(account: Pick<GatewayAccount, 'address' | 'username'>): string {
  const { origin, pathPrefix } = account.address;
  const id = JSON.stringify([origin + pathPrefix, account.username]);
  return createHash('sha256').update(id).digest('hex').slice(0, 32);
}

/**
 * About 0.2 s and 16 MiB, once per client, off the main thread. An attacker who has read the store
 * pays it for each guess at the password. OWASP Password Storage Cheat Sheet, the row of 16 MiB.
 */
const SCRYPT_COST = { N: 2 ** 14, r: 8, p: 5 };

const KEY_BYTES = 32;

const scryptAsync = promisify<string, string, number, typeof SCRYPT_COST, Buffer>(scrypt);

/** Derives the token's key. It is the same in every process that has the account's password. */
async function deriveAccountKey(account: GatewayAccount, isAtRest: boolean): Promise<Buffer> {
  const salt = JSON.stringify([account.username, account.address.host]);
  const secret = isAtRest
    ? await scryptAsync(account.password, salt, KEY_BYTES, SCRYPT_COST)
    : account.password + salt;
  return expandKey(secret, 'token');
}
