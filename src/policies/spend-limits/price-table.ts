import type { NetworkPrice, PriceList } from '../../protocol/account';
import type { CountryPrice } from '../../protocol/hlr';
import { createNameTable, normaliseName, type Region } from './country-names';
import { toMicros } from './micros';

/** A row of the price list of messages that can be used. */
export interface MessageRow {
  readonly mcc: string;
  readonly mnc: string;
  /** Normalised, so that the rows of one operator can be told. */
  readonly operator: string | null;
  /** Undefined when its country's name is not known. */
  readonly iso: string | undefined;
  readonly micros: number;
}

/** Every row with a price that can be counted. A negative one is none. */
function readMessageRows(
  { pricing }: PriceList<NetworkPrice>,
  names: ReadonlyMap<string, string>,
): readonly MessageRow[] {
  return pricing.flatMap(({ mcc, mnc, operatorName, countryName, price }) => {
    const micros = toMicros(price);
    if (micros === null || micros < 0) return [];
    const operator = operatorName === null ? null : normaliseName(operatorName);
    const iso = countryName === null ? undefined : names.get(normaliseName(countryName));
    return [{ mcc, mnc, operator, iso, micros }];
  });
}

/** True when mobile country and network code look like what they are. Lists write "1" for "01". */
function namesNetwork({ mcc, mnc }: MessageRow): boolean {
  return /^[0-9]{3}$/.test(mcc) && /^[0-9]{1,3}$/.test(mnc);
}

/** The countries that the price list of lookups names in full. HLR spec §2. */
function readCountryRows(lookups: PriceList<CountryPrice> | null): readonly Region[] {
  return (lookups?.pricing ?? []).flatMap(({ countryIso, countryName, countryCode }) => {
    const iso = countryIso?.toUpperCase() ?? '';
    const [, dialCode = ''] = /^\+?([1-9][0-9]{0,6})$/.exec(countryCode) ?? [];
    if (!/^[A-Z]{2}$/.test(iso) || countryName === null || dialCode === '') return [];
    // The United Kingdom's code is often written as people say it.
    return [{ iso: iso === 'UK' ? 'GB' : iso, name: countryName, dialCode }];
  });
}

/** Both price lists joined: what a text message costs at worst. Amounts are millionths. */
export interface PriceTable {
  readonly networksByMcc: ReadonlyMap<string, readonly MessageRow[]>;
  /** The highest price by ISO code. */
  readonly highestByCountry: ReadonlyMap<string, number>;
  /** The highest price by dialling code, without plus. */
  readonly highestByDialCode: ReadonlyMap<string, number>;
  readonly problems: readonly PriceListProblem[];
}

type Priced = readonly [key: string, micros: number];

/**
 * Joins the prices of messages, which know networks and names of countries, with the list of lookups, which knows names,
 * ISO codes and dialling codes. Where the latter is missing, the platform's names and codes have to do.
 * @see OTP spec §2, HLR spec §2, pricing objects
 */
export function createPriceTable(
  messages: PriceList<NetworkPrice>,
  lookups: PriceList<CountryPrice> | null,
  regions: readonly Region[],
): PriceTable {
  const countries = readCountryRows(lookups);
  const names = createNameTable(regions);
  for (const { name, iso } of countries) names.set(normaliseName(name), iso);
  const rows = readMessageRows(messages, names);
  const highestByCountry = findHighest(rows.flatMap(toPricedCountry));
  return {
    networksByMcc: groupByMcc(rows.filter(namesNetwork)),
    highestByCountry,
    highestByDialCode: findHighest(priceDialCodes([...regions, ...countries], highestByCountry)),
    problems: findProblems({ messages, lookups, rows, countries: countries.length }),
  };
}

function toPricedCountry({ iso, micros }: MessageRow): readonly Priced[] {
  return iso === undefined ? [] : [[iso, micros]];
}

/** Countries that share a code share the highest price of them all. */
function priceDialCodes(
  countries: readonly Region[],
  highestByCountry: ReadonlyMap<string, number>,
): readonly Priced[] {
  return countries.flatMap(({ iso, dialCode }) => {
    const micros = highestByCountry.get(iso);
    return micros === undefined ? [] : [[dialCode, micros]];
  });
}

function findHighest(entries: readonly Priced[]): ReadonlyMap<string, number> {
  const highest = new Map<string, number>();
  for (const [key, micros] of entries) highest.set(key, Math.max(micros, highest.get(key) ?? 0));
  return highest;
}

function groupByMcc(rows: readonly MessageRow[]): ReadonlyMap<string, readonly MessageRow[]> {
  const groups = new Map<string, MessageRow[]>();
  for (const row of rows) {
    const group = groups.get(row.mcc);
    if (group === undefined) groups.set(row.mcc, [row]);
    else group.push(row);
  }
  return groups;
}

/** The network of a number, as a lookup gives it. HLR spec §2. */
export interface Network {
  readonly mcc: string | null;
  readonly mnc: string | null;
  readonly operator?: string | null;
}

/**
 * How a price was found, the surest first: 1 the network's own row, 2 the same codes written otherwise, 3 the highest of
 * several such rows, 4 the highest of the operator's rows, 5 the highest of the mobile country code, 6 the highest of the
 * country or its dialling code, 7 not at all.
 */
export type PriceConfidence = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** What a message costs at worst, in millionths. */
export interface FoundPrice {
  readonly micros: number;
  readonly confidence: PriceConfidence;
}

/** The price on a network, or null when no row has its mobile country code. */
export function findNetworkPrice(
  { networksByMcc }: PriceTable,
  { mcc, mnc, operator }: Network,
): FoundPrice | null {
  const rows = networksByMcc.get(mcc ?? '') ?? [];
  const exact = rows.filter((row) => row.mnc === mnc);
  if (exact.length > 0) return { micros: highestOf(exact), confidence: agree(exact) ? 1 : 3 };
  // E.212 tells "001" from "01", but no country has given both to different networks.
  const alike = mnc === null || mnc === '' ? [] : rows.filter((row) => Number(row.mnc) === Number(mnc));
  if (alike.length > 0) return { micros: highestOf(alike), confidence: agree(alike) ? 2 : 3 };
  const name = operator == null ? null : normaliseName(operator);
  const ofOperator = rows.filter((row) => name !== null && row.operator === name);
  if (ofOperator.length > 0) return { micros: highestOf(ofOperator), confidence: 4 };
  return rows.length > 0 ? { micros: highestOf(rows), confidence: 5 } : null;
}

/**
 * The highest price in the number's country, which needs no lookup; null when the list does not know it.
 * @param country ISO code, null for a number without one.
 * @param mobile E.164 with plus.
 */
export function findCountryPrice(
  table: PriceTable,
  country: string | null,
  mobile: string,
): FoundPrice | null {
  const ofCountry = table.highestByCountry.get(country ?? '');
  const micros = ofCountry ?? findByDialCode(table, mobile.slice(1));
  return micros === undefined ? null : { micros, confidence: 6 };
}

/** Dialling codes of the list have at most seven digits; the longest that fits is the number's. */
function findByDialCode({ highestByDialCode }: PriceTable, digits: string): number | undefined {
  for (let length = 7; length > 0; length -= 1) {
    const micros = highestByDialCode.get(digits.slice(0, length));
    if (micros !== undefined) return micros;
  }
  return undefined;
}

function highestOf(rows: readonly MessageRow[]): number {
  return rows.reduce((highest, { micros }) => Math.max(highest, micros), 0);
}

function agree(rows: readonly MessageRow[]): boolean {
  return rows.every(({ micros }) => micros === rows[0]?.micros);
}

/** What is wrong with a price list, and how many rows it concerns. */
export interface PriceListProblem {
  readonly problem: string;
  readonly rows: number;
}

/** Both lists as they came, and what of them could be used. */
export interface ReadLists {
  readonly messages: PriceList<NetworkPrice>;
  readonly lookups: PriceList<CountryPrice> | null;
  readonly rows: readonly MessageRow[];
  readonly countries: number;
}

/** Everything that keeps rows from being used as they are. None of it stops a login. */
function findProblems({ messages, lookups, rows, countries }: ReadLists): readonly PriceListProblem[] {
  const unread = messages.oddRows + messages.pricing.length - rows.length;
  const oddCountries = lookups === null ? 0 : lookups.oddRows + lookups.pricing.length - countries;
  const found: readonly PriceListProblem[] = [
    { problem: 'rows that cannot be read or have no usable price', rows: unread },
    { problem: 'rows without a network code', rows: rows.filter((row) => !namesNetwork(row)).length },
    { problem: 'rows of a country whose name is not known', rows: rows.filter(isOfNoCountry).length },
    { problem: 'rows that name a network again, at another price', rows: countContradictions(rows) },
    { problem: 'rows of the lookup list that name no country', rows: oddCountries },
  ];
  return [...found.filter((one) => one.rows > 0), ...findCurrencyProblem(messages, lookups)];
}

function isOfNoCountry({ iso }: MessageRow): boolean {
  return iso === undefined;
}

/** The highest price counts; the others are told. */
function countContradictions(rows: readonly MessageRow[]): number {
  const prices = new Map<string, Set<number>>();
  for (const { mcc, mnc, micros } of rows.filter(namesNetwork)) {
    const key = `${mcc}-${mnc}`;
    prices.set(key, (prices.get(key) ?? new Set<number>()).add(micros));
  }
  return [...prices.values()].reduce((sum, { size }) => sum + size - 1, 0);
}

/** Only prices of messages are counted here; but whoever adds what lookups cost must know. */
function findCurrencyProblem(
  messages: PriceList<NetworkPrice>,
  lookups: PriceList<CountryPrice> | null,
): readonly PriceListProblem[] {
  const [one, other] = [messages.currency.name, lookups?.currency.name ?? null];
  if (one === null || other === null || one.toLowerCase() === other.toLowerCase()) return [];
  return [{ problem: 'messages and lookups are priced in different currencies', rows: 0 }];
}
