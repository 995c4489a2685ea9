import { z } from 'zod';
import { orNull, readDecimal, readDigitsOrText, readOrNull, readText, required } from './values';

/** The account's money, as a decimal string. OTP spec §2, HLR spec §2. */
export interface Balance {
  readonly balance: string;
}

export interface Currency {
  readonly name: string | null;
  readonly symbol: string | null;
}

/** A network in the price list. An operator with several MNCs has one row for each. OTP spec §2. */
export interface NetworkPrice {
  readonly id: string | null;
  readonly countryName: string | null;
  readonly operatorName: string | null;
  /** The code as received: "001" is not "01". A JSON number has lost its leading zeros. */
  readonly mcc: string;
  readonly mnc: string;
  /** The price of a message, as a decimal string. */
  readonly price: string;
}

/**
 * A price list. Rows that are not as documented, and those after the 20,000th, are left out and
 * counted.
 */
export interface PriceList<Row> {
  readonly currency: Currency;
  readonly pricing: readonly Row[];
  readonly oddRows: number;
}

/** @see OTP spec §2, balance object; HLR spec §2 */
const balanceSchema = z.object({ balance: required(readDecimal) }) satisfies z.ZodType<Balance>;

/** Reads the payload of a balance answer, or null. */
export function readBalance(payload: unknown): Balance | null {
  return readOrNull(balanceSchema, payload);
}

const currencySchema = z
  .object({ name: orNull(readText), symbol: orNull(readText) })
  .catch({ name: null, symbol: null }) satisfies z.ZodType<Currency>;

/** The id of a row: a number in the documents, read as a string. */
export const rowId = orNull((id) => (Number.isSafeInteger(id) ? String(id) : readText(id)));

/** How many rows of a list are read: more would keep the process busy for seconds. */
const MAX_ROWS = 20_000;

/**
 * Returns the schema of a price list with rows of this type. @see OTP spec §2, pricing object; HLR
 * spec §2
 */
export function priceListOf<Row extends z.ZodType>(row: Row) {
  return z
    .object({
      currency: currencySchema,
      pricing: z.array(z.unknown()),
    })
    .transform(({ currency, pricing }): PriceList<z.output<Row>> => {
      const read = pricing.slice(0, MAX_ROWS).map((entry) => readOrNull(row, entry));
      const rows = read.filter((entry) => entry !== null);
      return { currency, pricing: rows, oddRows: pricing.length - rows.length };
    });
}

const networkPriceSchema = z
  .object({
    id: rowId,
    countryname: orNull(readText),
    operatorname: orNull(readText),
    mcc: required(readDigitsOrText),
    mnc: required(readDigitsOrText),
    price: required(readDecimal),
  })
  .transform(({ countryname, operatorname, ...row }): NetworkPrice => ({
    ...row,
    countryName: countryname,
    operatorName: operatorname,
  }));

const pricingSchema = priceListOf(networkPriceSchema);

/** Reads the payload of a pricing answer, or null. */
export function readPricing(payload: unknown): PriceList<NetworkPrice> | null {
  return readOrNull(pricingSchema, payload);
}
