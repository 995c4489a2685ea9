import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';

import { StoreError } from '../../src/errors';
import { guardStore } from '../../src/stores/guarded-store';
import { memoryStore } from '../../src/stores/memory/memory-store';
import type { SmsOtpStore } from '../../src/stores/store';
import { makeBegin, makeFinish, makeRecord } from './make-stored';
import {
  MADE_AT,
  makeDevice,
  makePendingBegin,
  makeSentOtp,
  makeWaitingLogin,
} from './make-values';
import { casesOf } from '../support/complete-run';

// What comes back for records, pending logins and finish is in `redis-answers` and
// `postgres-answers`; here are counters and tokens.

const word = fc.constantFrom('acquired', 'stored', 'held', 'false', '1', '0', null, undefined);
const text = fc.constantFrom('1:5:x', '2:5:x', '1:x:y', 'x', '');
const number = fc.constantFrom(-1, 0, 1, 5, 6, 1.5, '5', '6', '05', '-1', null);
const value = fc.oneof(number, word, text, fc.anything());
/**
 * What a server, a proxy or a client library between may answer: near to what is right, or
 * anything.
 */
const redisReply = fc.oneof(
  fc.tuple(number, number, number, number),
  fc.tuple(number, number, number, number, number),
  fc.array(value, { maxLength: 5 }),
  value,
);
const problem = fc.constantFrom(null, 'malformed record', 'x', undefined);
const postgresRow = fc.record(
  {
    ...{ fence: number, stored: number, sealed: value, outcome: word, version: word },
    ...{ refused: number, problem, count: number, reset: number, locked: number },
    generation: number,
  },
  { requiredKeys: ['count'] },
);
const postgresRows = fc.array(postgresRow, { maxLength: 2 });

/** A call of a guarded store, by the name that its error says. */
type Call = keyof typeof ASKED;

const guarded = (store: SmsOtpStore) => guardStore(store, () => MADE_AT);
const ASKED = {
  begin: (store: SmsOtpStore) =>
    guarded(store).pendingLogins.begin(makePendingBegin('a'), makeBegin()),
  attach: (store: SmsOtpStore) => guarded(store).pendingLogins.attach('a', makeSentOtp('x'), false),
  claim: (store: SmsOtpStore) => guarded(store).pendingLogins.claim('a', { of: 'otp', most: 5 }),
  find: (store: SmsOtpStore) => guarded(store).pendingLogins.find('a'),
  findNewest: (store: SmsOtpStore) => guarded(store).pendingLogins.findNewest('user', 'session'),
  end: (store: SmsOtpStore) => guarded(store).pendingLogins.end('a'),
  finish: (store: SmsOtpStore) => guarded(store).pendingLogins.finish('a', makeFinish()),
  charge: (store: SmsOtpStore) => guarded(store).counters.charge([{ key: 'a', windowSeconds: 9 }]),
  'records.put': (store: SmsOtpStore) => guarded(store).devices.put(makeDevice('a')),
  'records.find': (store: SmsOtpStore) => guarded(store).devices.find('user', 'a'),
  'records.swap': (store: SmsOtpStore) =>
    guarded(store).devices.swap(makeDevice('a'), makeDevice('b')),
  'records.list': (store: SmsOtpStore) => guarded(store).devices.list('user'),
  'records.remove': (store: SmsOtpStore) => guarded(store).devices.remove('user', 'a'),
  'records.removeAll': (store: SmsOtpStore) => guarded(store).devices.removeAll('user'),
};

describe('whatever the server returns', () => {
  it('redisStore with node-redis returns what its contract says, or refuses', async () => {
    const found = await misbehaviour(redisReply, (reply) =>
      redisStore({ evalSha: reply, eval: reply }, { onWarning }),
    );
    expect(found).toBeNull();
  });

  it('redisStore with ioredis returns what its contract says, or refuses', async () => {
    const found = await misbehaviour(redisReply, (reply) =>
      redisStore({ status: 'ready', evalsha: reply, eval: reply }, { onWarning }),
    );
    expect(found).toBeNull();
  });

  it('postgresStore returns what its contract says, or refuses', async () => {
    const query = (reply: Reply) => async (): Promise<{ rows: unknown[] }> => ({
      rows: (await reply()) as unknown[],
    });
    expect(
      await misbehaviour(postgresRows, (reply) => postgresStore({ query: query(reply) })),
    ).toBeNull();
  });

  it.each(
    [
      ['x'],
      ['acquired', 'x', null],
      ['acquired', null, null],
      ['stored', null],
      [],
      'acquired',
      null,
    ].map((reply) => ({
      reply,
    })),
  )('redisStore renews no token on the answer $reply', async ({ reply }) => {
    const answer = (): Promise<unknown> => Promise.resolve(reply);
    const { tokens } = redisStore({ evalSha: answer, eval: answer }, { onWarning });
    await expect(tokens.renew('a', 0, notReached)).rejects.toThrow(StoreError);
  });

  const tokenless = { version: '1', stored: null, sealed: null };
  it.each([
    { outcome: 'x', fence: '1', ...tokenless },
    { outcome: 'acquired', fence: 'x', ...tokenless },
    { outcome: 'stored', fence: '1', ...tokenless },
    { outcome: 'acquired', fence: '1', version: '1', stored: '1', sealed: 5 },
    { outcome: 'acquired', fence: '1' },
    {},
  ])('postgresStore renews no token on the answer %j', async (row) => {
    const { tokens } = postgresStore({ query: () => Promise.resolve({ rows: [row] }) });
    await expect(tokens.renew('a', 0, notReached)).rejects.toThrow(StoreError);
  });

  it('an error of the client library becomes a StoreError that repeats nothing of it', async () => {
    const failure = Object.assign(new Error('secret'), {
      name: 'secret',
      code: 'secret',
      stack: 'secret',
    });
    const fail = (): Promise<never> => Promise.reject(failure);
    for (const store of [
      redisStore({ evalSha: fail, eval: fail }),
      postgresStore({ query: fail }),
    ]) {
      const error = await store.pendingLogins.find('a').catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(StoreError);
      expect(
        `${String(error)} ${JSON.stringify(error)} ${String((error as Error).stack)}`,
      ).not.toContain('secret');
      expect((error as Error).cause).toEqual({ name: 'Error', code: null });
    }
  });
});

describe('whatever a store of another maker returns', () => {
  const [login, sent] = [makeWaitingLogin('a'), makeSentOtp('x')];
  const otps = [{ otpId: 'x', value: JSON.stringify(sent) }];
  const active = { userId: 'user', value: JSON.stringify(login), sends: 1, otps };
  const other = { ...active, userId: 'other' };
  const stored = makeRecord('a', { value: JSON.stringify(makeDevice('a')) });
  const put = { isPut: true, gone: [], replaced: null };
  const finished = { isFinished: true, results: [put], replaced: stored };
  const count = { count: 1, resetSeconds: 5, lockedSeconds: 0, generation: 1 };

  it.each<[call: Call, right: unknown, wrong: readonly unknown[]]>([
    [
      'begin',
      { outcome: 'joined', pendingId: 'a', login: active },
      [
        undefined,
        null,
        true,
        'begun',
        { outcome: 'other' },
        { outcome: 'joined' },
        { outcome: 'joined', pendingId: 'a' },
        { outcome: 'joined', login: active },
        { outcome: 'joined', pendingId: 5, login: active },
        { outcome: 'joined', pendingId: 'other', login: active },
        { outcome: 'joined', pendingId: 'a', login: 'passed' },
        { outcome: 'joined', pendingId: 'a', login: other },
        { outcome: 'joined', pendingId: 'a', login: { ...active, sends: -1 } },
      ],
    ],
    ['begin', { outcome: 'begun' }, [{ outcome: 'Begun' }]],
    ['begin', { outcome: 'refused' }, [{ outcome: null }]],
    ['attach', false, [undefined, 0]],
    ['end', true, [undefined, 1]],
    [
      'find',
      active,
      [
        undefined,
        'active',
        { ...active, userId: 5 },
        other,
        { ...active, sends: -1 },
        { ...active, sends: '1' },
        { ...active, otps: null },
        { ...active, otps: [...otps, ...otps, ...otps] },
        { ...active, otps: [{ otpId: 'x' }] },
        { ...active, otps: [{ ...otps[0], otpId: 'y' }] },
        { ...active, value: { login } },
      ],
    ],
    ['find', 'passed', ['ended', true]],
    [
      'findNewest',
      { pendingId: 'a', login: active },
      [
        undefined,
        'passed',
        active,
        { login: active },
        { pendingId: 'a' },
        { pendingId: 5, login: active },
        { pendingId: 'other', login: active },
        { pendingId: 'a', login: null },
        { pendingId: 'a', login: 'passed' },
        { pendingId: 'a', login: other },
        { pendingId: 'a', login: { ...active, otps: null } },
      ],
    ],
    [
      'claim',
      { outcome: 'claimed', attempt: 1, otpId: 'x', login: active },
      [
        undefined,
        'unknown',
        { outcome: 'other' },
        { outcome: 'claimed', attempt: 0, otpId: 'x', login: active },
        { outcome: 'claimed', attempt: 1.5, otpId: 'x', login: active },
        { outcome: 'claimed', attempt: '1', otpId: 'x', login: active },
        { outcome: 'claimed', attempt: 1, otpId: 'never', login: active },
        { outcome: 'claimed', attempt: 1, login: active },
        { outcome: 'claimed', attempt: 1, otpId: 'x', login: null },
      ],
    ],
    [
      'finish',
      finished,
      [
        undefined,
        true,
        { isFinished: 1 },
        { isFinished: true },
        { ...finished, isFinished: 1 },
        { ...finished, results: undefined },
        { ...finished, results: [{ ...put, gone: undefined }] },
        { ...finished, results: [{ ...put, gone: [5] }] },
        { ...finished, results: [{ ...put, replaced: undefined }] },
        { ...finished, results: [{ ...put, replaced: { ...stored, tag: 5 } }] },
        { ...finished, replaced: undefined },
        { ...finished, replaced: 'a' },
        { ...finished, replaced: { ...stored, rank: '1' } },
      ],
    ],
    [
      'charge',
      { refusedBy: null, counts: [count] },
      [
        undefined,
        { refusedBy: null, counts: [] },
        { refusedBy: null, counts: [count, count] },
        { counts: [count] },
        { refusedBy: 1, counts: [count] },
        { refusedBy: -1, counts: [count] },
        { refusedBy: null, counts: [{ ...count, count: '1' }] },
        { refusedBy: null, counts: [{ ...count, count: Number.NaN }] },
        { refusedBy: null, counts: [{ ...count, resetSeconds: undefined }] },
        { refusedBy: null, counts: [{ ...count, lockedSeconds: -1 }] },
        { refusedBy: null, counts: [{ ...count, generation: undefined }] },
      ],
    ],
    [
      'records.put',
      { ...put, replaced: stored },
      [
        undefined,
        true,
        { ...put, isPut: 1 },
        { ...put, gone: undefined },
        { ...put, replaced: undefined },
        { ...put, replaced: true },
        { ...put, replaced: { ...stored, value: null } },
      ],
    ],
    ['records.find', stored, [undefined, 'x', { ...stored, id: 5 }, { ...stored, rank: '1' }]],
    ['records.swap', false, [undefined, 0]],
    ['records.list', [stored], [undefined, null, {}, [null], [{ ...stored, tag: undefined }]]],
    ['records.remove', true, [undefined, 1]],
    ['records.removeAll', ['a'], [undefined, null, 1, [1]]],
  ])('the answer of %s is what the contract says, or refused', async (call, right, wrong) => {
    await expect(answerOf(call, right)).resolves.toBeDefined();
    for (const answer of wrong) await expect(answerOf(call, answer)).rejects.toThrow(StoreError);
  });

  it.each(Object.keys(ASKED) as Call[])(
    'no answer of %s comes through as anything else than an answer or a StoreError',
    async (call) => {
      const property = fc.asyncProperty(fc.anything(), async (answer) => {
        const outcome = await answerOf(call, answer).catch((error: unknown) => error);
        return outcome instanceof StoreError || !(outcome instanceof Error);
      });
      const { failed, counterexample } = await fc.check(property, { numRuns: casesOf(100) });
      expect(failed ? counterexample : null).toBeNull();
    },
  );
});

/** What a guarded store makes of this answer of its store, whatever is called. */
function answerOf(call: Call, answer: unknown): Promise<unknown> {
  // A store of another maker may return anything.
  const reply = (): Promise<never> => Promise.resolve(answer as never);
  return ASKED[call]({
    pendingLogins: {
      ...{ begin: reply, attach: reply, claim: reply, find: reply, findNewest: reply },
      ...{ end: reply, endAll: reply },
    },
    counters: { charge: reply, clear: reply, unlock: reply },
    records: {
      ...{ put: reply, find: reply, swap: reply, list: reply, remove: reply, removeAll: reply },
    },
    tokens: memoryStore().tokens,
    finish: reply,
  });
}

type Reply = () => Promise<unknown>;

/**
 * How the calls behave whose answers are neither what the contract says nor a StoreError: none, or
 * a counterexample.
 */
async function misbehaviour(
  replies: fc.Arbitrary<unknown>,
  makeStore: (reply: Reply) => SmsOtpStore,
): Promise<unknown> {
  const property = fc.asyncProperty(replies, async (reply) => {
    const { counters, tokens } = makeStore(() => Promise.resolve(reply));
    const verdicts = await Promise.all([
      isSo(counters.charge([{ key: 'a', windowSeconds: 9 }]), isCharge),
      isSo(tokens.read('a'), isToken),
    ]);
    return verdicts.every((isGood) => isGood);
  });
  const { failed, counterexample } = await fc.check(property, { numRuns: casesOf(1_000) });
  return failed ? counterexample : null;
}

async function isSo<Answer>(
  call: Promise<Answer>,
  isGood: (answer: Answer) => boolean,
): Promise<boolean> {
  return call.then(isGood, (error: unknown) => error instanceof StoreError);
}

function isCharge({
  refusedBy,
  counts,
}: Awaited<ReturnType<SmsOtpStore['counters']['charge']>>): boolean {
  const [first, ...more] = counts;
  const numbers = [first?.count, first?.resetSeconds, first?.lockedSeconds, first?.generation];
  return (
    (refusedBy === null || refusedBy === 0) &&
    more.length === 0 &&
    numbers.every((number) => Number.isSafeInteger(number) && Number(number) >= 0)
  );
}

function isToken(token: Awaited<ReturnType<SmsOtpStore['tokens']['read']>>): boolean {
  return token === null || (Number.isSafeInteger(token.fence) && typeof token.sealed === 'string');
}

function notReached(): Promise<never> {
  return Promise.reject(new Error('not reached'));
}

function onWarning(): void {
  // What the servers of this test are set to is of no interest.
}
