import type { NetworkPrice, PriceList } from '../../protocol/account';
import type { CountryPrice } from '../../protocol/hlr';
import { createNameTable, normaliseName, type Region } from './country-names';
import { findProblems, type PriceListProblem } from './price-list-problems';
import { namesNetwork, readCountryRows, readMessageRows, type MessageRow } from './price-rows';

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
