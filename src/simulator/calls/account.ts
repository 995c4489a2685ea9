import { COUNTRIES, NETWORKS, type Country, type Network } from '../state/networks';
import type { World } from '../world';
import { done, type Outcome } from './call';
import { showAmount } from './shown';

const CURRENCY = { name: 'US Dollar', symbol: '$' };

/** GET balance, of both services. OTP spec §2, HLR spec §2. */
export function showBalance({ ledger, readings }: World): Outcome {
  return done({ balance: ledger.balance(readings.moneyDecimals) });
}

/** GET pricing: one entry per network. OTP spec §2. */
export function showPricing({ readings }: World): Outcome {
  const names = new Map(COUNTRIES.map(({ iso, name }) => [iso, name]));
  const showNetwork = ({ iso, operator, mcc, mnc, price }: Network, index: number): unknown => ({
    id: index + 1,
    countryname: names.get(iso),
    operatorname: operator,
    mcc,
    mnc,
    price: showAmount(price, readings),
  });
  return done({ currency: CURRENCY, pricing: NETWORKS.map(showNetwork) });
}

/** GET pricing of lookups: one entry per country. HLR spec §2. */
export function showHlrPricing({ readings }: World): Outcome {
  const showCountry = ({ iso, name, dialCode, lookupPrice }: Country, index: number): unknown => ({
    id: index + 1,
    countryname: name,
    countrycode: `+${dialCode}`,
    countryiso: iso,
    price: showAmount(lookupPrice, readings),
  });
  return done({ currency: CURRENCY, pricing: COUNTRIES.map(showCountry) });
}
