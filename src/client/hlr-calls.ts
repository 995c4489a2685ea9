import { type Balance, type PriceList, readBalance } from '../protocol/account';
import { type CountryPrice, type Lookup, readHlrPricing, readLookup } from '../protocol/hlr';
import { requireDigits } from '../protocol/otp';
import { HLR_BALANCE_PATH, HLR_PRICING_PATH, lookupPath } from '../protocol/paths';
import { type GatewayCall, MAX_ANSWER_BYTES, MAX_PRICE_LIST_BYTES } from './exchange';
import type { CallRunner } from './run-call';

/** The calls of the number lookup service. Each may throw any `Gateway…Error`. */
export interface HlrCalls {
  /**
   * Looks a number up. It costs money and is never repeated, except after error 1009.
   * @param mobile E.164, with or without one leading plus.
   * @throws {TypeError} when it is no such number; nothing is sent.
   * @see HLR spec §4, GET {mobile}
   */
  lookup(mobile: string): Promise<Lookup>;
  /** The account's money. @see HLR spec §4, GET balance */
  balance(): Promise<Balance>;
  /** Price of a lookup by country. @see HLR spec §4, GET pricing */
  pricing(): Promise<PriceList<CountryPrice>>;
}

export function createHlrCalls(runner: CallRunner): HlrCalls {
  return {
    async lookup(mobile) {
      return runner.run(toLookupCall(mobile));
    },
    balance: () => runner.run(balanceCall),
    pricing: () => runner.run(pricingCall),
  };
}

function toLookupCall(mobile: string): GatewayCall<Lookup> {
  const digits = requireDigits(mobile);
  return {
    name: 'lookup',
    method: 'GET',
    path: lookupPath(digits),
    body: null,
    maxBytes: MAX_ANSWER_BYTES,
    read: (payload) => readLookup(payload, digits),
  };
}

const balanceCall: GatewayCall<Balance> = {
  name: 'hlr-balance',
  method: 'GET',
  path: HLR_BALANCE_PATH,
  body: null,
  maxBytes: MAX_ANSWER_BYTES,
  read: readBalance,
};

const pricingCall: GatewayCall<PriceList<CountryPrice>> = {
  name: 'hlr-pricing',
  method: 'GET',
  path: HLR_PRICING_PATH,
  body: null,
  maxBytes: MAX_PRICE_LIST_BYTES,
  read: readHlrPricing,
};
