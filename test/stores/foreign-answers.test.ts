import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';

import { StoreError } from '../../src/errors';
import type {
  DeviceRotation,
  KnownBrowser,
  Login,
  SmsOtpStore,
  TrustedDevice,
} from '../../src/stores/store';
import { makeChallenge } from './make-challenge';
import { makeBrowser, makeDevice, makeLogin } from './make-device';
import { casesOf } from '../support/complete-run';

const word = fc.constantFrom(
  'claimed',
  'acquired',
  'stored',
  'held',
  'false',
  '1',
  '0',
  'rotated',
  'stale',
  'true',
  null,
  undefined,
  false,
);
const record = fc.constantFrom(
  JSON.stringify(makeChallenge('a')),
  JSON.stringify(makeChallenge('b')),
  JSON.stringify(makeDevice('a')),
  JSON.stringify(makeDevice('b')),
  JSON.stringify(makeBrowser('a')),
  JSON.stringify(makeBrowser('a', { userId: 'other' })),
  JSON.stringify(makeLogin('a')),
  JSON.stringify(makeLogin('b')),
  '1:5:x',
  `1:5:1:2:hash::${JSON.stringify(makeDevice('a'))}`,
  `1:5:1:${JSON.stringify(makeBrowser('a'))}`,
  `2:5:1:${JSON.stringify(makeBrowser('a'))}`,
  `1:5:1:x:hash::${JSON.stringify(makeDevice('a'))}`,
);
const number = fc.constantFrom(-1, 0, 1, 5, 6, 1.5, '5', '6', '05', '-1', null);
const value = fc.oneof(number, word, record, fc.anything());
const seenAt = fc.constantFrom('5', '1.5', 'x', '', null, 5);
const user = fc.constantFrom('user', 'other', null);
/**
 * What a server, a proxy or a client library between may answer: near to what is right, or
 * anything.
 */
const redisReply = fc.oneof(
  fc.tuple(fc.oneof(number, word), record),
  fc.tuple(number, number, number, number),
  fc.tuple(record, seenAt, user),
  fc.array(fc.tuple(fc.constantFrom('a', 'b', null), record, seenAt), { maxLength: 2 }),
  fc.array(value, { maxLength: 5 }),
  value,
);
const postgresRow = fc.record(
  {
    ...{ attempt: number, record: fc.oneof(record, value), outcome: word, version: word },
    ...{ login_id: fc.constantFrom('a', 'b', null), user_id: user, seen: seenAt },
    ...{ fence: number, token_fence: number, sealed: value },
    ...{ refused_by: number, is_odd: word, count: number, reset_ms: number, locked_ms: number },
    ...{
      is_spent: word,
      ids: fc.oneof(fc.constantFrom('[]', '["a"]', '[1]', '{}'), value),
      note: fc.oneof(word, value),
    },
  },
  { requiredKeys: ['record'] },
);
const postgresRows = fc.array(postgresRow, { maxLength: 2 });

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

  const tokenless = { version: '1', token_fence: null, sealed: null };
  it.each([
    { outcome: 'x', fence: '1', ...tokenless },
    { outcome: 'acquired', fence: 'x', ...tokenless },
    { outcome: 'stored', fence: '1', ...tokenless },
    { outcome: 'acquired', fence: '1', version: '1', token_fence: '1', sealed: 5 },
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
      const error = await store.challenges.claim('a').catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(StoreError);
      expect(
        `${String(error)} ${JSON.stringify(error)} ${String((error as Error).stack)}`,
      ).not.toContain('secret');
      expect((error as Error).cause).toEqual({ name: 'Error', code: null });
    }
  });
});

type Reply = () => Promise<unknown>;

/**
 * How the calls behave whose answers are neither what the contract says nor a StoreError: none, or
 * a counterexample.
 */
async function misbehaviour(
  replies: fc.Arbitrary<unknown>,
  makeStore: (reply: Reply) => Required<SmsOtpStore>,
): Promise<unknown> {
  const property = fc.asyncProperty(replies, async (reply) => {
    const store = makeStore(() => Promise.resolve(reply));
    const { challenges, counters, tokens, recoveryCodes, devices, browsers, logins, notes } = store;
    const token = { seenHash: 'x', nextHash: 'y', usedAt: 1 };
    const seen = { at: 1, everySeconds: 60, ttlSeconds: 600 };
    const verdicts = await Promise.all([
      isSo(challenges.claim('a'), isClaim),
      isSo(challenges.find('a'), (found) => found === null || found.challenge.otpId === 'a'),
      isSo(challenges.consume('a'), (isMine) => typeof isMine === 'boolean'),
      isSo(counters.charge([{ key: 'a', windowSeconds: 9 }]), isCharge),
      isSo(tokens.read('a'), isToken),
      isSo(
        recoveryCodes.spend('a', 'x'),
        ({ isSpent, left }) => typeof isSpent === 'boolean' && isCount(left),
      ),
      isSo(recoveryCodes.count('a'), isCount),
      isSo(recoveryCodes.replace('a', ['x']), (isWritten) => typeof isWritten === 'boolean'),
      isSo(devices.rotate('user', 'a', token), isRotation),
      isSo(devices.list('user'), (listed) => listed.every(isDeviceOfUser)),
      isSo(devices.removeAll('user'), isCount),
      isSo(browsers.remember(makeBrowser('a'), 600, 5), isListOfIds),
      isSo(browsers.list('user'), (listed) => listed.every(isBrowserOfUser)),
      isSo(browsers.forget('user'), isListOfIds),
      isSo(logins.begin(makeLogin('a'), 600, 5), isListOfIds),
      isSo(
        logins.find('a'),
        (found) => found === null || (found.loginId === 'a' && isLogin(found)),
      ),
      isSo(
        logins.find('a', seen),
        (found) => found === null || (found.loginId === 'a' && isLogin(found)),
      ),
      isSo(logins.end('a'), (isMine) => typeof isMine === 'boolean'),
      isSo(logins.list('user'), (listed) =>
        listed.every((one) => one.userId === 'user' && isLogin(one)),
      ),
      isSo(logins.endAll('user'), isListOfIds),
      isSo(notes.read('a'), (text) => text === null || typeof text === 'string'),
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

function isClaim(claim: Awaited<ReturnType<SmsOtpStore['challenges']['claim']>>): boolean {
  if (claim.outcome !== 'claimed') return ['exhausted', 'unknown'].includes(claim.outcome);
  const { attempt, challenge } = claim;
  return challenge.otpId === 'a' && attempt >= 1 && attempt <= challenge.maxAttempts;
}

function isCharge({
  refusedBy,
  counts,
}: Awaited<ReturnType<SmsOtpStore['counters']['charge']>>): boolean {
  const [first, ...more] = counts;
  const numbers = [first?.count, first?.resetSeconds, first?.lockedSeconds];
  return (
    (refusedBy === null || refusedBy === 0) &&
    more.length === 0 &&
    numbers.every((number) => Number.isSafeInteger(number) && Number(number) >= 0)
  );
}

function isCount(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 0;
}

function isRotation(rotation: DeviceRotation): boolean {
  if (rotation.outcome === 'unknown') return true;
  const { outcome, device } = rotation;
  return (
    ['rotated', 'stale'].includes(outcome) && isDeviceOfUser(device) && device.deviceId === 'a'
  );
}

function isDeviceOfUser(device: TrustedDevice): boolean {
  const times = [device.createdAt, device.lastUsedAt, device.expiresAt];
  return device.userId === 'user' && times.every(Number.isFinite);
}

function isBrowserOfUser({ browserId, userId, seenAt }: KnownBrowser): boolean {
  return typeof browserId === 'string' && userId === 'user' && Number.isFinite(seenAt);
}

function isLogin({ userId, startedAt, lastSeenAt }: Login): boolean {
  return typeof userId === 'string' && [startedAt, lastSeenAt].every(Number.isFinite);
}

function isListOfIds(ids: readonly string[]): boolean {
  return Array.isArray(ids) && ids.every((id) => typeof id === 'string');
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
