import type { DeviceBook } from '../factors/device-book';
import { failureCounter } from '../policies/limits';
import type { BindDevice } from './device-binding';
import { findUser } from './find-user';
import type { LoginParts } from './login-parts';
import { tellDeviceEnd } from './trusted-devices';
import { toUserIdText } from './user-id';

/** The cookie a device is to hold from now on. */
export interface DeviceCookie {
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What a device's cookie is worth at a login. */
export type DeviceVerdict =
  | {
      readonly kind: 'trusted';
      /** As `loadUser` gave it, like after a right code. */
      readonly user: Express.User;
      readonly userId: string;
      readonly at: number;
      readonly cookie: DeviceCookie;
    }
  /** No trust now; the cookie stays as it is. */
  | { readonly kind: 'not-now' }
  /** Good for nothing: it goes. */
  | { readonly kind: 'worthless' }
  /** The same, and two have had it. */
  | { readonly kind: 'stolen' };

/** Whose device it is, and what came with the request. */
export interface DeviceQuestion {
  readonly user: Express.User;
  /** What the cookie holds, untouched; undefined when there is none. */
  readonly value: string | undefined;
  readonly address: string | undefined;
}

/** Trust in devices, as a login needs it. */
export interface DeviceJudge {
  /**
   * The decision to ask for no code on this device. Accidents and what the app's own callbacks throw go on: nobody is in.
   */
  readonly judge: (question: DeviceQuestion) => Promise<DeviceVerdict>;
  /** Trusts the device from now on, in place of what its cookie said before. */
  readonly trust: (question: DeviceQuestion & { readonly label: string }) => Promise<DeviceCookie>;
}

export function createDeviceJudge(parts: LoginParts, book: DeviceBook, bind: BindDevice): DeviceJudge {
  const { emit, now } = parts;

  /**
   * While the user's second factor is locked or disabled, a device is not trusted either: somebody who knows the password
   * is guessing, and then no way in is left that is shorter than the one being guarded.
   */
  async function isLocked(userId: string): Promise<boolean> {
    const counter = { ...failureCounter(parts.settings.limits, userId), isOnlyRead: true };
    const { refusedBy } = await parts.store.counters.charge([counter]);
    return refusedBy !== null;
  }

  return {
    async judge({ user: firstFactorUser, value, address }) {
      if (value === undefined) return { kind: 'not-now' };
      const identity = toUserIdText(parts.getUserId(firstFactorUser));
      const { userId } = identity;
      if (await isLocked(userId)) return { kind: 'not-now' };
      // Who is gone or disabled passes no second factor: the way of the code tells it.
      const user = await findUser(parts, { ...identity, purpose: 'login' }, undefined);
      if (user === null) return { kind: 'not-now' };
      // Asked before the token is replaced: what the app throws here changes nothing.
      const binding = await bind(user, userId);
      const shown = await book.show(userId, value);
      if (shown.kind === 'just-replaced') return { kind: 'not-now' };
      if (shown.kind === 'unknown') return { kind: 'worthless' };
      const { device } = shown;
      if (shown.kind === 'stolen') {
        tellDeviceEnd(emit, device, 'stolen', address);
        return { kind: 'stolen' };
      }
      if (device.binding !== binding) {
        // False: another request has removed it in between, and has told.
        if (await book.remove(userId, device.deviceId)) tellDeviceEnd(emit, device, 'changed', address);
        return { kind: 'worthless' };
      }
      const { deviceId, label, expiresAt } = device;
      emit({ type: 'device-used', userId, address, deviceId, label });
      return { kind: 'trusted', user, userId, at: now(), cookie: { value: shown.value, expiresAt } };
    },
    async trust({ user, value, address, label }) {
      const { userId } = toUserIdText(parts.getUserId(user));
      const binding = await bind(user, userId);
      if (value !== undefined) await book.removeShown(userId, value);
      const added = await book.add({ userId, binding, label });
      const { deviceId, expiresAt } = added.device;
      emit({ type: 'device-trusted', userId, address, deviceId, label });
      return { value: added.value, expiresAt };
    },
  };
}
