import { keysOfUser } from '../policies/limits';
import type { UserId } from '../stores/store';
import type { LoginParts } from './login-parts';
import { toUserIdText } from './user-id';

/** What an operator may do for a user. */
export interface UserAdmin {
  /** Lifts a running lock. The failures counted so far stay counted: the next lock comes as it would have. */
  readonly unlockUser: (userId: UserId) => Promise<void>;
  /** Sets the failures back to nothing, which also ends `disabled`. Do it when the user's number was bound anew. */
  readonly enableUser: (userId: UserId) => Promise<void>;
  /** Ends the user's challenges and removes the user's counters, except under a running lock. */
  readonly forgetUser: (userId: UserId) => Promise<void>;
}

export function createUserAdmin({ store }: LoginParts): UserAdmin {
  return {
    unlockUser: async (id) => store.counters.lock(keysOfUser(toUserIdText(id).userId).failures, 0),
    enableUser: async (id) => store.counters.clear([keysOfUser(toUserIdText(id).userId).failures]),
    forgetUser: async (id) => {
      const { userId } = toUserIdText(id);
      const { failures, sends } = keysOfUser(userId);
      await store.challenges.discardAll(userId);
      await store.counters.clear([failures, ...sends], { keepsLocked: true });
    },
  };
}
