import { lookupPrice, type Subscriber } from '../state/subscribers';
import type { World } from '../world';
import { done, refuse, type CallRequest, type Outcome } from './call';
import { readMobile } from './request-members';
import { showAmount, showMobile } from './shown';

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
