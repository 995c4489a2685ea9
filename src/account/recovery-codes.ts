import type { KeyedDigest } from '../login/context';
import type { RecoveryCodeStore } from '../stores/store';

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
  readonly store: RecoveryCodeStore;
  /** One digest for each secret: the first makes hashes, all are read. */
  readonly digests: readonly KeyedDigest[];
  /** Codes a user gets at once. */
  readonly count: number;
  readonly randomBytes: (size: number) => Uint8Array;
}

export function createRecoveryCodes({ store, digests, count, randomBytes }: RecoveryCodesOptions) {
  const toHashes = (userId: string, code: string): Promise<readonly string[]> =>
    Promise.all(digests.map((digest) => digest('recovery-code', userId, code)));
  return {
    /**
     * Replaces all earlier codes and returns the new ones as people read them; null when `isFirst`
     * is set and there are some.
     */
    async renew(userId: string, isFirst: boolean): Promise<readonly string[] | null> {
      const codes = Array.from({ length: count }, () => makeRecoveryCode(randomBytes));
      const hashes = await Promise.all(
        codes.map(async (code) => (await toHashes(userId, code)).slice(0, 1)),
      );
      const isWritten: unknown = await store.replace(userId, hashes.flat(), { isFirst });
      // As people read them: `ABCD-EFGH-JKMN-PQRS-TVWX-YZ01`.
      return isWritten === true ? codes.map((code) => code.replace(/.{4}(?=.)/g, '$&-')) : null;
    },
    /** @param code In its plain form. */
    async spend(userId: string, code: string): Promise<SpentCode> {
      let spent: SpentCode = { isSpent: false, left: 0 };
      for (const hash of await toHashes(userId, code)) {
        spent = await store.spend(userId, hash);
        // A store plugin may return anything: only true is a success.
        if ((spent.isSpent as unknown) === true) break;
      }
      return spent;
    },
    count: (userId: string): Promise<number> => store.count(userId),
  };
}

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
