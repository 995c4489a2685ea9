import type { RecoveryCodeStore } from '../stores/store';
import type { KeyedDigest } from './keyed-digest';
import { makeRecoveryCode, showRecoveryCode } from './recovery-code';

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
