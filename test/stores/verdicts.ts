import { StoreError } from '../../src/errors';
import type { SmsOtpStore, PendingClaim, PutResult, StoredRecord } from '../../src/stores/store';
import { makeBegin, makeFinish, makePendingLogin, makeRecord } from './make-stored';

/** Says of each call whether it returns what the contract says, or is refused with a StoreError. */
export function verdictsOn(store: SmsOtpStore): readonly Promise<boolean>[] {
  const { records, pendingLogins } = store;
  const of = { kind: 'login', owner: 'user' };
  const put = { ...of, record: makeRecord('a'), ttlSeconds: 60 };
  return [
    isSo(records.put(put), isPutResult),
    isSo(records.find({ ...of, id: 'a' }), (found) => found === null || isRecord(found)),
    isSo(records.swap({ ...of, id: 'a' }, 'tag', put.record, 60), isBoolean),
    isSo(records.list(of), (listed) => listed.every(isRecord)),
    isSo(records.remove({ ...of, id: 'a' }), isBoolean),
    isSo(records.removeAll(of), isListOfIds),
    isSo(
      pendingLogins.begin(makePendingLogin('a'), makeBegin()),
      (begun) => begun.outcome !== 'joined' || isLogin(begun.login),
    ),
    isSo(pendingLogins.attach('a', { otpId: 'x', value: '' }), isBoolean),
    isSo(pendingLogins.claim('a', { of: 'otp', most: 5 }), isClaim),
    isSo(pendingLogins.find('a'), (found) => typeof found !== 'object' || isLogin(found)),
    isSo(
      pendingLogins.findNewest('user', 'session'),
      (found) => found === null || (typeof found.pendingId === 'string' && isLogin(found.login)),
    ),
    isSo(pendingLogins.end('a'), isBoolean),
    isSo(
      store.finish('a', makeFinish({ puts: [put] })),
      (finished) =>
        !finished.isFinished ||
        (finished.results.length === 1 &&
          finished.results.every(isPutResult) &&
          (finished.replaced === null || isRecord(finished.replaced))),
    ),
  ];
}

async function isSo<Result>(
  call: Promise<Result>,
  isGood: (result: Result) => boolean,
): Promise<boolean> {
  return call.then(isGood, (error: unknown) => error instanceof StoreError);
}

function isBoolean(answer: unknown): boolean {
  return typeof answer === 'boolean';
}

function isListOfIds(ids: readonly string[]): boolean {
  return Array.isArray(ids) && ids.every((id) => typeof id === 'string');
}

function isPutResult({ isPut, gone, replaced }: PutResult): boolean {
  return isBoolean(isPut) && isListOfIds(gone) && (replaced === null || isRecord(replaced));
}

function isRecord({ id, tag, rank, value: stored }: StoredRecord): boolean {
  return [id, tag, stored].every((one) => typeof one === 'string') && Number.isFinite(rank);
}

function isClaim(claim: PendingClaim): boolean {
  if (claim.outcome !== 'claimed') return ['exhausted', 'unknown'].includes(claim.outcome);
  const { attempt, otpId, login } = claim;
  const isOtpId = otpId === null || typeof otpId === 'string';
  return Number.isSafeInteger(attempt) && attempt > 0 && isOtpId && isLogin(login);
}

function isLogin(login: unknown): boolean {
  if (login === null) return true;
  const { userId, value: stored, sends, otps } = login as Record<string, unknown>;
  const isOtp = (otp: { otpId: unknown; value: unknown }): boolean =>
    typeof otp.otpId === 'string' && typeof otp.value === 'string';
  const areOtps = Array.isArray(otps) && otps.length <= 2 && otps.every(isOtp);
  const areStrings = typeof userId === 'string' && typeof stored === 'string';
  return areStrings && Number.isSafeInteger(sends) && Number(sends) >= 0 && areOtps;
}
