import { createHmac } from 'node:crypto';

/** Returns the keys under which a number and its prefix are counted: HMACs, so that no store key reveals a number. */
export type NumberKeys = (mobile: string) => Promise<{ readonly number: string; readonly prefix: string }>;

/** The last digits of a number. All numbers that differ in these alone share a prefix. */
const SUBSCRIBER_DIGITS = 4;

/** @param deriveKey Returns the HMAC key. Called for the first number, and again only if it failed. */
export function createNumberKeys(deriveKey: () => Promise<Buffer>): NumberKeys {
  let cached: Buffer | undefined;
  return async (mobile) => {
    const key = (cached ??= await deriveKey());
    return {
      number: hmac(key, mobile),
      // Computed on demand: only sends, and policies that learn from right codes, need it.
      get prefix() {
        return hmac(key, `prefix ${mobile.slice(0, -SUBSCRIBER_DIGITS)}`);
      },
    };
  };
}

function hmac(key: Buffer, value: string): string {
  return createHmac('sha256', key).update(value).digest('base64url').slice(0, 22);
}
