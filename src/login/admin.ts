import { failureCounter, keysOfUser } from '../limits/limits';
import type { UserId } from '../stores/store';
import type { LoginContext } from './context';
import { toUserIdText } from './users';

/** What an operator may do for a user. */
export interface UserAdmin {
  /** Lifts a running lock. The failures counted so far stay counted: the next lock comes as it would have. */
  readonly unlockUser: (userId: UserId) => Promise<void>;
  /** Resets the failures to zero, which also ends `disabled`. Call it when the user's number was verified anew. */
  readonly enableUser: (userId: UserId) => Promise<void>;
  /** Ends the user's challenges and removes the user's recovery codes, trusted devices and counters, except under a running lock. */
  readonly forgetUser: (userId: UserId) => Promise<void>;
}

export function createUserAdmin({ emit, settings, store }: LoginContext): UserAdmin {
  const { challenges, counters, recoveryCodes, devices } = store;

  return {
    async unlockUser(id) {
      await counters.lock(keysOfUser(toUserIdText(id).userId).failures, 0);
    },
    async enableUser(id) {
      const { userId } = toUserIdText(id);
      await counters.clear([keysOfUser(userId).failures]);
      await emitFailures(userId);
    },
    async forgetUser(id) {
      const { userId } = toUserIdText(id);
      const { failures, sends } = keysOfUser(userId);
      await challenges.discardAll(userId);
      await recoveryCodes?.replace(userId, []);
      await devices?.removeAll(userId);
      await counters.clear([failures, ...sends], { keepsLocked: true });
      await emitFailures(userId);
    },
  };

  /** Apps that keep the count of failures themselves need an event for every change. */
  async function emitFailures(userId: string): Promise<void> {
    const counter = { ...failureCounter(settings.limits, userId), isOnlyRead: true };
    const { counts } = await counters.charge([counter]);
    // A store returns a count for each counter: the 0 only satisfies `noUncheckedIndexedAccess`.
    const failures = counts[0]?.count ?? 0;
    emit({ type: 'failure-count-changed', userId, purpose: null, address: undefined, failures });
  }
}
