import type { Core } from './context';
import type { Ending } from './feature';

/** Where a change is made: what the user has there stays. */
export type ChangedFrom = Omit<Ending, 'reason'>;

/** Why everything else of a user ends. */
export type EndReason = Ending['reason'];

/**
 * Makes a change, and ends all pending logins of the user but that of the session where it is made,
 * and what the features end. The same call again completes one that failed.
 */
export type ChangeAndEnd = <Changed>(
  userId: string,
  reason: EndReason,
  from: ChangedFrom,
  change: () => Promise<Changed>,
) => Promise<Changed>;

/** The same for the request where a user makes the change. */
export type ChangeAndEndHere = <Changed>(
  user: Express.User,
  change: () => Promise<Changed>,
) => Promise<Changed>;

export function createChangeAndEnd({ store, features }: Core): ChangeAndEnd {
  const { pendingLogins } = store;

  return async function changeAndEnd(userId, reason, from, change) {
    const { pendingId } = from;
    const ending: Ending = { ...from, reason };
    // A store that does not answer refuses here: nothing has changed then.
    await pendingLogins.endAll(userId, pendingId);
    const changed = await change();
    // Again: a login may have begun meanwhile with what was there before the change.
    await pendingLogins.endAll(userId, pendingId);
    for (const feature of features)
      if (feature.sessions === undefined) await feature.endAll?.(userId, ending);

    // Again: a login may have begun meanwhile with what has ended only now. Then the logins
    // themselves, because no other one can begin any more.
    await pendingLogins.endAll(userId, pendingId);
    for (const feature of features)
      if (feature.sessions !== undefined) await feature.endAll?.(userId, ending);
    return changed;
  };
}
