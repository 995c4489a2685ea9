import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SmsOtpEvent } from 'passport-sms-otp';
import { answer, LOST, SILENT, type Fault, type FaultRow } from '../support/gateway-faults';
import { stopWatch } from '../support/stopped-watch';
import type { TestApp } from '../support/test-app';
import { visit, type Visit } from '../support/visit';
import { useSharedApp } from '../support/use-app';

const INVALID = { error: 'invalid-code' };
const NOTHING_WAITED_FOR = { error: 'no-pending-login' };

const REJECTED = { code: 'ERR_GATEWAY_REJECTED' };

/**
 * The gateway refuses, whatever the HTTP status. Last: the user's failures afterwards, and the
 * rejections.
 */
const REFUSED: readonly [string, Fault, number, object, number, number][] = [
  ['2107', { kind: 'error', code: 2107 }, 401, INVALID, 1, 1],
  ['2107 with HTTP 200', { kind: 'error', code: 2107, status200: true }, 401, INVALID, 1, 1],
  ['2107 with HTTP 500', { kind: 'error', code: 2107, httpStatus: 500 }, 401, INVALID, 1, 1],
  ['2120', { kind: 'error', code: 2120 }, 401, INVALID, 1, 1],
  ['2121', { kind: 'error', code: 2121 }, 503, REJECTED, 0, 0],
  ['2121 with HTTP 200', { kind: 'error', code: 2121, status200: true }, 503, REJECTED, 0, 0],
  ['HTTP 429 in an envelope', { kind: 'status', status: 429 }, 503, REJECTED, 0, 0],
  ['HTTP 500 in an envelope', { kind: 'status', status: 500 }, 503, REJECTED, 1, 0],
  [
    'HTTP 503 in an envelope',
    { kind: 'status', status: 503, retryAfterSeconds: 9 },
    503,
    REJECTED,
    0,
    0,
  ],
  ['2103', { kind: 'error', code: 2103 }, 502, REJECTED, 1, 0],
  ['1007', { kind: 'error', code: 1007 }, 502, REJECTED, 1, 0],
];

/** Payloads that are not the one of success. */
const ODD: readonly FaultRow[] = [true, 'ok', 0, [], { valid: false }].map((payload) => [
  `a payload of ${JSON.stringify(payload)}`,
  answer(200, JSON.stringify({ status_code: 200, status_message: 'OK', payload })),
  502,
  'ERR_GATEWAY_RESPONSE',
]);

describe.each(['A', 'B'] as const)('a validate call in variant %s', (variant) => {
  const test = useSharedApp({ variant, people: 60 });
  const hasty = useSharedApp({
    variant,
    people: 60,
    gateway: { timeoutMs: 250 },
  });
  beforeAll(() => hasty.smsOtp.warmUp());
  // The circuit breaker looks back ten seconds; it is not what these tests are about.
  afterEach(() => {
    for (const { clock, events } of [test, hasty]) {
      clock.advanceSeconds(11);
      events.length = 0;
    }
  });

  it.each(REFUSED)(
    'that is answered with %s leaves the challenge alive, one attempt gone, and counts what may have been judged',
    async (_what, fault, status, body, failures, rejections) => {
      const visitor = visit(test, test.nextUser());
      await visitor.login();
      test.sim.failNext('validate', fault);
      const refused = await visitor.enterRight();
      expect([refused.status, refused.body]).toEqual([status, body]);
      const counts = failures === 0 ? [] : [{ failures }];
      expect(told(test.events, 'failure-count-changed')).toMatchObject(counts);
      expect(told(test.events, 'rejected')).toHaveLength(rejections);
      expect((await visitor.status()).body).toMatchObject({
        pending: { purpose: 'login' },
        isAuthenticated: false,
      });
      expect(test.logins).not.toContain(visitor.user.id);
      expect((await visitor.enterRight()).status).toBe(200);
    },
  );

  it('that is answered with 503 passes its Retry-After on', async () => {
    const visitor = visit(test, test.nextUser());
    await visitor.login();
    test.sim.failNext('validate', { kind: 'status', status: 503, retryAfterSeconds: 9 });
    const refused = await visitor.enterRight();
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '9']);
  });

  it.each([429, 503])(
    'that is answered with a bare %i, which ends the challenge, promises no other try',
    async (status) => {
      const visitor = visit(test, test.nextUser());
      await visitor.login();
      const bare = { kind: 'status', status, retryAfterSeconds: 9, envelope: false } as const;
      test.sim.failNext('validate', bare);
      const refused = await visitor.enterRight();
      expect([refused.status, refused.body]).toEqual([503, { code: 'ERR_GATEWAY_RESPONSE' }]);
      expect(refused.headers['retry-after']).toBeUndefined();
      expect(test.errors.at(-1)).toMatchObject({ retryAfterSeconds: 9, headers: {} });
      expect((await visitor.enterRight()).body).toEqual({ error: 'no-pending-login' });
    },
  );

  it.each([
    ['2108', { kind: 'error', code: 2108 }],
    ['2109', { kind: 'error', code: 2109 }],
    ['2109 with HTTP 200', { kind: 'error', code: 2109, status200: true }],
  ] as const)(
    'that is answered with %s is no success, looks like a wrong code and ends',
    async (_what, fault) => {
      const visitor = visit(test, test.nextUser());
      await visitor.login();
      test.sim.failNext('validate', fault);
      const refused = await visitor.enterRight();
      expect([refused.status, refused.body]).toEqual([401, INVALID]);
      expect(told(test.events, 'rejected')).toMatchObject([
        { reason: 'wrong-code', userId: visitor.user.id },
      ]);
      await expectEnd(test, visitor);
    },
  );

  it.each([...LOST, ...ODD])(
    'that meets %s ends the challenge',
    async (_what, fault, status, code) => {
      const visitor = visit(test, test.nextUser());
      await visitor.login();
      test.sim.failNext('validate', fault);
      const refused = await visitor.enterRight();
      expect([refused.status, refused.body]).toEqual([status, { code }]);
      expect(told(test.events, 'rejected')).toMatchObject([
        { reason: 'unconfirmed', userId: visitor.user.id },
      ]);
      await expectEnd(test, visitor);
    },
  );

  it.each(SILENT)('that gets %s ends the challenge at the deadline', async (_what, fault) => {
    // Only the gateway's silence may use the short deadline up.
    stopWatch();
    const visitor = visit(hasty, hasty.nextUser());
    await visitor.login();
    hasty.sim.failNext('validate', fault);
    const refused = await visitor.enterRight();
    expect([refused.status, refused.body]).toEqual([504, { code: 'ERR_GATEWAY_TIMEOUT' }]);
    expect(told(hasty.events, 'rejected')).toMatchObject([{ reason: 'unconfirmed' }]);
    await expectEnd(hasty, visitor);
  });

  it('is made once more after 1009, and once only', async () => {
    const visitor = visit(test, test.nextUser());
    await visitor.login();
    const before = test.sim.stats().calls.validate;
    test.sim.failNext('validate', { kind: 'error', code: 1009 });
    expect((await visitor.enterRight()).status).toBe(200);
    expect(test.sim.stats().calls.validate - before).toBe(2);
  });

  async function expectEnd(app: TestApp, visitor: Visit): Promise<void> {
    expect(told(app.events, 'failure-count-changed')).toMatchObject([{ failures: 1 }]);
    expect((await visitor.status()).body).toMatchObject({ pending: null, isAuthenticated: false });
    const before = app.sim.stats().calls.validate;
    const again = await visitor.enterRight();
    expect([again.status, again.body]).toEqual([401, NOTHING_WAITED_FOR]);
    expect(app.sim.stats().calls.validate).toBe(before);
    expect(app.logins).not.toContain(visitor.user.id);
  }
});

function told(events: readonly SmsOtpEvent[], type: SmsOtpEvent['type']): SmsOtpEvent[] {
  return events.filter((event) => event.type === type);
}
