import { hkdf } from 'node:crypto';
import { promisify } from 'node:util';

/** Of every key that is made here. */
export const KEY_BYTES = 32;

const hkdfAsync = promisify<string, Buffer | string, string, string, number, ArrayBuffer>(hkdf);

/** A key for one purpose out of a secret that nobody can guess; keys of different labels tell nothing of each other. */
export async function expandKey(secret: Buffer | string, label: string): Promise<Buffer> {
  return Buffer.from(await hkdfAsync('sha256', secret, '', label, KEY_BYTES));
}
