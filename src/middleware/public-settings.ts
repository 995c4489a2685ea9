import type { Request } from 'express';
import { isAccepted } from '../core/accepted-factors';
import type { Core } from '../core/context';
import { findPhones } from '../core/phones';
import { findPreferred } from '../core/preferred-factor';
import type { ListFactors } from '../core/user-factors';
import { readId, toUserIdText } from '../core/users';
import type { UserId } from '../stores/store';
import type { MiddlewareContext } from './context';
import { findWanted } from './kept-page';
import type { Paths } from './paths';

/** Facts about the options of `createSmsOtp` that pages need. Frozen, and without any secret. */
export interface SmsOtpSettings {
  readonly appName: string | undefined;
  /** Every path, including those with their default; undefined without the option `paths`. */
  readonly paths: Paths | undefined;
  /** The names of the fields in forms. */
  readonly fields: FieldNames;
  /** The locales of the default message, the default locale first. */
  readonly locales: readonly string[];
  /** The countries that may get messages. */
  readonly allowedCountries: readonly string[] | 'any';
  /** Whether users add numbers themselves. */
  readonly hasPhones: boolean;
  readonly hasRecoveryCodes: boolean;
  readonly hasLogins: boolean;
  /** Days that a device is trusted; null: no device is. */
  readonly trustedDeviceDays: number | null;
  /** The app's own factors. */
  readonly factors: readonly FactorFacts[];
  /**
   * Resolves to the factor that `stepUp` asks for first, among those that the last guard accepts:
   * `'sms'` if it sends a message, `'recovery-code'`, or a name of `factors`. Null: the user has
   * none of them. Calls `preferredFactor`, and rejects with its error.
   */
  readonly findPreferredFactor: (user: Express.User, req: Request) => Promise<string | null>;
  /**
   * Returns the id of a user.
   * @throws {TypeError} if it is not a valid id.
   */
  readonly getUserId: (user: Express.User) => UserId;
  /** Returns the time of the option `now`, in milliseconds since 1970. */
  readonly now: () => number;
}

/** One of the app's own factors. */
export interface FactorFacts {
  readonly name: string;
  /** Whether the user types a code, or the browser answers a challenge. */
  readonly kind: 'typed' | 'challenge';
  /** The form field of its code or response. */
  readonly field: string;
}

/** The names of the fields in forms. */
export interface FieldNames {
  readonly code: string;
  readonly phone: string;
  readonly phoneId: string;
  readonly recoveryCode: string;
  readonly trustDevice: string;
}

/** The checked options that are read here. */
interface GivenSettings extends Pick<SmsOtpSettings, 'fields' | 'allowedCountries' | 'now'> {
  readonly appName?: string | undefined;
  readonly paths?: Paths | undefined;
  readonly phoneBook?: object | undefined;
  readonly recoveryCodes?: object | undefined;
  readonly logins: object | false;
  readonly trustedDevices?: { readonly maxAgeDays: number } | undefined;
  readonly factors: readonly {
    readonly name: string;
    readonly field?: string | undefined;
    readonly check?: unknown;
  }[];
  readonly getUserId?: ((user: Express.User) => UserId) | undefined;
}

/** Creates `findPreferredFactor`. */
export function createPreferredFinder(
  core: Core,
  listFactors: ListFactors,
  context: MiddlewareContext,
): SmsOtpSettings['findPreferredFactor'] {
  return async function findPreferredFactor(user, req) {
    const methods = findWanted(context.slot.peek(req) ?? {}, context.now())?.methods;
    const listed = await listFactors(user, toUserIdText(core.getUserId(user)).userId);
    const factors = listed.filter((factor) => isAccepted(methods, factor));
    const preferred = await findPreferred(factors, () => context.getPreferredFactor(user, req));
    if (preferred !== null) return preferred;

    if (!isAccepted(methods, 'sms')) return factors[0] ?? null;
    const phones = await findPhones(core, user);
    return 'reason' in phones || phones.length === 0 ? null : 'sms';
  };
}

/** Returns the facts that `smsOtp.settings` shows. */
export function toPublicSettings(
  given: GivenSettings,
  locales: readonly string[],
  findPreferredFactor: SmsOtpSettings['findPreferredFactor'],
): SmsOtpSettings {
  const { appName, paths, fields, allowedCountries, getUserId = readId } = given;
  const factors = given.factors.map(({ name, field = fields.code, check }): FactorFacts => {
    const kind = check === undefined ? 'challenge' : 'typed';
    return Object.freeze({ name, kind, field });
  });
  return Object.freeze({
    appName,
    paths: paths && Object.freeze({ ...paths }),
    fields: Object.freeze({ ...fields }),
    locales: Object.freeze([...locales]),
    allowedCountries,
    hasPhones: given.phoneBook !== undefined,
    hasRecoveryCodes: given.recoveryCodes !== undefined,
    hasLogins: given.logins !== false,
    trustedDeviceDays: given.trustedDevices?.maxAgeDays ?? null,
    factors: Object.freeze(factors),
    findPreferredFactor,
    getUserId,
    now: given.now,
  });
}
