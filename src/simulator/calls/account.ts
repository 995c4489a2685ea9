import type { Readings } from '../readings';
import type { SimulatorState } from '../state';
import {
  COUNTRIES,
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
export function showBalance(state: SimulatorState): Outcome {
  return done({ balance: state.ledger.balance(state.readings.moneyDecimals) });
}

/** Operators in the order of their first rows. An operator with several networks has one id. */
const OPERATORS = [...new Set(NETWORKS.map(nameOperator))];

function nameOperator(network: SimulatedNetwork): string {
  return `${network.iso} ${network.operator}`;
}

/** GET pricing: one row for each network. OTP spec §2. */
export function showPricing(state: SimulatorState): Outcome {
  const { readings } = state;
  const names = new Map(COUNTRIES.map(({ iso, name }) => [iso, name]));
  const pricing = NETWORKS.map((network) => ({
    id: OPERATORS.indexOf(nameOperator(network)) + 1,
    countryname: names.get(network.iso),
    operatorname: network.operator,
    mcc: formatNetworkCode(network.mcc, readings),
    mnc: formatNetworkCode(network.mnc, readings),
    price: formatAmount(network.price, readings),
  }));

  return done({ currency: CURRENCY, pricing });
}

/** GET pricing of lookups: one row for each country. HLR spec §2. */
export function showHlrPricing(state: SimulatorState): Outcome {
  const pricing = COUNTRIES.map((country, index) => ({
    id: index + 1,
    countryname: country.name,
    countrycode: formatNetworkCode(`+${country.dialCode}`, state.readings),
    countryiso: country.iso,
    price: formatAmount(country.lookupPrice, state.readings),
  }));

  return done({ currency: CURRENCY, pricing });
}

/** GET {mobile}. HLR spec §4. */
export function lookUp(state: SimulatorState, request: CallRequest): Outcome {
  const { ledger, readings } = state;
  if (!state.account.mayLookUp) return refuse(2004);

  // A number in a URL is always a string, whatever form is required in bodies.
  const digits = readMobile(request.subject, { ...readings, numericMembers: 'either' });
  if (digits === null) return refuse(readings.invalidPhoneCode);

  const subscriber = state.subscribers.get(digits);
  if (subscriber === undefined) return refuse(2005);
  if (subscriber.lookupError !== undefined) return refuse(subscriber.lookupError);

  const price =
    subscriber.status === 'invalid' && !readings.invalidLookupCosts ? '0' : lookupPrice(digits);
  if (!ledger.covers(price)) return refuse(1006);
  ledger.charge(price);

  return done(formatLookup(readings, digits, subscriber, price));
}

/** HLR spec §2, lookup result. */
function formatLookup(
  readings: Readings,
  digits: string,
  subscriber: Subscriber,
  price: string,
): unknown {
  const { status, advancedStatus } = subscriber;
  const bare = {
    phone: formatMobile(digits, readings),
    status,
    ...(advancedStatus !== undefined && { advanced_status: advancedStatus }),
  };
  if (status === 'invalid' && readings.invalidLookup === 'bare') return bare;

  return {
    ...bare,
    mcc: formatNetworkCode(subscriber.mcc, readings),
    mnc: formatNetworkCode(subscriber.mnc, readings),
    imsi: formatNetworkCode(subscriber.imsi, readings),
    msc: formatNetworkCode(subscriber.msc, readings),
    cost: formatAmount(price, readings),
    country: subscriber.country,
    operator: subscriber.operator,
  };
}
