import type { Request, Response } from 'express';
import { StoreError } from '../errors';
import { toDeviceLabel } from '../login/device-label';
import type { LoginFactors } from '../login/join-factors';
import type { DeviceJudge } from '../login/judge-device';
import type { DeviceAdmin } from '../login/trusted-devices';
import { readField } from './body-field';
import { clearDeviceCookie, readDeviceCookie, setDeviceCookie } from './device-cookie';
import type { EdgeParts } from './edge-parts';
import type { VerifiedMark } from './session-data';

/** Trusted devices, where they are configured. */
export interface DeviceParts {
  readonly devices: DeviceJudge & DeviceAdmin;
  readonly cookieName: string;
  /** The field of the code's form that asks for trust. */
  readonly trustDeviceField: string;
}

interface DeviceSettings {
  readonly trustedDevices?: { readonly cookieName: string } | undefined;
  readonly trustDeviceField: string;
}

/** Undefined where no devices are trusted. */
export function createDeviceParts(
  { devices }: LoginFactors,
  { trustedDevices, trustDeviceField }: DeviceSettings,
): DeviceParts | undefined {
  if (devices === undefined || trustedDevices === undefined) return undefined;
  return { devices, cookieName: trustedDevices.cookieName, trustDeviceField };
}

/** A user who needs no code on this device. */
export interface Recognised {
  readonly user: Express.User;
  readonly mark: VerifiedMark;
}

/** What HTTP makes of trusted devices. */
export interface DeviceDoor {
  /** The user of a trusted device and the mark, with the next cookie set; null: a code is needed. */
  readonly recognise: (req: Request, res: Response, user: Express.User) => Promise<Recognised | null>;
  /** Trusts this device when the form asks for it. The user is in already. */
  readonly trust: (req: Request, res: Response, user: Express.User) => Promise<void>;
}

export function createDeviceDoor(
  { devices, cookieName, trustDeviceField }: DeviceParts,
  endOtherSessions: EdgeParts['endOtherSessions'],
): DeviceDoor {
  return {
    async recognise(req, res, user) {
      const value = readDeviceCookie(req, cookieName);
      const verdict = await devices.judge({ user, value, address: req.ip });
      if (verdict.kind === 'trusted') {
        const { cookie, userId, at } = verdict;
        setDeviceCookie(res, cookieName, cookie);
        return { user: verdict.user, mark: { userId, method: 'trusted-device', at } };
      }
      if (verdict.kind !== 'not-now') clearDeviceCookie(res, cookieName);
      if (verdict.kind === 'stolen') await endOtherSessions(user, req);
      return null;
    },
    async trust(req, res, user) {
      if (!isAskedFor(readField(req, trustDeviceField))) return;
      const value = readDeviceCookie(req, cookieName);
      const label = toDeviceLabel(req.headers['user-agent']);
      try {
        const cookie = await devices.trust({ user, value, address: req.ip, label });
        setDeviceCookie(res, cookieName, cookie);
      } catch (error) {
        // The code was right and the user is in: a device that could not be kept is asked for a code again. The event tells.
        if (!(error instanceof StoreError)) throw error;
      }
    },
  };
}

/** What a ticked box sends, with and without a value of its own; JSON may say it as a boolean. */
const YES: readonly unknown[] = ['on', 'true', '1', 'yes', true];

function isAskedFor(field: unknown): boolean {
  return YES.includes(typeof field === 'string' ? field.toLowerCase() : field);
}
