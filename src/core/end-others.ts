import type { Core } from './context';
import type { Ending, Feature } from './feature';

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

export function createChangeAndEnd(core: Core): ChangeAndEnd {
  const { pendingLogins } = core.store;

  return async function changeAndEnd(userId, reason, from, change) {
    const { pendingId } = from;
    // A store that does not answer refuses here: nothing has changed then.
    await pendingLogins.endAll(userId, pendingId);
    const changed = await change();
    // Again: a login may have begun meanwhile with what was there before the change.
    await pendingLogins.endAll(userId, pendingId);
    await endFeatures(core, userId, { ...from, reason });
    return changed;
  };
}

/** Asks every feature, even if one fails. Then throws the first error. */
async function endFeatures(
  { store, features }: Core,
  userId: string,
  ending: Ending,
): Promise<void> {
  const others = features.filter(({ sessions }) => sessions === undefined);
  const ofSessions = features.filter(({ sessions }) => sessions !== undefined);
  const endAll = async (feature: Feature): Promise<unknown> => feature.endAll?.(userId, ending);
  const failed: unknown[] = [];
  const keep = (error: unknown): void => void failed.push(error);

  for (const feature of others) await endAll(feature).catch(keep);
  // Again: a login may have begun meanwhile with what has ended only now. Then the logins of
  // sessions, because no other one can begin any more.
  await store.pendingLogins.endAll(userId, ending.pendingId).catch(keep);
  for (const feature of ofSessions) await endAll(feature).catch(keep);

  if (failed.length > 0) throw failed[0];
}
