import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const KEY_BYTES = 64;
const deriveKey: (password: string, salt: Buffer, keyBytes: number) => Promise<Buffer> = promisify(scrypt);

/** A password as stored. */
export interface PasswordHash {
  readonly salt: Buffer;
  readonly key: Buffer;
}

export async function hashPassword(password: string, salt: Buffer): Promise<PasswordHash> {
  return { salt, key: await deriveKey(password, salt, KEY_BYTES) };
}

export async function isPassword(password: string, hash: PasswordHash): Promise<boolean> {
  return timingSafeEqual(await deriveKey(password, hash.salt, KEY_BYTES), hash.key);
}
