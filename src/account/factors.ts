import { randomBytes } from 'node:crypto';
import { optionError } from '../errors';
import type { AppUserId, LoginContext } from '../login/context';
import { readOnly, spentCodesCounter } from '../limits/failures';
import { isUser, toUserIdText } from '../login/users';
import { createDeviceRegistry, createDeviceTokens } from './device-tokens';
import { createRecoveryCodes, type RecoveryCodes } from './recovery-codes';
import {
  createDeviceAdmin,
  createDeviceAuthenticator,
  createDeviceBinding,
  type DeviceAdmin,
  type DeviceAuthenticator,
  type TrustedDevicesOption,
} from './trusted-devices';

/**
 * Another second factor beside the text message. The library counts attempts, locks, and marks the
 * session, for all factors together. For a login or a step-up; it confirms no number and approves
 * no transaction.
 */
export type Factor<User = Express.User> = CodeFactor<User> | ChallengeFactor<User>;

interface FactorBase<User> {
  /** Its name, and the `method` of the mark: small letters, digits and hyphens. */
  readonly name: string;
  /**
   * The value that `req.authInfo.amr` has after the first factor's; RFC 8176. Default: the name.
   */
  readonly amr?: string | undefined;
  /**
   * The value that `claims(req).acr` has, and that `acrValues` of a guard asks for, such as `phr`.
   * Default: `mfa`.
   */
  readonly acr?: string | undefined;
  /** The field of the body that holds its code, or its response. Default: `fields.code`. */
  readonly field?: string | undefined;
  /**
   * Returns whether this user can use the factor now. Only `true` means yes; a throw goes to the
   * app's error handler. Default: every user can.
   */
  isAvailable?(user: User): boolean | Promise<boolean>;
}

/**
 * A factor whose code the user enters, such as an authenticator app's. That a code works only once
 * is up to the callback.
 */
export interface CodeFactor<User = Express.User> extends FactorBase<User> {
  /**
   * Returns whether the code is this user's. Only `true` means yes; a throw goes to the app's error
   * handler and counts as an attempt.
   */
  check(claimed: FactorCheck<User>): boolean | Promise<boolean>;
}

/**
 * A factor that answers a challenge, such as a passkey. The library makes the challenge and keeps
 * it with the pending login: it is good once, for five minutes at most, and for nothing else.
 */
export interface ChallengeFactor<User = Express.User> extends FactorBase<User> {
  /**
   * Returns what `optionsWith` sends to the browser as JSON, with the challenge in it. A throw goes
   * to the app's error handler.
   */
  createOptions(challenged: FactorChallenged<User>): object | Promise<object>;
  /**
   * Returns whether the response answers this challenge for this user. Only `true` means yes; a
   * throw goes to the app's error handler and counts as an attempt.
   */
  checkResponse(answered: FactorResponse<User>): boolean | Promise<boolean>;
}

/** Who passes a factor. */
interface FactorUser<User> {
  readonly user: User;
  readonly userId: string;
  /** The client's address as Express returns it (`req.ip`); undefined when there is none. */
  readonly address: string | undefined;
}

/** Whom a challenge is for. */
export interface FactorChallenged<User = Express.User> extends FactorUser<User> {
  readonly purpose: 'login' | 'step-up';
  /** 32 random bytes as base64url. */
  readonly challenge: string;
}

/** A response to a challenge. */
export interface FactorResponse<User = Express.User> extends FactorChallenged<User> {
  /** The JSON object of the body's field, unchecked: at most 16,384 characters. */
  readonly response: object;
}

/** A code of another factor, as a user has entered it. */
export interface FactorCheck<User = Express.User> extends FactorUser<User> {
  /** As typed, trimmed: 1 to 128 characters. */
  readonly code: string;
}

/**
 * Lists the factors, besides texts, that a user can use now. Throws what the app's callbacks throw.
 */
export type ListFactors = (user: Express.User, userId: string) => Promise<readonly string[]>;

export function createFactorLister(
  factors: readonly Factor[],
  recoveryCodes: Pick<RecoveryCodes, 'count'> | undefined,
): ListFactors {
  return async function listFactors(user, userId) {
    // Most apps have neither.
    if (factors.length === 0 && recoveryCodes === undefined) return [];
    const asked = factors.map(async (factor) => {
      const isAvailable: unknown =
        factor.isAvailable === undefined || (await factor.isAvailable(user));
      return isAvailable === true ? [factor.name] : [];
    });
    const named = (await Promise.all(asked)).flat();
    const left = recoveryCodes === undefined ? 0 : await recoveryCodes.count(userId);
    return left > 0 ? [...named, 'recovery-code'] : named;
  };
}

/**
 * Makes the check whether a user can pass a second factor, by a number or a factor of the app's
 * that says so, or could until the last recovery code was spent. Where there still are codes, the
 * store makes no first ones.
 */
export function createFactorCheck(
  { store, loadUser, listPhones }: Pick<LoginContext, 'store' | 'loadUser' | 'listPhones'>,
  factors: readonly Factor[],
): (id: unknown) => Promise<boolean> {
  return async function hasFactor(id) {
    const { userId } = toUserIdText(id);
    const { counts } = await store.counters.charge(readOnly([spentCodesCounter(userId)]));
    if (counts[0]?.count !== 0) return true;
    // The app has given it as the id of one of its users.
    const user: unknown = await loadUser(id as AppUserId);
    if (!isUser(user)) return false;
    if ((await listPhones(user)).length > 0) return true;
    const asked = factors.map(async (factor): Promise<unknown> => factor.isAvailable?.(user));
    return (await Promise.all(asked)).includes(true);
  };
}

/** Recovery codes and trusted devices, where they are configured. */
export interface LoginFactors {
  readonly recoveryCodes: RecoveryCodes | undefined;
  readonly devices: (DeviceAuthenticator & DeviceAdmin) | undefined;
}

interface FactorSettings {
  readonly recoveryCodes?: { readonly count: number } | undefined;
  readonly trustedDevices?:
    | (TrustedDevicesOption & { maxAgeDays: number; maxDevices: number })
    | undefined;
}

/** @throws {TypeError} when the store lacks a part that an option needs. */
export function createFactors(
  login: LoginContext,
  { recoveryCodes, trustedDevices }: FactorSettings,
): LoginFactors {
  const { store, now, createDigests } = login;
  const digests = createDigests('factors');
  const joinDevices = (settings: NonNullable<typeof trustedDevices>): LoginFactors['devices'] => {
    const tokens = createDeviceTokens(digests, randomBytes);
    const devices = requirePart(store.devices, 'devices', 'trustedDevices');
    const registry = createDeviceRegistry({ ...settings, store: devices, tokens, now });
    const bind = createDeviceBinding(login, settings, digests);
    return {
      ...createDeviceAuthenticator(login, registry, bind),
      ...createDeviceAdmin(login, registry),
    };
  };
  return {
    recoveryCodes:
      recoveryCodes &&
      createRecoveryCodes({
        ...recoveryCodes,
        store: requirePart(store.recoveryCodes, 'recoveryCodes'),
        digests,
        randomBytes,
      }),
    devices: trustedDevices && joinDevices(trustedDevices),
  };
}

/** Returns the store's part. @throws {TypeError} when it has none. */
export function requirePart<Part>(part: Part | undefined, name: string, option = name): Part {
  if (part !== undefined) return part;
  throw optionError(
    'createSmsOtp',
    'store',
    `has no part ${name}, which the option ${option} needs`,
  );
}
