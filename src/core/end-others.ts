import { forgetBrowsers } from '../limits/lift';
import type { Core } from './context';
import type { RevokeDevices } from '../features/trusted-devices/trusted-devices';

/** Where a change is made: what the user has there stays. */
export interface ChangedFrom {
  /** The pending login of that session. */
  readonly pendingId?: string | undefined;
  /** The login of that session. */
  readonly loginId?: string | undefined;
  /**
   * A stolen device, which nobody can use any more. Its record stays until everything else has
   * ended, so that its cookie is recognized again where that fails.
   */
  readonly deviceId?: string | undefined;
  readonly address?: string | undefined;
  /**
   * Whether an earlier request made the change and may still be under way. It gives the login of
   * the session another id, which stays as well. Default: false.
   */
  readonly isRepeated?: boolean | undefined;
}

/** Why the user's devices and logins end. `changed`: also after the theft of another device. */
export type EndReason = 'revoked' | 'changed';

/**
 * Makes a change, and ends all pending logins and logins of the user but those of the session where
 * it is made, the trust in all devices, and the knowledge of all browsers. The same call again
 * completes one that failed.
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

/** @param revokeDevices Undefined unless `trustedDevices` is configured. */
export function createChangeAndEnd(
  { store, limits, logins, now }: Pick<Core, 'store' | 'limits' | 'logins' | 'now'>,
  revokeDevices: RevokeDevices | undefined,
): ChangeAndEnd {
  const { pendingLogins } = store;

  return async function changeAndEnd(userId, reason, from, change) {
    const { pendingId, deviceId, address } = from;
    // A store that does not answer refuses here: nothing has changed then.
    await pendingLogins.endAll(userId, pendingId);
    const changed = await change();
    // Again: a login may have begun meanwhile with what was there before the change.
    await pendingLogins.endAll(userId, pendingId);
    await revokeDevices?.(userId, reason, address, deviceId);
    await forgetBrowsers(store, limits, userId, now());
    // Again: one may have begun meanwhile with a device that was still trusted.
    await pendingLogins.endAll(userId, pendingId);
    await endLogins(userId, reason, from);
    return changed;
  };

  async function endLogins(
    userId: string,
    reason: EndReason,
    { loginId, isRepeated = false }: ChangedFrom,
  ): Promise<void> {
    if (isRepeated && loginId !== undefined) await logins?.endListed({ userId, loginId }, reason);
    else await logins?.endAll(userId, reason, loginId);
  }
}
