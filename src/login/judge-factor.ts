import type { Factor } from '../factors/factor';
import type { Judge } from './judge';

/** Longest code that is looked at. */
const MAX_CODE_LENGTH = 128;

/** The callback of another factor judges its codes. */
export function createFactorJudge(factor: Pick<Factor, 'name' | 'check'>): Judge {
  return {
    method: factor.name,
    readCode: (input) => {
      if (typeof input !== 'string' || input.length > MAX_CODE_LENGTH) return null;
      const code = input.trim();
      return code === '' ? null : code;
    },
    open: () =>
      Promise.resolve({
        judge: async ({ user, challenge: { userId }, code, address }) => {
          const isRight: unknown = await factor.check({ user, userId, code, address });
          return { kind: isRight === true ? 'right' : 'wrong' };
        },
        close: () => undefined,
      }),
    isStillValid: () => Promise.resolve(true),
  };
}
