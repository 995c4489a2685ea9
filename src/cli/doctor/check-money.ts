import type { CountryPrice, GatewayClient, Lookup, NetworkPrice, PriceList } from '../../client';
import { findNumberCountry } from '../../limits/number-country';
import { loadRegions } from '../../policies/spend-limits/country-names';
import { toDecimal, toMicros } from '../../policies/spend-limits/micros';
import {
  createPriceTable,
  findCountryPrice,
  findNetworkPrice,
  type FoundPrice,
  type PriceTable,
} from '../../policies/spend-limits/price-table';
import { cleanText } from '../terminal';
import { type CheckResult, fail, pass, toResult, warn } from './check-result';

/** A balance for fewer messages is a warning. */
const FEW_MESSAGES = 100;

/** The price lists, joined. */
export interface Prices {
  readonly result: CheckResult;
  /** Null when there is no list. */
  readonly table: PriceTable | null;
}

/** Fetches both price lists. That of lookups has the dialing codes, and may be missing. */
export async function checkPrices({ otp, hlr }: GatewayClient): Promise<Prices> {
  let messages: PriceList<NetworkPrice>;
  try {
    messages = await otp.pricing();
  } catch (error) {
    return { result: toResult('prices', error, 'warn'), table: null };
  }
  // Another check reports whether lookups work.
  const lookups: PriceList<CountryPrice> | null = await hlr.pricing().catch(() => null);
  const table = createPriceTable(messages, lookups, await loadRegions());
  return { result: checkList(messages), table };
}

function checkList({ pricing, oddRows, currency }: PriceList<NetworkPrice>): CheckResult {
  const name = cleanText(currency.name);
  const detail = `${pricing.length} ${pricing.length === 1 ? 'network' : 'networks'}${name === '' ? '' : `, in ${name}`}`;
  if (pricing.length === 0)
    return warn('prices', 'the list is empty', 'spendLimits needs it; ask the operator.');
  if (oddRows === 0) return pass('prices', detail);
  return warn(
    'prices',
    `${detail}, ${oddRows} invalid rows`,
    "Invalid rows are left out; inform the gateway's operator.",
  );
}

/** Checks the balance, and how many messages it pays for. */
export function checkBalance(balance: string, table: PriceTable | null): CheckResult {
  const micros = toMicros(balance);
  if (micros === null) return warn('balance', 'not an amount', "Ask the gateway's operator.");
  if (micros <= 0) return fail('balance', balance, 'Top up the account: nothing can be sent.');
  const highest = Array.from(table?.highestByCountry.values() ?? []).reduce(
    (most, price) => Math.max(most, price),
    0,
  );
  if (highest === 0) return pass('balance', balance);
  const messages = Math.floor(micros / highest);
  const detail = `${balance}, ${messages} messages at the highest price`;
  return messages >= FEW_MESSAGES
    ? pass('balance', detail)
    : warn('balance', detail, 'Top up the account soon.');
}

/** Checks what a message to a number costs at most. @param lookup The number's network, if it was looked up. */
export async function checkPrice(
  mobile: string,
  table: PriceTable,
  lookup: Lookup | null,
): Promise<CheckResult> {
  const country = await findNumberCountry(mobile);
  const onNetwork = lookup === null ? null : findNetworkPrice(table, lookup);
  const found = onNetwork ?? findCountryPrice(table, country, mobile);
  if (found !== null) return pass('price', `${toDecimal(found.micros)} to ${mobile}${explainPrice(found)}`);
  return warn(
    'price',
    `none for ${mobile}`,
    "The list does not have its country; ask the gateway's operator.",
  );
}

function explainPrice({ confidence }: FoundPrice): string {
  return confidence <= 3 ? ", its network's" : ' at most';
}
