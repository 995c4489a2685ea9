import type { HLR_ERRORS } from '../../protocol/error-codes';
import type { AdvancedStatus, LookupStatus } from '../../protocol/hlr';
import { toDigits } from '../../protocol/mobile';
import data = require('./networks.json');

/**
 * The simulated countries. Their codes are real. The dialling code has no plus. `prefixes` are
 * those of the country's numbers if several countries share the code. Prices of lookups are decimal
 * strings.
 */
export const COUNTRIES = data.countries;

/**
 * The simulated networks. Their operators are invented. An operator with several MNCs has one row
 * for each (OTP spec §2). Prices of messages are decimal strings.
 */
export const NETWORKS = data.networks;

/** The price of a message to a network that is not listed. */
export const UNLISTED_PRICE = '0.0500';

type Country = (typeof COUNTRIES)[number];
export type SimulatedNetwork = (typeof NETWORKS)[number];

const byPrefix = COUNTRIES.flatMap((country) =>
  (country.prefixes ?? [country.dialCode]).map((prefix) => [prefix, country] as const),
).sort(([one], [other]) => other.length - one.length);

/** Returns the country of a number by its longest prefix. Null if there is none. */
function findCountry(digits: string): Country | null {
  return byPrefix.find(([prefix]) => digits.startsWith(prefix))?.[1] ?? null;
}

export function messagePrice(mcc: string, mnc: string): string {
  return (
    NETWORKS.find((network) => network.mcc === mcc && network.mnc === mnc)?.price ?? UNLISTED_PRICE
  );
}

/** The entry of a number in the home location register. HLR spec §2. */
export interface Subscriber {
  readonly status: LookupStatus | (string & {});
  /** Set if the number is invalid. */
  readonly advancedStatus?: AdvancedStatus | (string & {});
  readonly mcc: string;
  readonly mnc: string;
  /** "0" if unavailable. */
  readonly imsi: string;
  /** "0" if unavailable. */
  readonly msc: string;
  readonly country: string;
  readonly operator: string;
  /** The error with which every lookup of the number is rejected. HLR spec §7. */
  readonly lookupError?: keyof typeof HLR_ERRORS | undefined;
}

/** The simulated subscribers. A number that was never set has one made from its digits. */
export class Subscribers {
  readonly #set = new Map<string, Subscriber>();

  /**
   * Returns the subscriber of a number. The plus is optional. Undefined if the number has no
   * network.
   */
  get(mobile: string): Subscriber | undefined {
    const digits = requireDigits(mobile);
    return this.#set.get(digits) ?? createSubscriber(digits);
  }

  /** Sets the given fields and keeps the others. */
  set(mobile: string, changes: Partial<Subscriber>): this {
    const digits = requireDigits(mobile);
    this.#set.set(digits, { ...(this.get(digits) ?? UNLISTED_SUBSCRIBER), ...changes });
    return this;
  }

  /** Returns true if the number was set. */
  has(mobile: string): boolean {
    return this.#set.has(requireDigits(mobile));
  }

  /** Restores the subscriber made from the digits of the number. */
  delete(mobile: string): boolean {
    return this.#set.delete(requireDigits(mobile));
  }
}

const UNLISTED_SUBSCRIBER: Subscriber = {
  status: 'valid',
  mcc: '901',
  mnc: '01',
  imsi: '0',
  msc: '0',
  country: 'International',
  operator: 'Unlisted',
};

function requireDigits(mobile: string): string {
  const digits = toDigits(mobile);
  if (digits === null) throw new TypeError('A mobile has 7 to 15 digits, with or without a plus');
  return digits;
}

function createSubscriber(digits: string): Subscriber | undefined {
  const country = findCountry(digits);
  const networks = NETWORKS.filter(({ iso }) => iso === country?.iso);
  const network = networks[Number(digits.slice(-1)) % networks.length];
  if (country === null || network === undefined) return undefined;

  const { mcc, mnc } = network;
  return {
    status: 'valid',
    mcc,
    mnc,
    imsi: (mcc + mnc + digits.slice(-10).padStart(10, '0')).slice(0, 15),
    msc: `${country.dialCode}9000000`,
    country: country.name,
    operator: network.operator,
  };
}

/**
 * Returns the price of a lookup: that of the country, or the highest of all if the country is
 * unknown.
 */
export function lookupPrice(digits: string): string {
  const prices = COUNTRIES.map((country) => country.lookupPrice).sort();
  return findCountry(digits)?.lookupPrice ?? prices.at(-1) ?? '0';
}
