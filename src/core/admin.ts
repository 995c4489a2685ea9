import type { ChangeAndEnd } from './end-others';
import { optionError } from '../errors';
import { enableCodes, type LiftedLimits, liftLimits, sumCounts } from '../limits/lift';
import type { UserId } from '../stores/store';
import type { Core } from './context';
import { toUserIdText } from './users';

/** What an operator may do for a user. */
export interface CoreAdmin {
  /**
   * Lifts the user's locks and send budgets in all browsers, the day's totals too, and returns what
   * was lifted. The same call again completes one that failed.
   */
  readonly unlockUser: (userId: UserId, options?: UnlockOptions) => Promise<UnlockedUser>;
  /**
   * Ends the user's pending logins and logins and removes the user's recovery codes, trusted
   * devices, known browsers and counters. What stays, and ends by itself: running locks, the second
   * up to which browsers are not known, and counts under digests that name no user: of the day's
   * recovery codes and answers by address, and of numbers that were proven or got messages.
   */
  readonly forgetUser: (userId: UserId) => Promise<void>;
  /** Returns what is stored about a user, without anything that lets one in. */
  readonly exportUser: (userId: UserId) => Promise<object>;
}

/** The options of `unlockUser`. */
export interface UnlockOptions {
  /**
   * Also ends `disabled`: clears the user's failures, makes the user's browsers unknown, and
   * forgets that recovery codes were spent. Check the person first: afterwards a user without a
   * number, another factor and codes may add a first number. Default: false, the failures stay
   * counted.
   */
  readonly enable?: boolean | undefined;
}

/** What `unlockUser` has done. */
export interface UnlockedUser extends LiftedLimits {
  /** Whether codes were enabled, which has cleared the `failures`. */
  readonly enabled: boolean;
}

/** @param changeAndEnd Ends what the user has begun or trusts anywhere. */
export function createUserAdmin(core: Core, changeAndEnd: ChangeAndEnd): CoreAdmin {
  const { store, features, limits, now, emit } = core;
  const { counters } = store;

  /** Apps that keep the count of failures themselves are informed of every change. */
  async function emitFailures(userId: string): Promise<void> {
    const failures = await sumCounts(counters, limits.keysNamed('failures', userId));
    emit({ type: 'failure-count-changed', userId, purpose: null, address: undefined, failures });
  }

  async function listBrowserIds(userId: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const feature of features) ids.push(...((await feature.listBrowserIds?.(userId)) ?? []));
    return ids;
  }

  /** Running locks stay: forgetting a user must not lift them. So does the day's limit on codes. */
  async function forget(userId: string): Promise<void> {
    const keys = limits.keysOfUser(userId, await listBrowserIds(userId));
    for (const feature of features) await feature.forget?.(userId);
    await counters.clear(keys, { keepsLocked: true });
  }

  return {
    async unlockUser(id, { enable = false } = {}) {
      const { userId } = toUserIdText(id);
      checkEnable(enable);
      const lifted = await liftLimits(counters, limits, userId, await listBrowserIds(userId));

      // Last, because it removes the browsers whose budgets are lifted.
      if (enable) {
        await enableCodes(store, limits, userId, now());
        await emitFailures(userId);
      }
      return { ...lifted, enabled: enable };
    },
    async forgetUser(id) {
      const { userId } = toUserIdText(id);
      await changeAndEnd(userId, 'revoked', {}, () => forget(userId));
      await emitFailures(userId);
    },
    async exportUser(id) {
      const { userId } = toUserIdText(id);
      return {
        userId,
        ...(await exportFeatures(core, userId)),
      };
    },
  };
}

/** Returns what the features store about a user. */
async function exportFeatures({ features }: Core, userId: string): Promise<object> {
  const parts: object[] = [];
  for (const feature of features) parts.push((await feature.exportUser?.(userId)) ?? {});
  return Object.assign({}, ...parts) as object;
}

/** The value may come from a form, where "false" is a string that counts as true. */
function checkEnable(enable: unknown): void {
  if (typeof enable !== 'boolean') throw optionError('unlockUser', 'enable', 'must be a boolean');
}
