import { createHmac } from 'node:crypto';

/** A digest of some texts, as base64url: who has no key can neither make it nor try out what it is of. */
export type KeyedDigest = (...texts: readonly string[]) => Promise<string>;

/** @param deriveKey gives the HMAC key; called at the first digest and not again unless it failed. */
export function createKeyedDigest(deriveKey: () => Promise<Buffer>): KeyedDigest {
  let key: Buffer | undefined;
  return async (...texts) => {
    key ??= await deriveKey();
    // As JSON, so that no other texts make the same.
    return createHmac('sha256', key).update(JSON.stringify(texts)).digest('base64url');
  };
}
