import type { HLR_ERRORS } from '../../protocol/error-codes';
import type { AdvancedStatus, LookupStatus } from '../../protocol/hlr';
import { toDigits } from '../../protocol/mobile';

/**
 * The simulated countries, whose codes are real: the dialling code has no plus, and `prefixes` are those of the country's
 * numbers where several countries share it. Prices of lookups are decimal strings.
 */
export const COUNTRIES = [
  { iso: 'US', name: 'United States', dialCode: '1', lookupPrice: '0.0050' },
  {
    iso: 'CA',
    name: 'Canada',
    dialCode: '1',
    prefixes: ['1403', '1416', '1438', '1514', '1604', '1613', '1647', '1780'],
    lookupPrice: '0.0050',
  },
  { iso: 'GB', name: 'United Kingdom', dialCode: '44', lookupPrice: '0.0060' },
  { iso: 'DE', name: 'Germany', dialCode: '49', lookupPrice: '0.0080' },
  { iso: 'FR', name: 'France', dialCode: '33', lookupPrice: '0.0070' },
  { iso: 'ES', name: 'Spain', dialCode: '34', lookupPrice: '0.0070' },
  { iso: 'CH', name: 'Switzerland', dialCode: '41', lookupPrice: '0.0090' },
  { iso: 'AT', name: 'Austria', dialCode: '43', lookupPrice: '0.0080' },
  { iso: 'IN', name: 'India', dialCode: '91', lookupPrice: '0.0030' },
  { iso: 'BR', name: 'Brazil', dialCode: '55', lookupPrice: '0.0060' },
  { iso: 'AU', name: 'Australia', dialCode: '61', lookupPrice: '0.0070' },
  { iso: 'JP', name: 'Japan', dialCode: '81', lookupPrice: '0.0100' },
];

/**
 * The simulated networks, with the price of a text message. The operators are invented.
 * OTP spec §2: an operator with several MNCs has one row for each.
 */
export const NETWORKS = [
  { iso: 'US', mcc: '310', mnc: '260', operator: 'Northstar Cellular', price: '0.0075' },
  { iso: 'US', mcc: '310', mnc: '160', operator: 'Northstar Cellular', price: '0.0075' },
  { iso: 'US', mcc: '311', mnc: '480', operator: 'Great Lakes Wireless', price: '0.0083' },
  { iso: 'US', mcc: '310', mnc: '410', operator: 'Lone Pine Mobile', price: '0.0079' },
  { iso: 'CA', mcc: '302', mnc: '220', operator: 'Maple Wireless', price: '0.0068' },
  { iso: 'CA', mcc: '302', mnc: '720', operator: 'Borealis Mobile', price: '0.0068' },
  { iso: 'GB', mcc: '234', mnc: '10', operator: 'Thames Mobile', price: '0.0400' },
  { iso: 'GB', mcc: '234', mnc: '15', operator: 'Albion Cellular', price: '0.0410' },
  { iso: 'GB', mcc: '234', mnc: '30', operator: 'Albion Cellular', price: '0.0410' },
  { iso: 'DE', mcc: '262', mnc: '01', operator: 'Rheinfunk', price: '0.0750' },
  { iso: 'DE', mcc: '262', mnc: '06', operator: 'Rheinfunk', price: '0.0750' },
  { iso: 'DE', mcc: '262', mnc: '02', operator: 'Nordlicht Mobil', price: '0.0780' },
  { iso: 'FR', mcc: '208', mnc: '01', operator: 'Hexagone Mobile', price: '0.0520' },
  { iso: 'FR', mcc: '208', mnc: '500', operator: 'Hexagone Mobile', price: '0.0520' },
  { iso: 'FR', mcc: '208', mnc: '10', operator: 'Mistral Telecom', price: '0.0540' },
  { iso: 'ES', mcc: '214', mnc: '07', operator: 'Iberia Celular', price: '0.0610' },
  { iso: 'CH', mcc: '228', mnc: '01', operator: 'Alpenfunk', price: '0.0600' },
  { iso: 'AT', mcc: '232', mnc: '03', operator: 'Donau Mobil', price: '0.0690' },
  { iso: 'IN', mcc: '404', mnc: '45', operator: 'Monsoon Telecom', price: '0.0150' },
  { iso: 'IN', mcc: '405', mnc: '840', operator: 'Monsoon Telecom', price: '0.0150' },
  { iso: 'BR', mcc: '724', mnc: '05', operator: 'Cerrado Celular', price: '0.0240' },
  { iso: 'AU', mcc: '505', mnc: '01', operator: 'Southern Cross Mobile', price: '0.0350' },
  { iso: 'JP', mcc: '440', mnc: '10', operator: 'Sakura Mobile', price: '0.0720' },
];

/** Price of a text message to a network that is not listed. */
export const UNLISTED_PRICE = '0.0500';

export type Country = (typeof COUNTRIES)[number];
export type Network = (typeof NETWORKS)[number];

const byPrefix = COUNTRIES.flatMap((country) =>
  (country.prefixes ?? [country.dialCode]).map((prefix) => [prefix, country] as const),
).sort(([one], [other]) => other.length - one.length);

/** Returns the country of a number, by its longest prefix, or null. */
function findCountry(digits: string): Country | null {
  return byPrefix.find(([prefix]) => digits.startsWith(prefix))?.[1] ?? null;
}

export function messagePrice(mcc: string, mnc: string): string {
  return NETWORKS.find((network) => network.mcc === mcc && network.mnc === mnc)?.price ?? UNLISTED_PRICE;
}

/** What the home location register knows about a number. HLR spec §2. */
export interface Subscriber {
  readonly status: LookupStatus | (string & {});
  /** Present when the number is invalid. */
  readonly advancedStatus?: AdvancedStatus | (string & {});
  readonly mcc: string;
  readonly mnc: string;
  /** "0" when unavailable. */
  readonly imsi: string;
  /** "0" when unavailable. */
  readonly msc: string;
  readonly country: string;
  readonly operator: string;
  /** Every lookup of the number is refused with this error. HLR spec §7. */
  readonly lookupError?: keyof typeof HLR_ERRORS | undefined;
}

/** The simulated subscribers. A number that was never set has one made from its digits. */
export class Subscribers {
  readonly #set = new Map<string, Subscriber>();

  /** Returns the subscriber of a number, with or without plus; undefined when there is no network for it. */
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

  /** Returns true when the number was set. */
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
  const { mcc, mnc, operator } = network;
  return {
    status: 'valid',
    mcc,
    mnc,
    imsi: (mcc + mnc + digits.slice(-10).padStart(10, '0')).slice(0, 15),
    msc: `${country.dialCode}9000000`,
    country: country.name,
    operator,
  };
}

/** Returns the price of a lookup: the country's, or the highest of all when the country is unknown. */
export function lookupPrice(digits: string): string {
  const prices = COUNTRIES.map((country) => country.lookupPrice).sort();
  return findCountry(digits)?.lookupPrice ?? prices.at(-1) ?? '0';
}
