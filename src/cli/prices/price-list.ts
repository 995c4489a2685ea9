import type { CountryPrice, GatewayClient, NetworkPrice } from '../../client';

/** One row of either list: what the list is about, by what it is known again, and its price. */
export interface PriceRow {
  /** Tells rows of one list apart. */
  readonly key: string;
  readonly country: string | null;
  /** The operator, or the dialling code. */
  readonly detail: string | null;
  readonly codes: string;
  readonly price: string;
  /** As the gateway has it. */
  readonly entry: NetworkPrice | CountryPrice;
}

/** A price list as `--json` writes it and `--since` reads it. */
export interface SavedPrices {
  readonly service: 'otp' | 'lookup';
  readonly currency: { readonly name: string | null; readonly symbol: string | null };
  readonly pricing: readonly (NetworkPrice | CountryPrice)[];
}

/** Fetches a list. OTP spec §4, HLR spec §4, GET pricing. */
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
  return {
    key: `${countryCode} ${codes} ${id ?? ''}`,
    country: countryName,
    detail: countryCode,
    codes,
    price,
    entry,
  };
}

/** The rows in which a text occurs, whatever its case. */
export function filterRows(rows: readonly PriceRow[], text: string | undefined): readonly PriceRow[] {
  if (text === undefined) return rows;
  const wanted = text.toLowerCase();
  return rows.filter((row) =>
    [row.country, row.detail, row.codes, row.codes.replace(' ', '')].some((cell) =>
      cell?.toLowerCase().includes(wanted),
    ),
  );
}
