import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { StoreError } from '../../src/errors';
import type { PendingClaim, PutResult, SmsOtpStore, StoredRecord } from '../../src/stores/store';
import { redisStore } from 'passport-sms-otp/redis';
import { casesOf } from '../support/complete-run';
import { everyNextCall, makeFinish, makePendingLogin, makeRecord } from './make-next-parts';

const word = fc.constantFrom('a', 'passed', '', null, undefined, false, true);
const number = fc.constantFrom(-1, 0, 1, 1.5, '0', '1', '05', '-1', null);
const entry = fc.constantFrom(
  '1:0:1:3:tagvalue',
  '1:0:-1.5e+30:0:',
  '1:0:1:9:tag',
  '1:0:e:3:tag',
  '2:0:1:3:tag',
);
const value = fc.oneof(number, word, entry, fc.anything());
/** What a server, a proxy or a client library between may answer: near to what is right, or not. */
const reply = fc.oneof(
  value,
  entry,
  fc.tuple(fc.constantFrom('a', null), entry),
  fc.tuple(word, word, number, word, word),
  fc.tuple(number, word, word, word, number, word, word),
  fc.array(fc.array(word, { maxLength: 2 }), { maxLength: 2 }),
  fc.array(value, { maxLength: 6 }),
);

describe.each([
  ['node-redis', (answer: Answer) => ({ evalSha: answer, eval: answer })],
  ['ioredis', (answer: Answer) => ({ status: 'ready', evalsha: answer, eval: answer })],
])('redisStore with %s', (_library, makeClient) => {
  const makeStore = (answer: unknown): SmsOtpStore =>
    redisStore(
      makeClient(() => Promise.resolve(answer)),
      { onWarning: () => undefined },
    );

  it('returns what the contract says of every part, or refuses, whatever is answered', async () => {
    const property = fc.asyncProperty(reply, async (answer) => {
      const verdicts = await Promise.all(verdictsOn(makeStore(answer)));
      return verdicts.every((isGood) => isGood);
    });
    const { failed, counterexample } = await fc.check(property, { numRuns: casesOf(1_000) });
    expect(failed ? counterexample : null).toBeNull();
  });

  it('refuses every call that is answered with an object', async () => {
    const calls = everyNextCall(makeStore({})).map((call) =>
      call().catch((error: unknown) => error),
    );
    const outcomes = await Promise.all(calls);
    // Only the one that returns nothing reads no answer.
    expect(outcomes.filter((outcome) => !(outcome instanceof StoreError))).toEqual([undefined]);
  });
});

type Answer = () => Promise<unknown>;

function verdictsOn(store: SmsOtpStore): readonly Promise<boolean>[] {
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
    isSo(pendingLogins.begin(makePendingLogin('a'), 60), isBoolean),
    isSo(pendingLogins.attach('a', { otpId: 'x', value: '' }), isBoolean),
    isSo(pendingLogins.claim('a', { of: 'text', most: 5 }), isClaim),
    isSo(pendingLogins.find('a'), (found) => typeof found !== 'object' || isLogin(found)),
    isSo(pendingLogins.end('a'), isBoolean),
    isSo(
      store.finish('a', makeFinish({ puts: [put] })),
      (finished) =>
        !finished.isFinished ||
        (finished.results.length === 1 && finished.results.every(isPutResult)),
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

function isPutResult({ isPut, gone }: PutResult): boolean {
  return isBoolean(isPut) && isListOfIds(gone);
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
  const { userId, value: stored, sends, texts } = login as Record<string, unknown>;
  const isText = (text: { otpId: unknown; value: unknown }): boolean =>
    typeof text.otpId === 'string' && typeof text.value === 'string';
  const areTexts = Array.isArray(texts) && texts.length <= 2 && texts.every(isText);
  const areStrings = typeof userId === 'string' && typeof stored === 'string';
  return areStrings && Number.isSafeInteger(sends) && Number(sends) >= 0 && areTexts;
}
