import type { Balance, PriceList } from '../protocol/account';
import type { CountryPrice, Lookup } from '../protocol/hlr';
import type { CallRunner } from './run-call';
import type { Wire } from './wire';

/** The calls of the number lookup service. Each may throw any `Gateway…Error`. */
export interface HlrCalls {
  /**
   * Looks up a number. It costs money and is never repeated, except after error 1009.
   * @param mobile E.164, with or without one leading plus.
   * @throws {TypeError} when the number is invalid; nothing is sent.
   * @see HLR spec §4, GET {mobile}
   */
  lookup(mobile: string): Promise<Lookup>;
  /** Returns the account's balance. @see HLR spec §4, GET balance */
  balance(): Promise<Balance>;
  /** Returns the price of a lookup by country. @see HLR spec §4, GET pricing */
  pricing(): Promise<PriceList<CountryPrice>>;
}

export function createHlrCalls(wire: Promise<Wire>, runner: CallRunner): HlrCalls {
  return {
    lookup: async (mobile) => runner.run((await wire).lookup(mobile)),
    balance: async () => runner.run((await wire).hlrBalance),
    pricing: async () => runner.run((await wire).hlrPricing),
  };
}
