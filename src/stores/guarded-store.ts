import { answerInTime } from './answer-in-time';
import type { ChallengeStore, CounterStore, SmsOtpStore } from './store';

/** The parts of a store that the decision uses. Tokens have a deadline of their own: the authentication's. */
export type GuardedStore = Pick<SmsOtpStore, 'challenges' | 'counters'>;

/**
 * Any store with a deadline of 2 s on every call, and every failure turned into a `StoreError`: nothing of what a
 * foreign store throws goes further.
 * @param onFailure hears the name of each call that failed.
 */
export function guardStore(store: SmsOtpStore, onFailure: (operation: string) => void): GuardedStore {
  const guard = <Result>(operation: string, call: () => Promise<Result>): Promise<Result> =>
    answerInTime(operation, call).catch((error: unknown) => {
      onFailure(operation);
      throw error;
    });
  const { challenges, counters } = store;
  return { challenges: guardChallenges(challenges, guard), counters: guardCounters(counters, guard) };
}

type Guard = <Result>(operation: string, call: () => Promise<Result>) => Promise<Result>;

function guardChallenges(challenges: ChallengeStore, guard: Guard): ChallengeStore {
  return {
    begin: (challenge, ttlSeconds) => guard('begin', () => challenges.begin(challenge, ttlSeconds)),
    claim: (otpId) => guard('claim', () => challenges.claim(otpId)),
    find: (otpId) => guard('find', () => challenges.find(otpId)),
    consume: (otpId) => guard('consume', () => challenges.consume(otpId)),
    discard: (otpId) => guard('discard', () => challenges.discard(otpId)),
    discardAll: (userId) => guard('discardAll', () => challenges.discardAll(userId)),
  };
}

function guardCounters(counters: CounterStore, guard: Guard): CounterStore {
  return {
    charge: (charged) => guard('charge', () => counters.charge(charged)),
    clear: (keys, options) => guard('clear', () => counters.clear(keys, options)),
    lock: (key, seconds) => guard('lock', () => counters.lock(key, seconds)),
  };
}
