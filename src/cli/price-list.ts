import { z } from 'zod';
import type { CountryPrice, GatewayClient, NetworkPrice } from '../client';
import { toMicros } from '../policies/spend-limits/micros';
import { parseJson } from '../stores/check-values';
import { CommandFailure } from './failures';

/** One row of either list. */
export interface PriceRow {
  /** Identifies the row within its list. */
  readonly key: string;
  readonly country: string | null;
  /** The operator, or the dialing code. */
  readonly detail: string | null;
  readonly codes: string;
  readonly price: string;
  /** The row as the client returns it. */
  readonly entry: NetworkPrice | CountryPrice;
}

/** Fetches a price list. OTP spec §4, HLR spec §4, GET pricing. */
export async function fetchPrices(
  { otp, hlr }: GatewayClient,
  service: 'otp' | 'lookup',
): Promise<SavedPrices & { readonly oddRows: number }> {
  const list = service === 'otp' ? await otp.pricing() : await hlr.pricing();
  return { service, ...list };
}

export function toRows({ pricing }: Pick<SavedPrices, 'pricing'>): readonly PriceRow[] {
  return pricing.map((row) => ('mcc' in row ? toNetworkRow(row) : toCountryRow(row)));
}

function toNetworkRow(entry: NetworkPrice): PriceRow {
  const { id, mcc, mnc, countryName, operatorName, price } = entry;
  const codes = `${mcc} ${mnc}`;
  return { key: `${codes} ${id ?? ''}`, country: countryName, detail: operatorName, codes, price, entry };
}

function toCountryRow(entry: CountryPrice): PriceRow {
  const { id, countryCode, countryIso, countryName, price } = entry;
  const codes = countryIso ?? '';
  const key = `${countryCode} ${codes} ${id ?? ''}`;
  return { key, country: countryName, detail: countryCode, codes, price, entry };
}

/** Returns the rows that contain a string, ignoring case. */
export function filterRows(rows: readonly PriceRow[], text: string | undefined): readonly PriceRow[] {
  if (text === undefined) return rows;
  const wanted = text.toLowerCase();
  return rows.filter((row) =>
    [row.country, row.detail, row.codes, row.codes.replace(' ', '')].some((cell) =>
      cell?.toLowerCase().includes(wanted),
    ),
  );
}

const nullableString = z.string().nullable();

const network = z.object({
  id: nullableString,
  countryName: nullableString,
  operatorName: nullableString,
  mcc: z.string(),
  mnc: z.string(),
  price: z.string(),
});

const country = z.object({
  id: nullableString,
  countryName: nullableString,
  countryCode: z.string(),
  countryIso: nullableString,
  price: z.string(),
});

const savedSchema = z.object({
  service: z.enum(['otp', 'lookup']),
  currency: z.object({ name: nullableString, symbol: nullableString }),
  pricing: z.array(z.union([network, country])).readonly(),
});

/** A price list as `--json` writes it and `--since` reads it. */
export type SavedPrices = Readonly<z.output<typeof savedSchema>>;

/** Parses a list that `pricing --json` has written. @throws {CommandFailure} for anything else. */
export function readSavedPrices(text: string): SavedPrices {
  const parsed = savedSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new CommandFailure(
    'The file is not a saved price list.',
    'Make one with pricing --json > prices.json.',
  );
}

/** How a row differs from the saved list. */
export interface PriceChange {
  readonly kind: 'new' | 'gone' | 'dearer' | 'cheaper';
  readonly row: PriceRow;
  /** The price before; null for a new row. */
  readonly before: string | null;
}

/** Compares two lists by amount, not by spelling. Changes are in the order of the list; removed rows come last. */
export function findChanges(before: readonly PriceRow[], after: readonly PriceRow[]): readonly PriceChange[] {
  const known = new Map(before.map((row) => [row.key, row]));
  const kept = new Set(after.map(({ key }) => key));
  const changes = after.flatMap((row): readonly PriceChange[] => {
    const earlier = known.get(row.key);
    if (earlier === undefined) return [{ kind: 'new', row, before: null }];
    const [from, to] = [toMicros(earlier.price), toMicros(row.price)];
    if (from === to && (from !== null || earlier.price === row.price)) return [];
    return [
      { kind: (to ?? Infinity) > (from ?? Infinity) ? 'dearer' : 'cheaper', row, before: earlier.price },
    ];
  });
  const gone = before.filter(({ key }) => !kept.has(key));
  return [...changes, ...gone.map((row): PriceChange => ({ kind: 'gone', row, before: row.price }))];
}
