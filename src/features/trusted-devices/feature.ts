import { randomBytes } from 'node:crypto';
import type { Core } from '../../core/context';
import { createChangeAndEnd } from '../../core/end-others';
import type { Feature, PendingUser, Success, UserLetIn, Written } from '../../core/feature';
import { withCookie } from '../../core/prepared-cookie';
import { toUserIdText } from '../../core/users';
import type { Visit } from '../../core/visit';
import { createDeviceRegistry, createDeviceTokens } from './device-tokens';
import {
  createDeviceAdmin,
  createDeviceAuthenticator,
  createDeviceBinding,
  type DeviceAuthenticator,
  toListedDevice,
  type TrustedDevices,
  type TrustedDevicesOption,
} from './trusted-devices';

/** Added by the option `trustedDevices`. */
export interface DevicesPart {
  /** Lists and revokes the devices that need no code. */
  readonly trustedDevices: TrustedDevices;
}

/** Creates the feature that lets users in without a code on devices that they trust. */
export function createTrustedDevices(core: Core, settings: DeviceSettings): Feature {
  const { store, now } = core;
  const digests = core.createDigests('factors');
  const tokens = createDeviceTokens(digests, randomBytes);
  const registry = createDeviceRegistry({ ...settings, devices: store.devices, tokens, now });
  const bind = createDeviceBinding(core, settings, digests);
  const devices = createDeviceAuthenticator(core, registry, bind);
  const { revokeFor, ...trustedDevices } = createDeviceAdmin(core, registry);
  const parts: Parts = { core, settings, devices };

  return {
    ...createForgottenDevices(core),
    letsIn: (asked, visit) => letIn(parts, asked, visit),
    onSuccess: (success, visit) => trust(parts, success, visit),
    endAll: (userId, { reason, address, deviceId }) => revokeFor(userId, reason, address, deviceId),
    members: (): DevicesPart => ({ trustedDevices }),
  };
}

/**
 * Creates the feature for an app without the option. It removes and exports records from a time
 * when devices were trusted.
 */
export function createForgottenDevices({ store: { devices } }: Core): Feature {
  return {
    name: 'trusted-devices',
    forget: (userId) => devices.removeAll(userId),
    async exportUser(userId) {
      return { trustedDevices: (await devices.list(userId)).map(toListedDevice) };
    },
  };
}

interface DeviceSettings extends TrustedDevicesOption {
  readonly maxAgeDays: number;
  readonly cookieName: string;
  /** The form field by which a user asks to trust the device. */
  readonly field: string;
}

interface Parts {
  readonly core: Core;
  readonly settings: DeviceSettings;
  readonly devices: DeviceAuthenticator;
}

/**
 * Lets in the user of a trusted device. Clears the cookie of a device that is no longer trusted.
 */
async function letIn(
  parts: Parts,
  { user, pending }: PendingUser,
  visit: Visit,
): Promise<UserLetIn | null> {
  const { cookieName } = parts.settings;
  const value = visit.cookies.read(cookieName);
  if (value === undefined) return null;

  const { address } = visit;
  const { bucket, pendingId } = pending;
  const result = await parts.devices.authenticate({ user, value, address, bucket });
  if (result.kind === 'trusted') {
    const { user: found, mark, next } = result;
    const puts = [withCookie(visit, cookieName, next)];
    return { user: found, proof: mark.method, at: mark.at, puts };
  }

  if (result.kind === 'stolen') await endAllElse(parts, user, result.deviceId, pendingId, visit);
  if (result.kind !== 'not-now') visit.cookies.clear(cookieName);
  return null;
}

/**
 * Ends everything else of the user, and removes the stolen device last. If this fails, the device
 * and its cookie stay, so that the next request completes it.
 */
async function endAllElse(
  { core, devices }: Parts,
  user: Express.User,
  deviceId: string,
  pendingId: string,
  visit: Visit,
): Promise<void> {
  const id = core.getUserId(user);
  const { userId } = toUserIdText(id);
  const loginId = visit.readLogin()?.loginId;
  const from = { deviceId, pendingId, loginId, address: visit.address };
  await createChangeAndEnd(core)(userId, 'changed', from, () => Promise.resolve());
  await visit.endOtherSessions(id);
  await devices.removeStolen(user, deviceId);
}

/**
 * Trusts a device if its form asks for it. A user who needed a recovery code has lost something, so
 * no device is trusted at that moment.
 */
async function trust(
  { settings, devices }: Parts,
  { user, factor, pending, isKept }: Success,
  visit: Visit,
): Promise<Written | null> {
  const isLogin = pending.purpose === 'login' && factor !== null && isKept;
  if (!isLogin || factor.counting === 'recovery') return null;
  if (!isAskedFor(visit.readField(settings.field))) return null;

  const { address } = visit;
  const value = visit.cookies.read(settings.cookieName);
  const label = visit.readLabel();
  const prepared = await devices.prepare({ user, value, address, label });
  return prepared && { puts: [withCookie(visit, settings.cookieName, prepared)] };
}

/**
 * The values of a ticked box, with and without a `value` attribute. JSON may also send a boolean.
 */
const YES: readonly unknown[] = ['on', 'true', '1', 'yes', true];

function isAskedFor(field: unknown): boolean {
  return YES.includes(typeof field === 'string' ? field.toLowerCase() : field);
}
