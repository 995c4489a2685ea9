import { randomBytes } from 'node:crypto';
import { createDeviceRegistry, createDeviceTokens } from '../account/device-tokens';
import { createKeyedDigest, type KeyedDigest } from '../account/keyed-digest';
import { createRecoveryCodes, type RecoveryCodes } from '../account/recovery-codes';
import {
  createDeviceAdmin,
  createDeviceBinding,
  createDeviceAuthenticator,
  type DeviceAdmin,
  type DeviceAuthenticator,
  type TrustedDevicesOption,
} from '../account/trusted-devices';
import { optionError } from '../errors';
import type { LoginContext } from './context';

/** The options of the ways around the text message, complete. */
export interface FactorOptions {
  readonly recoveryCodes?: { readonly count: number } | undefined;
  readonly trustedDevices?: (TrustedDevicesOption & { maxAgeDays: number; maxDevices: number }) | undefined;
}

/** Recovery codes and trusted devices, where they are configured. */
export interface LoginFactors {
  readonly recoveryCodes: RecoveryCodes | undefined;
  readonly devices: (DeviceAuthenticator & DeviceAdmin) | undefined;
}

/** @throws {TypeError} when the store has no place for what is configured. */
export function createFactors(parts: LoginContext, settings: FactorOptions): LoginFactors {
  const { recoveryCodes, trustedDevices } = settings;
  const digest = createKeyedDigest(() => parts.deriveKey('factors'));
  return {
    recoveryCodes: recoveryCodes && joinRecoveryCodes(parts, recoveryCodes, digest),
    devices: trustedDevices && joinDevices(parts, trustedDevices, digest),
  };
}

function joinRecoveryCodes(
  { store }: LoginContext,
  { count }: { readonly count: number },
  digest: KeyedDigest,
): RecoveryCodes {
  const { recoveryCodes } = store;
  if (recoveryCodes === undefined) throw missingPart('recoveryCodes', 'recoveryCodes');
  return createRecoveryCodes({ store: recoveryCodes, digest, count, randomBytes });
}

function joinDevices(
  parts: LoginContext,
  settings: NonNullable<FactorOptions['trustedDevices']>,
  digest: KeyedDigest,
): DeviceAuthenticator & DeviceAdmin {
  const { devices } = parts.store;
  if (devices === undefined) throw missingPart('devices', 'trustedDevices');
  const { maxAgeDays, maxDevices } = settings;
  const tokens = createDeviceTokens(digest, randomBytes);
  const book = createDeviceRegistry({ store: devices, tokens, maxAgeDays, maxDevices, now: parts.now });
  const bind = createDeviceBinding(parts, settings, digest);
  return { ...createDeviceAuthenticator(parts, book, bind), ...createDeviceAdmin(parts, book) };
}

function missingPart(part: string, option: string): TypeError {
  return optionError('createSmsOtp', 'store', `has no part ${part}, which the option ${option} needs`);
}
