import { describe, expect, it } from '@jest/globals';
import type { Fault, FaultName } from 'passport-sms-otp/simulator';
import { HLR_ERRORS, OTP_ERRORS } from '../../src/protocol/error-codes';
import { ALICE, codeOf, startLoggedIn } from './gateway';
import { watchGenerate } from './wire';

async function play(fault: Fault | FaultName, patienceMs = 2_000) {
  const gateway = await startLoggedIn();
  gateway.sim.failNext('generate', fault);
  const wire = await watchGenerate(gateway, patienceMs);
  return { gateway, wire, sent: gateway.sim.outbox.length };
}

const codes = [...new Set([...Object.keys(OTP_ERRORS), ...Object.keys(HLR_ERRORS)])].map(Number);

describe('faults', () => {
  it.each(codes)('error %d is answered in the envelope, with its name', async (code) => {
    const gateway = await startLoggedIn();
    gateway.sim.failNext('generate', { kind: 'error', code });
    const reply = await gateway.generate();
    expect(codeOf(reply)).toBe(code);
    expect(reply.body.errors?.[0]?.message).toEqual(expect.stringMatching(/^[A-Z].{5,}/));
    expect(reply.body.status_code).toBe(reply.status);
    expect([401, 403, 404, 422, 500]).toContain(reply.status);
    expect(gateway.sim.outbox).toHaveLength(0);
  });

  it('error takes another status, or 200', async () => {
    const gateway = await startLoggedIn();
    gateway.sim.failNext('balance', { kind: 'error', code: 2121, httpStatus: 503 });
    gateway.sim.failNext('balance', { kind: 'error', code: 2121, status200: true });
    const replies = [await gateway.balance(), await gateway.balance()];
    expect(replies.map((reply) => [reply.status, reply.body.status_code, codeOf(reply)])).toEqual([
      [503, 503, 2121],
      [200, 200, 2121],
    ]);
  });

  it('latency holds the answer back', async () => {
    const startedMs = Date.now();
    const { wire, sent } = await play({ kind: 'latency', ms: 80 });
    expect(Date.now() - startedMs).toBeGreaterThanOrEqual(75);
    expect([wire.status, wire.end, sent]).toEqual([201, 'complete', 1]);
  });

  it('latency after processing has sent the message before the answer', async () => {
    const { wire, sent } = await play({ kind: 'latency', ms: 5_000, when: 'after' }, 100);
    expect([wire.status, wire.end, sent]).toEqual([null, 'silent', 1]);
  });

  it.each([
    ['no-answer', 'silent', 0],
    [{ kind: 'no-answer', when: 'after' }, 'silent', 1],
    ['reset', 'broken', 0],
    [{ kind: 'reset', when: 'before' }, 'broken', 0],
    [{ kind: 'reset', when: 'after' }, 'broken', 1],
  ] as const)('%j ends %s, with %d messages sent', async (fault, end, messages) => {
    const { wire, sent } = await play(fault, 100);
    expect([wire.status, wire.body.length, wire.end, sent]).toEqual([null, 0, end, messages]);
  });

  it('half-answer promises more than it sends', async () => {
    const { wire, sent } = await play('half-answer');
    expect([wire.status, wire.end, sent]).toEqual([201, 'broken', 1]);
    expect(wire.body.length).toBe(Math.ceil(Number(wire.headers['content-length']) / 2));
  });

  it('html-502 is a page of a proxy', async () => {
    const { wire, sent } = await play('html-502');
    expect([wire.status, wire.headers['content-type'], sent]).toEqual([502, 'text/html', 0]);
    expect(wire.body.toString()).toContain('<h1>502 Bad Gateway</h1>');
  });

  it('content-type changes nothing else', async () => {
    const { wire, sent } = await play({ kind: 'content-type', value: 'text/plain' });
    expect([wire.status, wire.headers['content-type'], sent]).toEqual([201, 'text/plain', 1]);
    expect(JSON.parse(wire.body.toString())).toMatchObject({ payload: { mobile: ALICE } });
  });

  it.each([1_000, 200_000])('huge sends %d bytes of JSON without saying so', async (bytes) => {
    const { wire, sent } = await play({ kind: 'huge', bytes });
    expect([wire.status, wire.headers['content-length'], sent]).toEqual([201, undefined, 1]);
    expect(wire.body.length).toBe(bytes);
    expect(JSON.parse(wire.body.toString())).toMatchObject({ payload: { mobile: ALICE } });
  });

  it('huge stops when the client hangs up', async () => {
    const { gateway, wire } = await play({ kind: 'huge', bytes: 1_000_000_000 }, 50);
    expect(wire.end).toBe('silent');
    expect((await gateway.balance()).status).toBe(200);
  });

  it('compressed sends few bytes that unpack to many', async () => {
    const gateway = await startLoggedIn();
    gateway.sim.failNext('generate', { kind: 'compressed', bytes: 5_000_000 });
    const wire = await watchGenerate(gateway, 5_000);
    expect([wire.status, wire.headers['content-encoding'], wire.end]).toEqual([
      201,
      'gzip',
      'complete',
    ]);
    expect(wire.body.length).toBeLessThan(20_000);
    gateway.sim.failNext('generate', { kind: 'compressed', bytes: 5_000_000 });
    expect((await gateway.generate()).text).toHaveLength(5_000_000);
  });

  it('redirect keeps the method and points into the simulator', async () => {
    const { wire, sent } = await play('redirect');
    expect([wire.status, wire.headers.location, sent]).toEqual([307, '/apis/redirected', 0]);
  });

  it('redirect takes a status and a location', async () => {
    const { wire } = await play({ kind: 'redirect', status: 301, location: 'http://127.0.0.1:9/' });
    expect([wire.status, wire.headers.location]).toEqual([301, 'http://127.0.0.1:9/']);
  });

  it('slow-drip sends the head at once and then byte by byte', async () => {
    const { wire, sent } = await play({ kind: 'slow-drip', intervalMs: 40 }, 400);
    expect([wire.status, wire.end, sent]).toEqual([201, 'silent', 1]);
    expect(wire.body.length).toBeGreaterThan(1);
    expect(wire.body.length).toBeLessThan(25);
    const fast = await play({ kind: 'slow-drip', intervalMs: 0 }, 5_000);
    expect(fast.wire.end).toBe('complete');
    expect(JSON.parse(fast.wire.body.toString())).toMatchObject({ payload: { mobile: ALICE } });
  });

  it('status is an envelope without payload and errors, and may say when to come back', async () => {
    const { wire } = await play({ kind: 'status', status: 429, retryAfterSeconds: 7 });
    expect([wire.status, wire.headers['retry-after']]).toEqual([429, '7']);
    expect(JSON.parse(wire.body.toString())).toEqual({
      status_code: 429,
      status_message: 'Too Many Requests',
    });
  });

  it.each([429, 503])(
    'status %d without the envelope is a plain text with Retry-After',
    async (status) => {
      const { wire, sent } = await play({
        kind: 'status',
        status,
        retryAfterSeconds: 120,
        envelope: false,
      });
      expect([
        wire.status,
        wire.headers['retry-after'],
        wire.headers['content-type'],
        sent,
      ]).toEqual([status, '120', 'text/plain', 0]);
      expect(() => JSON.parse(wire.body.toString()) as unknown).toThrow();
    },
  );

  it('error takes a Retry-After header beside its code', async () => {
    const fault = { kind: 'error', code: 2121, httpStatus: 503, retryAfterSeconds: 0 } as const;
    const { wire } = await play(fault);
    expect([wire.status, wire.headers['retry-after']]).toEqual([503, '0']);
    expect(JSON.parse(wire.body.toString())).toMatchObject({ errors: [{ code: 2121 }] });
    expect((await play({ kind: 'error', code: 2121 })).wire.headers).not.toHaveProperty(
      'retry-after',
    );
  });

  it('body is any answer at all', async () => {
    const { wire } = await play({
      kind: 'body',
      status: 200,
      body: '{"payload":',
      contentType: 'x/y',
    });
    expect([wire.status, wire.headers['content-type'], wire.body.toString()]).toEqual([
      200,
      'x/y',
      '{"payload":',
    ]);
  });
});
