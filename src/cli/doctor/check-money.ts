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
import { cleanText } from '../output/screen';
import { fail, type Finding, pass, toFinding, warn } from './check-result';

/** A balance for fewer messages is soon gone. */
const FEW_MESSAGES = 100;

/** The price lists, joined. */
export interface Prices {
  readonly finding: Finding;
  /** Null when there is no list. */
  readonly table: PriceTable | null;
}

/** Fetches both price lists; the one of lookups knows dialling codes, and may be missing. */
export async function checkPrices({ otp, hlr }: GatewayClient): Promise<Prices> {
  let messages: PriceList<NetworkPrice>;
  try {
    messages = await otp.pricing();
  } catch (error) {
    return { finding: toFinding('prices', error, 'warn'), table: null };
  }
  // Its own check tells whether lookups work.
  const lookups: PriceList<CountryPrice> | null = await hlr.pricing().catch(() => null);
  const table = createPriceTable(messages, lookups, await loadRegions());
  return { finding: judgeList(messages), table };
}

function judgeList({ pricing, oddRows, currency }: PriceList<NetworkPrice>): Finding {
  const name = cleanText(currency.name);
  const detail = `${pricing.length} ${pricing.length === 1 ? 'network' : 'networks'}${name === '' ? '' : `, in ${name}`}`;
  if (pricing.length === 0)
    return warn('prices', 'the list is empty', 'spendLimits needs it; ask the operator.');
  if (oddRows === 0) return pass('prices', detail);
  return warn(
    'prices',
    `${detail}, ${oddRows} odd rows`,
    "Odd rows are left out; tell the gateway's operator.",
  );
}

/** What the money is good for. */
export function checkBalance(balance: string, table: PriceTable | null): Finding {
  const micros = toMicros(balance);
  if (micros === null) return warn('balance', 'an odd amount', "Ask the gateway's operator.");
  if (micros <= 0) return fail('balance', balance, 'Top the account up: nothing can be sent.');
  const dearest = Array.from(table?.highestByCountry.values() ?? []).reduce(
    (most, price) => Math.max(most, price),
    0,
  );
  if (dearest === 0) return pass('balance', balance);
  const messages = Math.floor(micros / dearest);
  const detail = `${balance}, ${messages} messages at the highest price`;
  return messages >= FEW_MESSAGES
    ? pass('balance', detail)
    : warn('balance', detail, 'Top the account up soon.');
}

/** What a message to a number costs at most. @param lookup Its network, when it was looked up. */
export async function checkPrice(mobile: string, table: PriceTable, lookup: Lookup | null): Promise<Finding> {
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
