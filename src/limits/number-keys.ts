import { createHmac } from 'node:crypto';

/** Makes the text under which a number is counted: an HMAC, so that no key of a store tells a number. */
export type NumberKeys = (mobile: string) => Promise<{ readonly number: string; readonly prefix: string }>;

/** Digits that tell two numbers of one prefix apart. */
const SUBSCRIBER_DIGITS = 4;

/** @param deriveKey gives the HMAC key; called at the first number and not again unless it failed. */
export function createNumberKeys(deriveKey: () => Promise<Buffer>): NumberKeys {
  let key: Buffer | undefined;
  return async (mobile) => {
    const known = (key ??= await deriveKey());
    return {
      number: hmac(known, mobile),
      // Only sends, and policies that learn from right codes, ask for it.
      get prefix() {
        return hmac(known, `prefix ${mobile.slice(0, -SUBSCRIBER_DIGITS)}`);
      },
    };
  };
}

function hmac(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);
}
