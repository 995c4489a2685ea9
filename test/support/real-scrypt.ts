import { afterAll, beforeAll } from '@jest/globals';
import { scrypt } from 'node:crypto';

/** Gives scrypt its cost back in a `describe`; see `cheap-scrypt.cjs`. */
export function useRealScrypt(): void {
  beforeAll(() => void Object.assign(scrypt, { isReal: true }));
  afterAll(() => void Object.assign(scrypt, { isReal: false }));
}
