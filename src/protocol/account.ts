import { isRecord, readDecimal, readText } from './envelope';

/** The account's money, as a decimal string. OTP spec §2, HLR spec §2. */
export interface Balance {
  readonly balance: string;
}

/** OTP spec §2, pricing object. */
export interface Currency {
  readonly name: string | null;
  readonly symbol: string | null;
}

/** One network of the price list; an operator with several MNCs has one row for each. OTP spec §2. */
export interface NetworkPrice {
  readonly id: string | null;
  readonly countryName: string | null;
  readonly operatorName: string | null;
  /** As it came: "001" is not "01". */
  readonly mcc: string;
  readonly mnc: string;
  /** Decimal string, per text message. */
  readonly price: string;
}

/** A price list. Rows that are not as documented are left out and counted. */
export interface PriceList<Row> {
  readonly currency: Currency;
  readonly pricing: readonly Row[];
  readonly oddRows: number;
}

/** Reads the payload of a balance answer, or null. OTP spec §2. */
export function readBalance(payload: unknown): Balance | null {
  const balance = isRecord(payload) ? readDecimal(payload.balance) : null;
  return balance === null ? null : { balance };
}

/** Reads the payload of a pricing answer, or null. OTP spec §2. */
export function readPricing(payload: unknown): PriceList<NetworkPrice> | null {
  return readPriceList(payload, readNetworkPrice);
}

/** The shape both price lists share. OTP spec §2, HLR spec §2. */
export function readPriceList<Row>(
  payload: unknown,
  readRow: (row: Record<string, unknown>) => Row | null,
): PriceList<Row> | null {
  if (!isRecord(payload) || !Array.isArray(payload.pricing)) return null;
  const rows: readonly unknown[] = payload.pricing;
  const pricing = rows.flatMap((row) => (isRecord(row) ? (readRow(row) ?? []) : []));
  const currency = isRecord(payload.currency) ? payload.currency : {};
  return {
    currency: { name: readText(currency.name), symbol: readText(currency.symbol) },
    pricing,
    oddRows: rows.length - pricing.length,
  };
}

/** The id of a row: a number in the documents, kept as a string. */
export function readRowId(id: unknown): string | null {
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : readText(id);
}

function readNetworkPrice(row: Record<string, unknown>): NetworkPrice | null {
  const mcc = readText(row.mcc);
  const mnc = readText(row.mnc);
  const price = readDecimal(row.price);
  if (mcc === null || mnc === null || price === null) return null;
  return {
    id: readRowId(row.id),
    countryName: readText(row.countryname),
    operatorName: readText(row.operatorname),
    mcc,
    mnc,
    price,
  };
}
