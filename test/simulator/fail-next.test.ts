import { describe, expect, it } from '@jest/globals';
import { ALICE, codeOf, PATHS, startLoggedIn, type Gateway } from './gateway';

describe('failNext', () => {
  it('strikes the named call, in order, as often as asked, and is counted', async () => {
    const gateway = await startLoggedIn();
    gateway.sim.failNext('balance', { kind: 'error', code: 2121 }, 2);
    gateway.sim.failNext('any', { kind: 'error', code: 1007 });
    const replies = [
      await gateway.generate(),
      await gateway.generate(),
      await gateway.balance(),
      await gateway.balance(),
      await gateway.balance(),
    ];
    expect(replies.map(codeOf)).toEqual([1007, undefined, 2121, 2121, undefined]);
    expect(gateway.sim.stats().faults).toBe(3);
    expect(gateway.sim.stats().calls).toMatchObject({ auth: 1, generate: 2, balance: 3 });
  });

  it('strikes for ever with Infinity, until the faults are cleared', async () => {
    const gateway = await startLoggedIn();
    gateway.sim.failNext('balance', 'html-502', Infinity);
    for (let round = 0; round < 3; round += 1) {
      expect((await gateway.fetch('GET', PATHS.balance.A)).status).toBe(502);
    }
    gateway.sim.clearFaults();
    expect((await gateway.balance()).status).toBe(200);
  });

  it.each([
    ['auth', (gateway: Gateway) => gateway.refresh('x')],
    ['validate', (gateway: Gateway) => gateway.validate('1', '123456')],
    ['pricing', (gateway: Gateway) => gateway.get(PATHS.pricing.A)],
    ['lookup', (gateway: Gateway) => gateway.get(PATHS.lookup + ALICE)],
    ['hlr-balance', (gateway: Gateway) => gateway.get(PATHS.hlrBalance)],
    ['hlr-pricing', (gateway: Gateway) => gateway.get(PATHS.hlrPricing)],
  ] as const)('knows the call %s', async (call, send) => {
    const gateway = await startLoggedIn();
    gateway.sim.failNext(call, { kind: 'error', code: 2002 });
    expect(codeOf(await send(gateway))).toBe(2002);
  });

  it.each([
    ['an unknown call', ['everything', 'reset']],
    ['an unknown fault', ['auth', 'explode']],
    ['a fault without its data', ['auth', { kind: 'latency' }]],
    ['a member too many', ['auth', { kind: 'reset', whom: 'me' }]],
    ['a line break in a header', ['auth', { kind: 'content-type', value: 'a\r\nb: c' }]],
    ['no times', ['auth', 'reset', 0]],
    ['half a time', ['auth', 'reset', 1.5]],
    ['a negative Retry-After', ['auth', { kind: 'status', status: 503, retryAfterSeconds: -1 }]],
  ])('refuses %s, and shows no value', async (_what, parameters) => {
    const { sim } = await startLoggedIn();
    // What a caller without types can hand in.
    const [call, fault, times] = parameters as [never, never, never];
    expect(() => sim.failNext(call, fault, times)).toThrow(TypeError);
    expect(() => sim.failNext(call, fault, times)).toThrow(
      /^failNext: (unknown option )?(call|fault|times)\b/,
    );
    expect(() => sim.failNext(call, fault, times)).not.toThrow(
      /everything|explode|me'|a\r|1\.5|-1/,
    );
  });
});
