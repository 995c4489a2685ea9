import type { SmsOtpStore } from '../../src/stores/store';
import { STORE_TIMEOUT_MS, waitAtMost } from '../../src/stores/with-timeout';
import { makeBegin, makeFinish, makeOtp, makePendingLogin, makeRecord } from './make-stored';

/** How many calls are made here: every one that a store has, `end` with an OTP id and without. */
export const EVERY_CALL = 21;

/** What came of every call of a store at once: the error where it rejected. */
export function outcomesOfEveryCall(store: SmsOtpStore): Promise<unknown[]> {
  return Promise.all(everyCall(store).map((call) => call().catch((error: unknown) => error)));
}

/**
 * The same, as long as all have ended before a call ends that has twice the time of a store's.
 * @throws {Error} otherwise.
 */
export function outcomesWithinDeadline(store: SmsOtpStore): Promise<unknown[]> {
  return waitAtMost(
    outcomesOfEveryCall(store),
    2 * STORE_TIMEOUT_MS,
    () => new Error('a call took longer than its deadline'),
  );
}

/** Every call, in an order in which all do something. */
export function everyCall(store: SmsOtpStore): readonly (() => Promise<unknown>)[] {
  const { counters, tokens } = store;
  const renewed = { sealed: 'x', ttlSeconds: 60 };
  return [
    ...everyRecordCall(store),
    () => counters.charge([{ key: 'a', windowSeconds: 60 }]),
    () => counters.clear(['a']),
    () => counters.unlock(['a']),
    () => tokens.read('account'),
    () => tokens.renew('account', 0, () => Promise.resolve(renewed)),
  ];
}

/** Every call of records and pending logins, and `finish`, in an order in which all do something. */
export function everyRecordCall(store: SmsOtpStore): readonly (() => Promise<unknown>)[] {
  const { records, pendingLogins } = store;
  const of = { kind: 'login', owner: 'user' };
  const put = { ...of, record: makeRecord('a'), ttlSeconds: 60, most: 5 };
  const window = { key: 'a', windowSeconds: 60 };
  const changes = { clears: ['b'], charges: [window], puts: [put], replaces: { ...of, id: 'b' } };
  return [
    () => records.put(put),
    () => records.find({ ...of, id: 'a' }),
    () => records.swap({ ...of, id: 'a' }, 'tag', makeRecord('b'), null),
    () => records.list(of),
    () => records.remove({ ...of, id: 'a' }, 'tag'),
    () => records.removeAll(of, 'b'),
    () => pendingLogins.begin(makePendingLogin('a', { series: 'session' }), makeBegin()),
    () => pendingLogins.attach('a', makeOtp('x'), { endsPrevious: true }),
    () => pendingLogins.attach('a', makeOtp('y')),
    () => pendingLogins.claim('a', { of: 'otp', most: 5 }),
    () => pendingLogins.find('a'),
    () => pendingLogins.findNewest('user', 'session'),
    () => pendingLogins.end('a', { otpId: 'x' }),
    () => store.finish('a', makeFinish({ ...changes, leavesMark: true })),
    () => pendingLogins.end('a'),
    () => pendingLogins.endAll('user', 'b'),
  ];
}
