import type { World } from '../state';
import { COUNTRIES, type Country, type Network, NETWORKS } from '../state/networks';
import { lookupPrice, type Subscriber } from '../state/subscribers';
import { type CallRequest, done, type Outcome, readMobile, refuse, showAmount, showMobile } from './call';

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

/** GET {mobile}. HLR spec §4. */
export function lookUp(world: World, { subject }: CallRequest): Outcome {
  const { account, ledger, readings, subscribers } = world;
  if (!account.mayLookUp) return refuse(2004);
  // A number in a URL is text, however the members of bodies are read.
  const digits = readMobile(subject, { ...readings, numericMembers: 'either' });
  if (digits === null) return refuse(readings.invalidPhoneCode);
  const subscriber = subscribers.get(digits);
  if (subscriber === undefined) return refuse(2005);
  if (subscriber.lookupError !== undefined) return refuse(subscriber.lookupError);
  const price = subscriber.status === 'invalid' && !readings.invalidLookupCosts ? '0' : lookupPrice(digits);
  if (!ledger.covers(price)) return refuse(1006);
  ledger.charge(price);
  return done(showLookup(world, digits, subscriber, price));
}

/** HLR spec §2, lookup result. */
function showLookup({ readings }: World, digits: string, subscriber: Subscriber, price: string): unknown {
  const { status, advancedStatus, mcc, mnc, imsi, msc, country, operator } = subscriber;
  const verdict = {
    phone: showMobile(digits, readings),
    status,
    ...(advancedStatus !== undefined && { advanced_status: advancedStatus }),
  };
  if (status === 'invalid' && readings.invalidLookup === 'bare') return verdict;
  return { ...verdict, mcc, mnc, imsi, msc, cost: showAmount(price, readings), country, operator };
}
