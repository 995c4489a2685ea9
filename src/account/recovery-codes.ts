import { StoreError } from '../errors';
import type { KeyedDigest } from '../keys';
import { RECOVERY_CODES_ID } from '../stores/check-values';
import type { RecordSet } from '../stores/record-sets';
import type { RecoveryCodeSet } from '../stores/store';

/** The option `recoveryCodes`. */
export interface RecoveryCodesOption {
  /** Codes a user gets at once: 5 to 20. Default: 10. */
  readonly count?: number | undefined;
}

/** The recovery codes of all users. Only digests are stored, and the user's id is part of each. */
export type RecoveryCodes = Readonly<ReturnType<typeof createRecoveryCodes>>;

/** The result of spending a code. `isSpent` is true for exactly one caller. */
export interface SpentCode {
  readonly isSpent: boolean;
  readonly left: number;
}

interface RecoveryCodesOptions {
  readonly sets: RecordSet<RecoveryCodeSet>;
  /** One digest for each secret: the first makes hashes, all are read. */
  readonly digests: readonly KeyedDigest[];
  /** Codes a user gets at once. */
  readonly count: number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Two codes of a user that are spent at the same moment: one of them tries again. */
const MOST_TRIES = 20;

export function createRecoveryCodes({ sets, digests, count, randomBytes }: RecoveryCodesOptions) {
  const toHashes = (userId: string, code: string): Promise<readonly string[]> =>
    Promise.all(digests.map((digest) => digest('recovery-code', userId, code)));
  const find = (userId: string): Promise<RecoveryCodeSet | null> =>
    sets.find(userId, RECOVERY_CODES_ID);

  return {
    /**
     * Replaces all earlier codes and returns the new ones as people read them; null when `isFirst`
     * is set and there are some, or were.
     */
    async renew(userId: string, isFirst: boolean): Promise<readonly string[] | null> {
      const codes = Array.from({ length: count }, () => makeRecoveryCode(randomBytes));
      const hashes = await Promise.all(
        codes.map(async (code) => (await toHashes(userId, code)).slice(0, 1)),
      );
      const { isPut } = await sets.put(toSet(userId, hashes.flat()), { ifNone: isFirst });
      // As people read them: `ABCD-EFGH-JKMN-PQRS-TVWX-YZ01`.
      return isPut ? codes.map((code) => code.replace(/.{4}(?=.)/g, '$&-')) : null;
    },
    /** @param code In its plain form. */
    async spend(userId: string, code: string): Promise<SpentCode> {
      const spent = await toHashes(userId, code);
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const set = await find(userId);
        const left = set?.hashes.filter((hash) => !spent.includes(hash)) ?? [];
        if (set === null || left.length === set.hashes.length)
          return { isSpent: false, left: left.length };
        if (await sets.swap(set, toSet(userId, left))) return { isSpent: true, left: left.length };
      }
      throw new StoreError('recovery-codes: changed again and again');
    },
    /** Returns how many codes are left; null: the user has none, and has spent none. */
    async count(userId: string): Promise<number | null> {
      return (await find(userId))?.hashes.length ?? null;
    },
    /** Forgets the codes, and that codes were spent. */
    async remove(userId: string): Promise<void> {
      await sets.remove(userId, RECOVERY_CODES_ID);
    },
  };

  function toSet(userId: string, hashes: readonly string[]): RecoveryCodeSet {
    const tag = Buffer.from(randomBytes(TAG_BYTES)).toString('base64url');
    return { version: 1, userId, tag, hashes: [...hashes] };
  }
}

/** Sets of one user differ in it: two of them never have the same. */
const TAG_BYTES = 16;

/**
 * Digits and capital letters without I, L, O and U, which look like others: 32 of them, 5 bits
 * each.
 */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * 120 bits: beyond guessing, so that no lock of the whole user is needed. NIST SP 800-63B 3.1.2.2.
 */
const CODE_LENGTH = 24;
const CODE = /^[0-9A-HJKMNP-TV-Z]{24}$/;

/** Returns a new code in its plain form: 24 characters. */
function makeRecoveryCode(randomBytes: (size: number) => Uint8Array): string {
  // 256 is a multiple of 32: each character is as likely as any other.
  return Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** Longer input is not a code, whatever spaces and marks come with pasting. */
const MAX_INPUT_LENGTH = 128;
const SEPARATORS = /[\p{Z}\p{Cf}\p{Pd}\s]/gu;

/**
 * Returns the plain form of a code as typed or pasted, or null. Spaces, dashes and case do not
 * matter, the letter O is read as a zero, I and L as a one.
 */
export function readRecoveryCode(input: unknown): string | null {
  if (typeof input !== 'string' || input.length > MAX_INPUT_LENGTH) return null;
  const letters = input.normalize('NFKC').replace(SEPARATORS, '').toUpperCase();
  const code = letters.replaceAll('O', '0').replace(/[IL]/g, '1');
  return CODE.test(code) ? code : null;
}
