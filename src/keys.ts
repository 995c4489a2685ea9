import { createHmac, hkdf } from 'node:crypto';
import { promisify } from 'node:util';

const KEY_BYTES = 32;

const hkdfAsync = promisify<string, Buffer | string, string, string, number, ArrayBuffer>(hkdf);

/**
 * Derives a key for one purpose from a secret that cannot be guessed. Keys of different labels are
 * independent.
 */
export async function expandKey(secret: Buffer | string, label: string): Promise<Buffer> {
  return Buffer.from(await hkdfAsync('sha256', secret, '', label, KEY_BYTES));
}

/** Derives a key of 32 bytes for one purpose: the same in every process with the same options. */
export type DeriveKey = (label: string) => Promise<Buffer>;

/** Returns a function that derives keys from one of the app's secrets. */
export function createKeyDeriver(secret: string): DeriveKey {
  return (label) => expandKey(secret, label);
}

/**
 * Returns a keyed digest of some strings as base64url. Without the key it can be neither made nor
 * tested against a guess.
 */
export type KeyedDigest = (...texts: readonly string[]) => Promise<string>;

/**
 * @param deriveKey Returns the HMAC key. Called for the first digest, and again only after a
 * failure.
 */
export function createKeyedDigest(deriveKey: () => Promise<Buffer>): KeyedDigest {
  let key: Buffer | undefined;
  return async (...texts) => {
    key ??= await deriveKey();
    // Digest the JSON, so that no other list of strings has the same digest.
    return createHmac('sha256', key).update(JSON.stringify(texts)).digest('base64url');
  };
}

/**
 * Returns the first 22 characters of a digest in base64url, which are 128 bits of it. They are a
 * copy: V8 keeps the whole digest in memory for a slice of it.
 */
export function shorten(digest: string): string {
  return Buffer.from(digest.slice(0, 22), 'latin1').toString('latin1');
}

/** Secrets that the documents print, so that everybody knows them. */
const PRINTED_SECRETS: readonly string[] = ['change me: 32 random characters or more'];

export function isPrintedSecret(secret: string): boolean {
  return PRINTED_SECRETS.includes(secret);
}
