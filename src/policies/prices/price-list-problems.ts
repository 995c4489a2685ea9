import type { NetworkPrice, PriceList } from '../../protocol/account';
import type { CountryPrice } from '../../protocol/hlr';
import { namesNetwork, type MessageRow } from './price-rows';

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
export function findProblems({ messages, lookups, rows, countries }: ReadLists): readonly PriceListProblem[] {
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
