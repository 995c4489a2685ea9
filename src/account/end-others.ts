import { forgetBrowsers } from '../limits/lift';
import type { LoginContext } from '../login/context';
import type { DeviceEnd } from '../login/events';
import type { RevokeDevices } from './trusted-devices';

/** Where a change is made: what the user has there stays. */
export interface ChangedFrom {
  /** The pending login of that session. */
  readonly pendingId?: string | undefined;
  readonly address?: string | undefined;
}

/**
 * Makes a change that ends all pending logins of a user but the one where it is made, the trust in
 * all devices, and the knowledge of all browsers. The user's logins end after it, when the session
 * of the change has its new one.
 */
export type ChangeAndEnd = <Changed>(
  userId: string,
  reason: DeviceEnd,
  from: ChangedFrom,
  change: () => Promise<Changed>,
) => Promise<Changed>;

/** The same for the request where a user makes the change. */
export type ChangeAndEndHere = <Changed>(
  user: Express.User,
  change: () => Promise<Changed>,
) => Promise<Changed>;

/** @param revokeDevices Undefined unless `trustedDevices` is configured. */
export function createChangeAndEnd(
  { store, now }: Pick<LoginContext, 'store' | 'now'>,
  revokeDevices: RevokeDevices | undefined,
): ChangeAndEnd {
  const { pendingLogins } = store;

  return async function changeAndEnd(userId, reason, { pendingId, address }, change) {
    // A store that does not answer refuses here: nothing has changed then.
    await pendingLogins.endAll(userId, pendingId);
    const changed = await change();
    // Again: a login may have begun in between with what was there before the change.
    await pendingLogins.endAll(userId, pendingId);
    await revokeDevices?.(userId, reason, address);
    await forgetBrowsers(store, userId, now());
    return changed;
  };
}
