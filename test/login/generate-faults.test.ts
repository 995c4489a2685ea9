import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { answer, LOST, SILENT, type Fault, type FaultRow } from '../support/gateway-faults';
import { stopWatch } from '../support/stopped-watch';
import type { TestApp } from '../support/test-app';
import { visit, type Visit } from '../support/visit';
import { useSharedApp, useOwnApps } from '../support/use-app';

const REJECTED = 'ERR_GATEWAY_REJECTED';
const RESPONSE = 'ERR_GATEWAY_RESPONSE';

const REFUSED: readonly FaultRow[] = [
  ...[2100, 2101, 2102, 2103, 2104, 2105, 2106, 2110, 1006, 9999].map((code): FaultRow => [
    `error ${code}`,
    { kind: 'error', code },
    502,
    REJECTED,
  ]),
  ['error 2121', { kind: 'error', code: 2121 }, 503, REJECTED],
  ['an error with HTTP 200', { kind: 'error', code: 2105, status200: true }, 502, REJECTED],
  ['HTTP 429 in an envelope', { kind: 'status', status: 429, retryAfterSeconds: 1 }, 503, REJECTED],
  ['HTTP 503 in an envelope', { kind: 'status', status: 503 }, 503, REJECTED],
];

/** An OTP object with one member changed. */
function odd(change: object): Fault {
  return answer(
    201,
    JSON.stringify({ status_code: 201, payload: { id: 7, mobile: '99900000', ...change } }),
  );
}

const ODD: readonly FaultRow[] = [
  ['an OTP without id', odd({ id: undefined }), 502, RESPONSE],
  ['an OTP with an id of null', odd({ id: null }), 502, RESPONSE],
  ['an id that would leave the path', odd({ id: '..' }), 502, RESPONSE],
  ['an id beyond 2^53', odd({ id: 9007199254740994 }), 502, RESPONSE],
  ["an OTP of somebody else's number", odd({}), 502, RESPONSE],
  ['an empty payload', answer(201, '{"status_code":201,"payload":""}'), 502, RESPONSE],
];

const NOT_SENT = { error: 'not-sent', pending: true, retryAfterSeconds: 30 };

describe.each(['A', 'B'] as const)('a generate call in variant %s', (variant) => {
  const test = useSharedApp({ variant, people: 60 });
  const apps = useOwnApps({ variant, people: 60 });
  const hasty = useSharedApp({
    variant,
    people: 60,
    gateway: { timeoutMs: 250 },
  });
  // Deriving keys and authenticating would take their part of the short deadline.
  beforeAll(() => hasty.smsOtp.warmUp());
  // The circuit breaker looks back ten seconds; it is not what these tests are about.
  afterEach(() => {
    for (const { clock, events, errors } of [test, hasty]) {
      clock.advanceSeconds(11);
      events.length = errors.length = 0;
    }
  });

  it.each([...REFUSED, ...LOST, ...ODD])(
    'that meets %s lets nobody in, leaves a login without a text pending and keeps the gap',
    async (_what, fault, status) => {
      const visitor = visit(test, test.nextUser());
      test.sim.failNext('generate', fault);
      const failed = await visitor.login();
      expect([failed.status, failed.body]).toEqual([status, NOT_SENT]);
      expect(test.errors).toEqual([]);
      await expectNobodyIn(test, visitor, status);
    },
  );

  it.each(SILENT)(
    'that gets %s lets nobody in, leaves a login without a text pending and keeps the gap',
    async (_what, fault) => {
      // Only the gateway's silence may use the short deadline up.
      stopWatch();
      const visitor = visit(hasty, hasty.nextUser());
      hasty.sim.failNext('generate', fault);
      const failed = await visitor.login();
      expect([failed.status, failed.body]).toEqual([504, NOT_SENT]);
      await expectNobodyIn(hasty, visitor, 504);
    },
  );

  it('is made once more after 1009, and one message is sent', async () => {
    const { calls, sent } = test.sim.stats();
    test.sim.failNext('generate', { kind: 'error', code: 1009 });
    expect((await visit(test, test.nextUser()).login()).status).toBe(200);
    expect(test.sim.stats()).toMatchObject({
      sent: sent + 1,
      calls: { generate: calls.generate + 2 },
    });
  });

  it('is never made again after 1009 has come twice', async () => {
    const before = test.sim.stats().calls.generate;
    test.sim.failNext('generate', { kind: 'error', code: 1009 }, 2);
    expect((await visit(test, test.nextUser()).login()).status).toBe(502);
    expect(test.sim.stats().calls.generate).toBe(before + 2);
  });

  it('is made again when the gateway says so, where that is later than the gap', async () => {
    const own = await apps.start();
    const visitor = visit(own, own.nextUser());
    own.sim.failNext('generate', { kind: 'status', status: 429, retryAfterSeconds: 90 });
    expect((await visitor.login()).body).toEqual({ ...NOT_SENT, retryAfterSeconds: 90 });
    expect((await visitor.status()).body.pending).toMatchObject({
      resendAt: own.clock.now() + 90_000,
    });
  });

  it('that is refused by ourselves charges nothing', async () => {
    const own = await apps.start();
    const visitor = visit(own, own.nextUser());
    own.sim.failNext('auth', 'html-502');
    const refused = await visitor.login();
    expect([refused.status, refused.body]).toEqual([502, { error: 'not-sent', pending: true }]);
    expect(refused.headers['retry-after']).toBeUndefined();
    expect((await visitor.status()).body.retryAt).toBeNull();
    expect(own.sim.stats().calls.generate).toBe(0);
    expect((await visitor.login()).body).toMatchObject({
      sent: true,
      resendAt: own.clock.now() + 30_000,
    });
  });

  it('that cannot connect keeps the charge too', async () => {
    const own = await apps.start();
    await visit(own, own.nextUser()).login();
    await own.sim.close();
    const visitor = visit(own, own.nextUser());
    const refused = await visitor.login();
    expect([refused.status, refused.body]).toEqual([503, NOT_SENT]);
    expect((await visitor.resend()).body).toEqual({
      error: 'resend-too-soon',
      retryAfterSeconds: 30,
    });
  });

  async function expectNobodyIn(app: TestApp, visitor: Visit, status: number): Promise<void> {
    const { generate } = app.sim.stats().calls;
    expect((await visitor.status()).body).toMatchObject({
      pending: { isSent: false, factors: ['sms'] },
      isAuthenticated: false,
    });
    expect(app.events.filter(({ type }) => type === 'sent')).toEqual([]);
    const again = await visitor.login();
    expect([again.status, again.body]).toEqual([status, NOT_SENT]);
    expect(again.headers['retry-after']).toBe('30');
    expect(app.sim.stats().calls.generate).toBe(generate);
    expect((await visitor.enterRight()).status).not.toBe(200);
    expect(app.logins).not.toContain(visitor.user.id);
  }
});
