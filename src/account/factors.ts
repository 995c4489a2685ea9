import { randomBytes } from 'node:crypto';
import { createDeviceRegistry, createDeviceTokens } from './device-tokens';
import { createRecoveryCodes, type RecoveryCodes } from './recovery-codes';
import {
  createDeviceAdmin,
  createDeviceBinding,
  createDeviceAuthenticator,
  type DeviceAdmin,
  type DeviceAuthenticator,
  type TrustedDevicesOption,
} from './trusted-devices';
import { optionError } from '../errors';
import { createKeyedDigest, type KeyedDigest, type LoginContext } from '../login/context';

/** A code of another factor, as a user has entered it. */
export interface FactorCheck<User = Express.User> {
  readonly user: User;
  readonly userId: string;
  /** As typed, trimmed: 1 to 128 characters. */
  readonly code: string;
  /** The client's address as Express gives it (`req.ip`); undefined when there is none. */
  readonly address: string | undefined;
}

/**
 * Another second factor beside the text message: a code that the user enters and a callback checks. Attempts, locks, the
 * user's failures and the session are the library's business and shared by all factors; that a code works once is the
 * callback's.
 */
export interface Factor<User = Express.User> {
  /** Its name, and the `method` of the mark: small letters, digits and hyphens. */
  readonly name: string;
  /** What `req.authInfo.amr` tells beside `pwd`; RFC 8176. Default: the name. */
  readonly amr?: string | undefined;
  /** The field of the body that holds its code. Default: `fields.code`. */
  readonly field?: string | undefined;
  /** Whether the code is this user's. Only `true` means yes; a throw goes to the app's error handler and counts as an attempt. */
  check(claimed: FactorCheck<User>): boolean | Promise<boolean>;
}

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
