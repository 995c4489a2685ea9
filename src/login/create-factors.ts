import { randomBytes } from 'node:crypto';
import { createDeviceBook, createDeviceTokens } from '../account/device-tokens';
import { createKeyedDigest, type KeyedDigest } from '../account/keyed-digest';
import { createRecoveryCodes, type RecoveryCodes } from '../account/recovery-codes';
import {
  createDeviceAdmin,
  createDeviceBinding,
  createDeviceJudge,
  type DeviceAdmin,
  type DeviceJudge,
  type TrustedDevicesOption,
} from '../account/trusted-devices';
import { optionError } from '../errors';
import type { LoginParts } from './context';

/** The options of the ways around the text message, complete. */
export interface FactorSettings {
  readonly recoveryCodes?: { readonly count: number } | undefined;
  readonly trustedDevices?: (TrustedDevicesOption & { maxAgeDays: number; maxDevices: number }) | undefined;
}

/** Recovery codes and trusted devices, where they are configured. */
export interface LoginFactors {
  readonly recoveryCodes: RecoveryCodes | undefined;
  readonly devices: (DeviceJudge & DeviceAdmin) | undefined;
}

/** @throws {TypeError} when the store has no place for what is configured. */
export function joinFactors(parts: LoginParts, settings: FactorSettings): LoginFactors {
  const { recoveryCodes, trustedDevices } = settings;
  const digest = createKeyedDigest(() => parts.makeKey('factors'));
  return {
    recoveryCodes: recoveryCodes && joinRecoveryCodes(parts, recoveryCodes, digest),
    devices: trustedDevices && joinDevices(parts, trustedDevices, digest),
  };
}

function joinRecoveryCodes(
  { store }: LoginParts,
  { count }: { readonly count: number },
  digest: KeyedDigest,
): RecoveryCodes {
  const { recoveryCodes } = store;
  if (recoveryCodes === undefined) throw missingPart('recoveryCodes', 'recoveryCodes');
  return createRecoveryCodes({ store: recoveryCodes, digest, count, randomBytes });
}

function joinDevices(
  parts: LoginParts,
  settings: NonNullable<FactorSettings['trustedDevices']>,
  digest: KeyedDigest,
): DeviceJudge & DeviceAdmin {
  const { devices } = parts.store;
  if (devices === undefined) throw missingPart('devices', 'trustedDevices');
  const { maxAgeDays, maxDevices } = settings;
  const tokens = createDeviceTokens(digest, randomBytes);
  const book = createDeviceBook({ store: devices, tokens, maxAgeDays, maxDevices, now: parts.now });
  const bind = createDeviceBinding(parts, settings, digest);
  return { ...createDeviceJudge(parts, book, bind), ...createDeviceAdmin(parts, book) };
}

function missingPart(part: string, option: string): TypeError {
  return optionError('createSmsOtp', 'store', `has no part ${part}, which the option ${option} needs`);
}
