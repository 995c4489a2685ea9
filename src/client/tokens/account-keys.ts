import { createHash, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { ClientSettings } from '../client-settings';
import { expandKey, KEY_BYTES } from './expand-key';

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
