import type { RecoveryCodeStore } from '../stores/store';
import type { KeyedDigest } from '../login/context';

/** The option `recoveryCodes`. */
export interface RecoveryCodesOption {
  /** Codes a user gets at once: 5 to 20. Default: 10. */
  readonly count?: number | undefined;
}

/** Digits and capital letters without I, L, O and U: nothing that looks like another, 32 of them for 5 bits each. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 80 bits. NIST SP 800-63B 4.2.1.1 asks for 64. */
const CODE_LENGTH = 16;
const CODE = /^[0-9A-HJKMNP-TV-Z]{16}$/;
const GROUP = /.{4}(?=.)/g;

/** Longest text that is looked at; paste brings spaces and marks along. */
const MAX_INPUT_LENGTH = 128;
const SEPARATORS = /[\p{Z}\p{Cf}\p{Pd}\s]/gu;

/** A new code in its plain form: 16 characters. */
function makeRecoveryCode(randomBytes: (size: number) => Uint8Array): string {
  // 256 is a multiple of 32: each character is as likely as any other.
  return Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** As people read it: `ABCD-EFGH-JKMN-PQRS`. */
function showRecoveryCode(code: string): string {
  return code.replace(GROUP, '$&-');
}

/**
 * The plain form of a code as typed or pasted, or null: spaces, dashes and case do not matter, the letter O is a zero,
 * I and L are a one.
 */
export function readRecoveryCode(input: unknown): string | null {
  if (typeof input !== 'string' || input.length > MAX_INPUT_LENGTH) return null;
  const letters = input.normalize('NFKC').replace(SEPARATORS, '').toUpperCase();
  const code = letters.replaceAll('O', '0').replace(/[IL]/g, '1');
  return CODE.test(code) ? code : null;
}

/** What came of a code that was shown. `isSpent` is true for exactly one caller. */
export interface SpentCode {
  readonly isSpent: boolean;
  readonly left: number;
}

/** The recovery codes of all users. None is kept: what rests is a digest that holds the user's id as well. */
export interface RecoveryCodes {
  /** New codes in place of all earlier ones, as people read them; null when `isFirst` is asked for and there are some. */
  readonly renew: (userId: string, isFirst: boolean) => Promise<readonly string[] | null>;
  /** @param code in its plain form. */
  readonly spend: (userId: string, code: string) => Promise<SpentCode>;
  readonly count: (userId: string) => Promise<number>;
}

interface RecoveryCodesParts {
  readonly store: RecoveryCodeStore;
  readonly digest: KeyedDigest;
  /** Codes a user is given at once. */
  readonly count: number;
  readonly randomBytes: (size: number) => Uint8Array;
}

export function createRecoveryCodes({
  store,
  digest,
  count,
  randomBytes,
}: RecoveryCodesParts): RecoveryCodes {
  const toHash = (userId: string, code: string): Promise<string> => digest('recovery-code', userId, code);
  return {
    async renew(userId, isFirst) {
      const codes = Array.from({ length: count }, () => makeRecoveryCode(randomBytes));
      const hashes = await Promise.all(codes.map((code) => toHash(userId, code)));
      const isWritten: unknown = await store.replace(userId, hashes, { isFirst });
      return isWritten === true ? codes.map(showRecoveryCode) : null;
    },
    spend: async (userId, code) => store.spend(userId, await toHash(userId, code)),
    count: (userId) => store.count(userId),
  };
}
