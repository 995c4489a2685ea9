import type { SimulatorState } from '../state';
import {
  COUNTRIES,
  type Country,
  lookupPrice,
  type SimulatedNetwork,
  NETWORKS,
  type Subscriber,
} from '../state/subscribers';
import {
  type CallRequest,
  done,
  formatAmount,
  formatMobile,
  formatNetworkCode,
  type Outcome,
  readMobile,
  refuse,
} from './call';

const CURRENCY = { name: 'US Dollar', symbol: '$' };

/** GET balance, of both services. OTP spec §2, HLR spec §2. */
export function showBalance({ ledger, readings }: SimulatorState): Outcome {
  return done({ balance: ledger.balance(readings.moneyDecimals) });
}

/** Operators in the order of their first rows; one that has several networks has one id. */
const OPERATORS = [...new Set(NETWORKS.map(nameOperator))];

function nameOperator({ iso, operator }: SimulatedNetwork): string {
  return `${iso} ${operator}`;
}

/** GET pricing: one row for each network. OTP spec §2. */
export function showPricing({ readings }: SimulatorState): Outcome {
  const names = new Map(COUNTRIES.map(({ iso, name }) => [iso, name]));
  const formatNetwork = (network: SimulatedNetwork): unknown => {
    const { iso, operator, mcc, mnc, price } = network;
    return {
      id: OPERATORS.indexOf(nameOperator(network)) + 1,
      countryname: names.get(iso),
      operatorname: operator,
      mcc: formatNetworkCode(mcc, readings),
      mnc: formatNetworkCode(mnc, readings),
      price: formatAmount(price, readings),
    };
  };
  return done({ currency: CURRENCY, pricing: NETWORKS.map(formatNetwork) });
}

/** GET pricing of lookups: one row for each country. HLR spec §2. */
export function showHlrPricing({ readings }: SimulatorState): Outcome {
  const formatCountry = (
    { iso, name, dialCode, lookupPrice }: Country,
    index: number,
  ): unknown => ({
    id: index + 1,
    countryname: name,
    countrycode: formatNetworkCode(`+${dialCode}`, readings),
    countryiso: iso,
    price: formatAmount(lookupPrice, readings),
  });
  return done({ currency: CURRENCY, pricing: COUNTRIES.map(formatCountry) });
}

/** GET {mobile}. HLR spec §4. */
export function lookUp(state: SimulatorState, { subject }: CallRequest): Outcome {
  const { account, ledger, readings, subscribers } = state;
  if (!account.mayLookUp) return refuse(2004);
  // A number in a URL is a string, whatever form the fields of bodies must have.
  const digits = readMobile(subject, { ...readings, numericMembers: 'either' });
  if (digits === null) return refuse(readings.invalidPhoneCode);
  const subscriber = subscribers.get(digits);
  if (subscriber === undefined) return refuse(2005);
  if (subscriber.lookupError !== undefined) return refuse(subscriber.lookupError);
  const price =
    subscriber.status === 'invalid' && !readings.invalidLookupCosts ? '0' : lookupPrice(digits);
  if (!ledger.covers(price)) return refuse(1006);
  ledger.charge(price);
  return done(formatLookup(state, digits, subscriber, price));
}

/** HLR spec §2, lookup result. */
function formatLookup(
  { readings }: SimulatorState,
  digits: string,
  subscriber: Subscriber,
  price: string,
): unknown {
  const { status, advancedStatus, mcc, mnc, imsi, msc, country, operator } = subscriber;
  const bare = {
    phone: formatMobile(digits, readings),
    status,
    ...(advancedStatus !== undefined && { advanced_status: advancedStatus }),
  };
  if (status === 'invalid' && readings.invalidLookup === 'bare') return bare;
  return {
    ...bare,
    mcc: formatNetworkCode(mcc, readings),
    mnc: formatNetworkCode(mnc, readings),
    imsi: formatNetworkCode(imsi, readings),
    msc: formatNetworkCode(msc, readings),
    cost: formatAmount(price, readings),
    country,
    operator,
  };
}
