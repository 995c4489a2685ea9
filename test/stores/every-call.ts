import type { SmsOtpStore } from '../../src/stores/store';
import { makeChallenge } from './make-challenge';

/** What came of every call of a store at once: the error where it rejected. */
export function outcomesOfEveryCall(store: SmsOtpStore): Promise<unknown[]> {
  return Promise.all(everyCall(store).map((call) => call().catch((error: unknown) => error)));
}

function everyCall({ challenges, counters, tokens }: SmsOtpStore): readonly (() => Promise<unknown>)[] {
  const renewed = { sealed: 'x', ttlSeconds: 60 };
  return [
    () => challenges.begin(makeChallenge('b'), 600),
    () => challenges.claim('a'),
    () => challenges.find('a'),
    () => challenges.consume('a'),
    () => challenges.discard('a'),
    () => challenges.discardAll('user of a'),
    () => counters.charge([{ key: 'a', windowSeconds: 60 }]),
    () => counters.clear(['a']),
    () => counters.lock('a', 60),
    () => counters.lock('a', 0),
    () => tokens.read('account'),
    () => tokens.renew('account', 0, () => Promise.resolve(renewed)),
  ];
}
