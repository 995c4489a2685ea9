import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { finite, nullable, number, object, pipe, regex, safeParse, string } from 'valibot';

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
