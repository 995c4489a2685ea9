import type { Core } from './context';
import type { Ending, Feature } from './feature';

/** The session that makes a change. What belongs to it stays. */
export type ChangedFrom = Omit<Ending, 'reason'>;

/** Why everything else of a user ends. */
export type EndReason = Ending['reason'];

/**
 * Makes a change, then ends the user's other pending logins and whatever the features end. The
 * pending login of the session that makes the change stays. If a call fails, call it again to
 * complete it.
 */
export type ChangeAndEnd = <Changed>(
  userId: string,
  reason: EndReason,
  from: ChangedFrom,
  change: () => Promise<Changed>,
) => Promise<Changed>;

/** Does the same for the request in which a user makes the change. */
export type ChangeAndEndHere = <Changed>(
  user: Express.User,
  change: () => Promise<Changed>,
) => Promise<Changed>;

export function createChangeAndEnd(core: Core): ChangeAndEnd {
  const { pendingLogins } = core.store;

  return async function changeAndEnd(userId, reason, from, change) {
    const { pendingId } = from;
    // If the store does not answer, fail here, before anything has changed.
    await pendingLogins.endAll(userId, pendingId);
    const changed = await change();
    // Repeat this: a login may have begun meanwhile from what was valid before the change.
    await pendingLogins.endAll(userId, pendingId);
    await endFeatures(core, userId, { ...from, reason });
    return changed;
  };
}

/** Calls every feature even if one fails, then throws the first error. */
async function endFeatures(
  { store, features }: Core,
  userId: string,
  ending: Ending,
): Promise<void> {
  const others = features.filter(({ sessions }) => sessions === undefined);
  const ofSessions = features.filter(({ sessions }) => sessions !== undefined);
  const endAll = (feature: Feature) => feature.endAll?.(userId, ending);
  const failed = await callEach(others, endAll);
  // Repeat this: a login may have begun meanwhile from something that ended only now. End the
  // logins of sessions last: by then no new one can begin.
  await store.pendingLogins
    .endAll(userId, ending.pendingId)
    .catch((error: unknown) => failed.push(error));
  failed.push(...(await callEach(ofSessions, endAll)));

  if (failed.length > 0) throw failed[0];
}

/** Calls every feature in order, even if one fails, and returns the errors. */
export async function callEach(
  features: readonly Feature[],
  call: (feature: Feature) => Promise<unknown> | undefined,
): Promise<unknown[]> {
  const failed: unknown[] = [];
  const start = async (feature: Feature): Promise<unknown> => call(feature);

  for (const feature of features)
    await start(feature).catch((error: unknown) => failed.push(error));
  return failed;
}
