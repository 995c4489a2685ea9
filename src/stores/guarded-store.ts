import { StoreError } from '../errors';
import type { ChallengeStore, CounterStore, SmsOtpStore } from './store';

/** A store that does not answer within this time has failed. */
const STORE_TIMEOUT_MS = 2_000;

/** The parts of a store that the decision uses. Tokens have a deadline of their own: the authentication's. */
export type GuardedStore = Pick<SmsOtpStore, 'challenges' | 'counters'>;

/**
 * Any store with a deadline of 2 s on every call, and every failure turned into a `StoreError`: nothing of what a
 * foreign store throws goes further.
 * @param onFailure hears the name of each call that failed.
 */
export function guardStore(store: SmsOtpStore, onFailure: (operation: string) => void): GuardedStore {
  const guard = <Result>(operation: string, call: () => Promise<Result>): Promise<Result> =>
    withDeadline(call).catch((error: unknown) => {
      onFailure(operation);
      throw error instanceof StoreError ? error : new StoreError(operation, error);
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

async function withDeadline<Result>(call: () => Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new StoreError('no answer in time')), STORE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([call(), deadline]);
  } finally {
    clearTimeout(timer);
  }
}
