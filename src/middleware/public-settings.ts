import type { Request } from 'express';
import { isAccepted } from '../core/accepted-factors';
import { listSenders } from '../core/choose-address';
import type { Core } from '../core/context';
import type { SentFactor } from '../core/feature';
import { findAddresses } from '../core/phones';
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
   * `'sms'` if it sends a text message, `'recovery-code'`, or a name of `factors`. Null: the user
   * has none of them. Calls `preferredFactor`, and rejects with its error.
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
  /** Whether the user types a code, the browser answers a challenge, or a code is sent. */
  readonly kind: 'typed' | 'challenge' | 'delivered';
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
    readonly gateway?: unknown;
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
    const senders = listSenders(core, 'step-up', methods);
    const usable = await findUsable(senders, user);
    const getPreferred = (): unknown => context.getPreferredFactor(user, req);
    const isChoice = factors.length > 0 || usable.length > 1;
    const all = isChoice ? [...factors, ...usable] : [];
    const preferred = await findPreferred(all, getPreferred);
    if (preferred !== null) return preferred;
    return usable[0] ?? (senders.length === 0 ? (factors[0] ?? null) : null);
  };
}

/** Returns the factors that can send a code to a user now. */
async function findUsable(
  senders: readonly SentFactor[],
  user: Express.User,
): Promise<readonly string[]> {
  const usable: string[] = [];
  for (const sender of senders) {
    const addresses = await findAddresses(sender, user);
    if (!('reason' in addresses) && addresses.length > 0) usable.push(sender.method);
  }
  return usable;
}

function kindOf({ check, gateway }: GivenSettings['factors'][number]): FactorFacts['kind'] {
  if (gateway !== undefined) return 'delivered';
  return check === undefined ? 'challenge' : 'typed';
}

/** Returns the facts that `smsOtp.settings` shows. */
export function toPublicSettings(
  given: GivenSettings,
  locales: readonly string[],
  findPreferredFactor: SmsOtpSettings['findPreferredFactor'],
): SmsOtpSettings {
  const { appName, paths, fields, allowedCountries, getUserId = readId } = given;
  const factors = given.factors.map((factor): FactorFacts => {
    const { name, field = fields.code } = factor;
    return Object.freeze({ name, kind: kindOf(factor), field });
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
