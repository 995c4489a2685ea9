import { readRecoveryCode } from '../factors/recovery-code';
import type { RecoveryCodes } from '../factors/recovery-codes';
import type { Judge } from './judge';
import type { LoginParts } from './login-parts';

/**
 * The store judges a recovery code by spending it: it is right for exactly one caller, and stays spent even when the
 * login comes to nothing after that.
 */
export function createRecoveryCodeJudge({ emit }: Pick<LoginParts, 'emit'>, codes: RecoveryCodes): Judge {
  return {
    method: 'recovery-code',
    readCode: readRecoveryCode,
    open: () =>
      Promise.resolve({
        judge: async ({ challenge: { userId }, code, address }) => {
          const { isSpent, left } = await codes.spend(userId, code);
          // True and nothing like it.
          if ((isSpent as unknown) !== true) return { kind: 'wrong' };
          emit({ type: 'recovery-code-used', userId, address, left });
          return { kind: 'right' };
        },
        close: () => undefined,
      }),
    isStillValid: () => Promise.resolve(true),
  };
}
