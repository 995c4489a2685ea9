import { callEach, type ChangeAndEnd } from './end-others';
import { optionError } from '../errors';
import { enableCodes, type LiftedLimits, liftLimits, sumCounts } from '../limits/lift';
import type { UserId } from '../stores/store';
import type { Core } from './context';
import { toUserIdText } from './users';

/** What an operator may do for a user. */
export interface CoreAdmin {
  /**
   * Lifts the user's locks and send limits in all browsers, including the totals of the day.
   * Returns what was lifted. If a call fails, call it again to complete it.
   */
  readonly unlockUser: (userId: UserId, options?: UnlockOptions) => Promise<UnlockedUser>;
  /**
   * Ends the user's pending logins and logins. Removes the user's recovery codes, trusted devices,
   * known browsers and counters. Running locks stay until they expire, and so does the second up to
   * which the user's browsers are not known. Counters whose keys are digests that name no user stay
   * too: today's recovery codes, answers by address, and numbers that were proven or got messages.
   */
  readonly forgetUser: (userId: UserId) => Promise<void>;
  /** Returns what is stored about a user, without anything that lets one in. */
  readonly exportUser: (userId: UserId) => Promise<object>;
}

/** The options of `unlockUser`. */
export interface UnlockOptions {
  /**
   * Also ends `disabled`: clears the user's failures, makes the user's browsers unknown, and
   * forgets that recovery codes were spent. Verify who the person is first: afterwards a user
   * without a number, another factor and codes may add a first number. Default: false, the failures
   * stay counted.
   */
  readonly enable?: boolean | undefined;
}

/** What `unlockUser` has done. */
export interface UnlockedUser extends LiftedLimits {
  /** Whether codes were enabled. That also clears the `failures`. */
  readonly enabled: boolean;
}

/**
 * Creates the calls for operators.
 * @param changeAndEnd Ends what the user has begun or trusts anywhere.
 */
export function createUserAdmin(core: Core, changeAndEnd: ChangeAndEnd): CoreAdmin {
  const { store, features, limits, now, emit } = core;
  const { counters } = store;

  /** Emits the new count of failures, for apps that keep the count in their own database. */
  async function emitFailures(userId: string): Promise<void> {
    const failures = await sumCounts(counters, limits.keysNamed('failures', userId));
    emit({ type: 'failure-count-changed', userId, purpose: null, address: undefined, failures });
  }

  async function listBrowserIds(userId: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const feature of features) ids.push(...((await feature.listBrowserIds?.(userId)) ?? []));
    return ids;
  }

  /**
   * Removes everything about a user, but keeps running locks and today's limit on recovery codes:
   * forgetting a user must not lift them. Asks every feature even if one fails, and returns the
   * errors: whatever else the user has must end all the same.
   */
  async function forget(userId: string): Promise<readonly unknown[]> {
    const keys = limits.keysOfUser(userId, await listBrowserIds(userId));
    const failed = await callEach(features, (feature) => feature.forget?.(userId));
    // If this fails, stop: once the browsers have ended, no call finds their counters any more.
    await counters.clear(keys, { keepsLocked: true });
    return failed;
  }

  return {
    async unlockUser(id, { enable = false } = {}) {
      const { userId } = toUserIdText(id);
      checkEnable(enable);
      const lifted = await liftLimits(counters, limits, userId, await listBrowserIds(userId));

      // Do this last: it removes the list of known browsers, whose limits had to be lifted first.
      if (enable) {
        await enableCodes(store, limits, userId, now());
        await emitFailures(userId);
      }
      return { ...lifted, enabled: enable };
    },
    async forgetUser(id) {
      const { userId } = toUserIdText(id);
      const failed = await changeAndEnd(userId, 'revoked', {}, () => forget(userId));
      if (failed.length > 0) throw failed[0];
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

/**
 * Throws unless `enable` is a boolean. The value may come from a form, where the string "false"
 * would count as true.
 */
function checkEnable(enable: unknown): void {
  if (typeof enable !== 'boolean') throw optionError('unlockUser', 'enable', 'must be a boolean');
}
