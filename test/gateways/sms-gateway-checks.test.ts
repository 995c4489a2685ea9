import { describe, expect, it } from '@jest/globals';
import { memoryStore, type OtpCall, type OtpGateway, type SmsOtpStore } from 'passport-sms-otp';
import {
  gatewayChecks,
  type GatewayFailure,
  type GatewayUnderTest,
  type ReceivedText,
} from 'passport-sms-otp/testing';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import { smsGateway } from 'passport-sms-otp/sms-gateway';
import { describeWithService } from '../services/describe-with-service';
import { usePostgres, useRedis } from '../services/use-service';
import { testClock } from '../support/clock';

const SECRET = 'a secret of the tests, long enough to be one';

type RecordCall = 'put' | 'find' | 'swap' | 'remove';

/** How a call of the store fails when it is to make a judgement fail. */
const STORE_FAILURES: Readonly<Record<GatewayFailure, readonly [RecordCall, FailingWork]>> = {
  refused: ['find', () => Promise.reject(new Error('the store is away'))],
  'lost-before': ['swap', () => Promise.reject(new Error('the store is away'))],
  'lost-after': ['remove', (work) => work().then(() => Promise.reject(new Error('reset')))],
  nonsense: ['remove', (work) => work().then(() => 'yes')],
  'other-shape': ['remove', (work) => work().then(() => ({ isRemoved: true }))],
  silent: ['remove', (work) => work().then(() => new Promise(() => undefined))],
};

type FailingWork = (work: () => Promise<unknown>) => Promise<unknown>;

/** `smsGateway` with a phone that receives texts, and a store that can fail. */
function underTest(store: SmsOtpStore): GatewayUnderTest {
  const clock = testClock();
  const texts = new Map<string, ReceivedText[]>();
  const failures: { call: OtpCall; failure: GatewayFailure }[] = [];
  const take = (...these: readonly GatewayFailure[]): GatewayFailure | undefined => {
    const index = failures.findIndex(
      ({ call, failure }) => call === 'generate' && these.includes(failure),
    );
    return index < 0 ? undefined : failures.splice(index, 1)[0]?.failure;
  };
  const sendSms = async (to: string, text: string): Promise<unknown> => {
    const before = take('refused', 'lost-before');
    if (before !== undefined)
      throw Object.assign(new Error(`${to} ${text}`), { mayHaveArrived: before !== 'refused' });
    const [pin = ''] = /[0-9]{6}/.exec(text) ?? [];
    texts.set(to, [...(texts.get(to) ?? []), { pin, text }]);
    const after = take('lost-after', 'nonsense', 'other-shape', 'silent');
    if (after === 'silent') return new Promise(() => undefined);
    // What it resolves to is ignored, so nonsense must be a throw.
    if (after !== undefined) throw new TypeError(`${to} ${text}`);
    return undefined;
  };
  const open = (timeoutMs = 10_000): OtpGateway =>
    smsGateway({
      sendSms,
      timeoutMs,
      store: { ...store, records: failing(store.records) },
      secret: SECRET,
      now: () => clock.now(),
    });

  /** Lets the calls of the store fail that a judgement needs. */
  function failing(records: SmsOtpStore['records']): SmsOtpStore['records'] {
    const wrap = (name: RecordCall) => {
      // Each of the calls takes what the contract says.
      const work = records[name].bind(records) as (...given: unknown[]) => Promise<unknown>;
      return (...given: unknown[]): Promise<unknown> => {
        const [next] = failures;
        const [failingCall, fail] = STORE_FAILURES[next?.failure ?? 'refused'];
        if (next?.call !== 'validate' || failingCall !== name) return work(...given);
        failures.shift();
        return fail(() => work(...given));
      };
    };
    const calls = Object.fromEntries(
      (['put', 'find', 'swap', 'remove'] as const).map((name) => [name, wrap(name)]),
    );
    return { ...records, ...calls };
  }

  return {
    gateway: open(),
    another: open,
    hasty: () => open(100),
    textsOf: (mobile) => texts.get(mobile) ?? [],
    failNext: (call, failure) => void failures.push({ call, failure }),
    passSeconds: (seconds) => clock.advanceSeconds(seconds),
    secrets: [SECRET],
    close: () => undefined,
  };
}

function passesChecks(makeStore: () => SmsOtpStore): void {
  it.each(gatewayChecks)('$title', async ({ run }) => {
    await expect(run(() => underTest(makeStore()))).resolves.toBeUndefined();
  });
}

describe('smsGateway on the memory store passes the gateway checks', () => {
  passesChecks(() => memoryStore());
});

describeWithService('redis')('smsGateway on Redis passes the gateway checks', () => {
  const redis = useRedis();
  passesChecks(() => redisStore(redis.client, { onWarning: () => undefined }));
});

describeWithService('postgres')('smsGateway on PostgreSQL passes the gateway checks', () => {
  const postgres = usePostgres((pool) => postgresStore(pool).migrate());
  passesChecks(() => postgresStore(postgres.pool));
});
