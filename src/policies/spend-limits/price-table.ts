import type { NetworkPrice, PriceList } from '../../protocol/account';
import type { CountryPrice } from '../../protocol/hlr';
import type { Network } from '../network';
import { toMicros } from './micros';
import otherNames = require('./country-names.json');

/** Both price lists joined: the highest price of a message. Amounts are millionths. */
export interface PriceTable {
  readonly networksByMcc: ReadonlyMap<string, readonly MessageRow[]>;
  /** The highest price by ISO code. */
  readonly highestByCountry: ReadonlyMap<string, number>;
  /** The highest price by dialling code, without plus. */
  readonly highestByDialCode: ReadonlyMap<string, number>;
  /** The highest price of a lookup, by ISO code and by dialling code. */
  readonly lookupPrices: ReadonlyMap<string, number>;
  readonly problems: readonly PriceListProblem[];
}

/** A problem of a price list, and the number of rows it affects. */
export interface PriceListProblem {
  readonly problem: string;
  readonly rows: number;
}

/** A usable row of the price list of messages. */
interface MessageRow {
  readonly mcc: string;
  readonly mnc: string;
  /** The operator's name, normalized to group the rows of one operator. */
  readonly operator: string | null;
  /** The ISO code. Undefined if the country's name is unknown. */
  readonly iso: string | undefined;
  readonly micros: number;
}

/**
 * Joins the list of messages, which has networks and names of countries, with the list of lookups,
 * which has names, ISO codes and dialling codes. Without the second list, as in an account without
 * lookups, the platform's names and codes are used.
 * @see OTP spec §2, HLR spec §2, pricing objects
 */
export function createPriceTable(
  messages: PriceList<NetworkPrice>,
  lookups: PriceList<CountryPrice> | null,
  regions: readonly Region[],
): PriceTable {
  const countries = readCountryRows(lookups);
  // Collect names that differ from the platform's by more than case, accents and punctuation.
  const others = Object.entries(otherNames).flatMap(([iso, names]) =>
    names.map((name) => ({ iso, name })),
  );
  const names = new Map(
    [...regions, ...others, ...countries].map((one) => [normalizeName(one.name), one.iso]),
  );

  const rows = readMessageRows(messages, names);
  const highestByCountry = findHighest(rows.map((row) => [row.iso, row.micros]));
  // Use one price for countries that share a dialling code: the highest.
  const highestByDialCode = findHighest(
    [...regions, ...countries].map((one) => [one.dialCode, highestByCountry.get(one.iso)]),
  );

  return {
    networksByMcc: groupByMcc(rows.filter(hasNetworkCodes)),
    highestByCountry,
    highestByDialCode,
    lookupPrices: findHighest(
      countries.flatMap((country) => [
        [country.iso, country.micros],
        [country.dialCode, country.micros],
      ]),
    ),
    problems: findProblems(messages, lookups, rows, countries.length),
  };
}

function groupByMcc(networks: readonly MessageRow[]): ReadonlyMap<string, readonly MessageRow[]> {
  const groups = new Map<string, MessageRow[]>();
  for (const row of networks) {
    const group = groups.get(row.mcc);
    if (group === undefined) groups.set(row.mcc, [row]);
    else group.push(row);
  }
  return groups;
}

/**
 * Returns every row with a usable price. A price of 0 is not usable: it would turn off every
 * budget.
 */
function readMessageRows(
  messages: PriceList<NetworkPrice>,
  names: ReadonlyMap<string, string>,
): MessageRow[] {
  const normalize = createNormalizer();

  return messages.pricing.flatMap((network) => {
    const { mcc, mnc, operatorName, countryName } = network;
    const micros = toMicros(network.price);
    if (micros === null || micros <= 0) return [];

    const operator = operatorName === null ? null : normalize(operatorName);
    const iso = countryName === null ? undefined : names.get(normalize(countryName));
    return [{ mcc, mnc, operator, iso, micros }];
  });
}

/**
 * Returns the countries of the price list of lookups that have a name, an ISO code and a dialling
 * code. HLR spec §2.
 */
function readCountryRows(lookups: PriceList<CountryPrice> | null): readonly CountryRow[] {
  return (lookups?.pricing ?? []).flatMap((country) => {
    const iso = country.countryIso?.toUpperCase() ?? '';
    const name = country.countryName;
    const { dialCode } = DIAL_CODE.exec(country.countryCode)?.groups ?? {};
    if (!/^[A-Z]{2}$/.test(iso) || name === null || dialCode === undefined) return [];

    // Convert the code: price lists often use UK for the United Kingdom, whose ISO code is GB.
    const micros = toMicros(country.price) ?? undefined;
    return [{ iso: iso === 'UK' ? 'GB' : iso, name, dialCode, micros }];
  });
}

const DIAL_CODE = /^\+?(?<dialCode>[1-9][0-9]{0,6})$/;

/** A country of the price list of lookups. */
interface CountryRow extends Region {
  /** The price of a lookup. Undefined if it cannot be read. */
  readonly micros: number | undefined;
}

/** Returns true if both codes of the network are well-formed. Some lists write "1" for "01". */
function hasNetworkCodes(row: MessageRow): boolean {
  return /^[0-9]{3}$/.test(row.mcc) && /^[0-9]{1,3}$/.test(row.mnc);
}

/** Returns the highest price of each key. Entries without a key or a price are left out. */
function findHighest(
  entries: readonly (readonly [key: string | undefined, micros: number | undefined])[],
): ReadonlyMap<string, number> {
  const highest = new Map<string, number>();
  for (const [key, micros] of entries) {
    if (key !== undefined && micros !== undefined)
      highest.set(key, Math.max(micros, highest.get(key) ?? 0));
  }
  return highest;
}

/** Returns the reasons why rows cannot be used as they are. No reason stops a login. */
function findProblems(
  messages: PriceList<NetworkPrice>,
  lookups: PriceList<CountryPrice> | null,
  rows: readonly MessageRow[],
  countries: number,
): readonly PriceListProblem[] {
  const networks = rows.filter(hasNetworkCodes);
  const codes = new Set(networks.map((row) => `${row.mcc}-${row.mnc}`));
  // Of several prices of a network, the highest is used.
  const prices = new Set(networks.map((row) => `${row.mcc}-${row.mnc} ${row.micros}`));
  const unread = messages.oddRows + messages.pricing.length - rows.length;
  const oddCountries = lookups === null ? 0 : lookups.oddRows + lookups.pricing.length - countries;
  const unnamed = rows.filter((row) => row.iso === undefined).length;

  const found: readonly PriceListProblem[] = [
    { problem: 'rows that cannot be read or have no usable price', rows: unread },
    { problem: 'rows without a network code', rows: rows.length - networks.length },
    { problem: 'rows of a country whose name is unknown', rows: unnamed },
    { problem: 'rows that repeat a network at another price', rows: prices.size - codes.size },
    { problem: 'rows of the lookup list without a country', rows: oddCountries },
  ].filter((problem) => problem.rows > 0);

  const [one, other] = [messages.currency.name, lookups?.currency.name ?? null];
  if (one === null || other === null || one.toLowerCase() === other.toLowerCase()) return found;
  // Only prices of messages are used here, but an app that adds up lookups must know.
  return [
    ...found,
    { problem: 'messages and lookups are priced in different currencies', rows: 0 },
  ];
}

/** The highest price of a message, in millionths. */
export interface FoundPrice {
  readonly micros: number;
  /**
   * How the price was found, from most to least certain: 1 the network's own row, 2 a row with the
   * same codes in another notation, 3 the highest of several such rows, 4 the highest of the
   * operator's rows, 5 the highest of the mobile country code, 6 the highest of the country or its
   * dialling code, 7 not found.
   */
  readonly confidence: 1 | 2 | 3 | 4 | 5 | 6 | 7;
}

/** Returns the price on a network. Null if no row has its mobile country code. */
export function findNetworkPrice(table: PriceTable, network: Network): FoundPrice | null {
  const { mnc, operator } = network;
  const rows = table.networksByMcc.get(network.mcc ?? '') ?? [];
  const exact = rows.filter((row) => row.mnc === mnc);
  if (exact.length > 0) return { micros: highestOf(exact), confidence: agree(exact) ? 1 : 3 };

  // In E.212 "001" and "01" differ, but no country has assigned both to different networks.
  const alike =
    mnc === null || mnc === '' ? [] : rows.filter((row) => Number(row.mnc) === Number(mnc));
  if (alike.length > 0) return { micros: highestOf(alike), confidence: agree(alike) ? 2 : 3 };

  const name = operator == null ? null : normalizeName(operator);
  const ofOperator = rows.filter((row) => name !== null && row.operator === name);
  if (ofOperator.length > 0) return { micros: highestOf(ofOperator), confidence: 4 };
  return rows.length > 0 ? { micros: highestOf(rows), confidence: 5 } : null;
}

/**
 * Returns the highest price in the number's country, which needs no lookup. Null if the list does
 * not have the country.
 * @param country ISO code. Null for a number without one.
 * @param mobile E.164 with plus.
 */
export function findCountryPrice(
  table: PriceTable,
  country: string | null,
  mobile: string,
): FoundPrice | null {
  const ofCountry = table.highestByCountry.get(country ?? '');
  const micros = ofCountry ?? findByDialCode(table.highestByDialCode, mobile);
  return micros === undefined ? null : { micros, confidence: 6 };
}

/** Returns the price of a lookup in millionths. Undefined if no list has it. */
export function findLookupPrice(
  table: PriceTable,
  country: string | null,
  mobile: string,
): number | undefined {
  return table.lookupPrices.get(country ?? '') ?? findByDialCode(table.lookupPrices, mobile);
}

/**
 * Returns the price of the longest dialling code, at most seven digits, with which a number begins.
 * @param mobile E.164 with plus.
 */
function findByDialCode(prices: ReadonlyMap<string, number>, mobile: string): number | undefined {
  for (let length = 7; length > 0; length -= 1) {
    const micros = prices.get(mobile.slice(1, 1 + length));
    if (micros !== undefined) return micros;
  }
  return undefined;
}

function highestOf(rows: readonly MessageRow[]): number {
  return rows.reduce((highest, row) => Math.max(highest, row.micros), 0);
}

function agree(rows: readonly MessageRow[]): boolean {
  return rows.every((row) => row.micros === rows[0]?.micros);
}

/** A country with its name and dialling code. */
export interface Region {
  readonly iso: string;
  readonly name: string;
  /** Without plus. */
  readonly dialCode: string;
}

/** Returns all countries that have telephone numbers. Loads libphonenumber's metadata. */
export async function loadRegions(): Promise<readonly Region[]> {
  const { getCountries, getCountryCallingCode } = await import('libphonenumber-js/max');
  const names = new Intl.DisplayNames('en', { type: 'region' });
  return getCountries().map((iso) => ({
    iso,
    name: names.of(iso) ?? iso,
    dialCode: getCountryCallingCode(iso),
  }));
}

/** Returns `normalizeName` with a memory, because a list repeats each country for each network. */
function createNormalizer(): (name: string) => string {
  const normalized = new Map<string, string>();
  return (name) => {
    const known = normalized.get(name) ?? normalizeName(name);
    normalized.set(name, known);
    return known;
  };
}

/** Returns a name without case, accents, punctuation and words that only some lists contain. */
function normalizeName(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && word !== 'the' && word !== 'and')
    .map((word) => (word === 'st' ? 'saint' : word))
    .join(' ');
}
