import { failureCounter, keysOfUser, lockCounter, lockKey } from '../limits/limits';
import type { UserId } from '../stores/store';
import type { LoginContext } from './context';
import { toUserIdText } from './users';

/** What an operator may do for a user. */
export interface UserAdmin {
  /** Lifts the user's locks and send budgets, the day's totals too. The failures counted so far stay counted. */
  readonly unlockUser: (userId: UserId) => Promise<void>;
  /** Clears the user's failures, which also ends `disabled`. Call it after the user's number was verified anew. */
  readonly enableUser: (userId: UserId) => Promise<void>;
  /** Ends the user's challenges and removes the user's recovery codes, trusted devices and counters, except under a running lock. */
  readonly forgetUser: (userId: UserId) => Promise<void>;
}

export function createUserAdmin({ store, settings, emit, guessableMethods }: LoginContext): UserAdmin {
  const { challenges, counters, recoveryCodes, devices } = store;

  /** Apps that keep the count of failures themselves are informed of every change. */
  async function emitFailures(userId: string): Promise<void> {
    const counter = { ...failureCounter(settings.limits, userId), isOnlyRead: true };
    const { counts } = await counters.charge([counter]);
    // The fallback only satisfies `noUncheckedIndexedAccess`: a store returns a count for each counter.
    const failures = counts[0]?.count ?? 0;
    emit({ type: 'failure-count-changed', userId, purpose: null, address: undefined, failures });
  }

  /** Whoever can have an account forgotten must not get fresh guesses by it. */
  async function isLocked(userId: string): Promise<boolean> {
    const locks = guessableMethods.map((method) => lockCounter(settings.limits, userId, method));
    const { counts } = await counters.charge(locks.map((counter) => ({ ...counter, isOnlyRead: true })));
    return counts.some(({ lockedSeconds }) => lockedSeconds > 0);
  }

  return {
    async unlockUser(id) {
      const { userId } = toUserIdText(id);
      await Promise.all(guessableMethods.map((method) => counters.lock(lockKey(userId, method), 0)));
      await counters.clear(keysOfUser(userId, guessableMethods).sends);
    },
    async enableUser(id) {
      const { userId } = toUserIdText(id);
      await counters.clear(keysOfUser(userId, guessableMethods).failures);
      await emitFailures(userId);
    },
    async forgetUser(id) {
      const { userId } = toUserIdText(id);
      const { failures, sends } = keysOfUser(userId, guessableMethods);
      await challenges.discardAll(userId);
      await recoveryCodes?.replace(userId, []);
      await devices?.removeAll(userId);
      await counters.clear((await isLocked(userId)) ? sends : [...failures, ...sends], { keepsLocked: true });
      await emitFailures(userId);
    },
  };
}
