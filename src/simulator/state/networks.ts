/** A simulated network. The country codes are real, the operators are invented. */
export interface Network {
  readonly iso: string;
  readonly mcc: string;
  readonly mnc: string;
  readonly operator: string;
  /** Decimal price of a text message. */
  readonly price: string;
}

/** A simulated country. */
export interface Country {
  readonly iso: string;
  readonly name: string;
  /** Dialling code without plus. */
  readonly dialCode: string;
  /** Prefixes of the country's numbers, where several countries share the dialling code. */
  readonly prefixes?: readonly string[];
  /** Decimal price of a lookup. */
  readonly lookupPrice: string;
}

export const COUNTRIES: readonly Country[] = [
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

/** OTP spec §2: an operator with several MNCs has one row for each. */
export const NETWORKS: readonly Network[] = [
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

const byPrefix: readonly (readonly [string, Country])[] = COUNTRIES.flatMap((country) =>
  (country.prefixes ?? [country.dialCode]).map((prefix) => [prefix, country] as const),
).sort(([one], [other]) => other.length - one.length);

/** Returns the country of a number, by its longest prefix, or null. */
export function findCountry(digits: string): Country | null {
  return byPrefix.find(([prefix]) => digits.startsWith(prefix))?.[1] ?? null;
}

/** Returns the price of a text message on a network. */
export function messagePrice(mcc: string, mnc: string): string {
  return NETWORKS.find((network) => network.mcc === mcc && network.mnc === mnc)?.price ?? UNLISTED_PRICE;
}
