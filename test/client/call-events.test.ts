import { describe, expect, it } from '@jest/globals';
import type { GatewayClient } from 'passport-sms-otp/client';
import { GatewayEmitter } from '../../src/client/events';
import { admitted, errorOf, MOBILE, ofType, startGateway, type Gateway } from './support/gateway';

const durationMs: unknown = expect.any(Number);

/** The events of calls, that of the authentication left out. */
async function eventsOf(
  { client, events }: Pick<Gateway, 'client' | 'events'>,
  call: (client: GatewayClient) => Promise<unknown>,
) {
  await call(client).catch(() => undefined);
  return ofType(events, 'gateway-call').filter((event) => event.call !== 'auth');
}

describe('the event of a call', () => {
  it.each([
    ['ok', null, {}],
    ['rejected', { kind: 'error', code: 2121 }, { gatewayCode: 2121 }],
    ['rejected', { kind: 'status', status: 503 }, {}],
    ['unreachable', 'reset', {}],
    ['timeout', 'no-answer', {}],
    ['response', 'html-502', {}],
  ] as const)('tells %s after %j', async (outcome, fault, code) => {
    const gateway = await startGateway('A', {
      ...(outcome === 'timeout' && { timeoutMs: 300 }),
    });
    await gateway.client.warmUp();
    if (fault !== null) gateway.simulator.failNext('balance', fault, 2);
    const events = await eventsOf(gateway, (client) => client.otp.balance());
    expect(events).toStrictEqual([
      { type: 'gateway-call', call: 'balance', outcome, durationMs, ...code },
    ]);
  });

  it('tells of a call that was refused here, or by the store of tokens', async () => {
    const closed = await startGateway('A');
    await closed.client.close(0);
    const tokenStore = {
      read: () => Promise.reject(new Error('x')),
      renew: () => Promise.reject(new Error('x')),
    };
    const storeless = await startGateway('A', { tokenStore });
    for (const [gateway, outcome] of [
      [closed, 'busy'],
      [storeless, 'store'],
    ] as const) {
      const events = await eventsOf(gateway, (client) => client.otp.balance());
      expect(events).toStrictEqual([
        { type: 'gateway-call', call: 'balance', outcome, durationMs },
      ]);
    }
  });

  it('tells how long the call took, whatever came of it', async () => {
    const gateway = await startGateway('A');
    const startedAtMs = performance.now();
    gateway.simulator.failNext('balance', { kind: 'latency', ms: 100 });
    await gateway.client.otp.balance();
    gateway.simulator.failNext('balance', 'reset', 2);
    await errorOf(gateway.client.otp.balance());
    const tookMs = performance.now() - startedAtMs;
    const [slow, lost] = await eventsOf(gateway, () => Promise.resolve());
    expect(slow?.durationMs).toBeGreaterThan(95);
    expect(Number(slow?.durationMs) + Number(lost?.durationMs)).toBeLessThanOrEqual(tookMs);
  });

  it('is none where the caller made a mistake: nothing was asked', async () => {
    const gateway = await startGateway('A');
    const events = await eventsOf(gateway, (client) =>
      client.otp.generate({ mobile: `${MOBILE}00000` }),
    );
    expect(events).toEqual([]);
    const admission = await gateway.client.admit('validate');
    const asked = admitted(gateway.client).generate({ mobile: MOBILE }, undefined, admission);
    expect(await errorOf(asked)).toBeInstanceOf(TypeError);
    admission.release();
    expect(await eventsOf(gateway, () => Promise.resolve())).toEqual([]);
  });

  it('is told to every listener until that one is removed', async () => {
    const { client } = await startGateway('A');
    const heard: string[] = [];
    const remove = ['first', 'second'].map((name) => client.subscribe(() => void heard.push(name)));
    await client.warmUp();
    heard.length = 0;
    remove[0]?.();
    await client.otp.balance();
    expect(heard).toEqual(['second']);
  });

  it('may be told to a listener that rejects, which nobody notices', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    // A listener in JavaScript may return anything.
    const onEvent = (): unknown => Promise.reject(new Error('x'));
    const { client } = await startGateway('A', { onEvent });
    await client.otp.balance();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });

  it('is not made where nobody listens, and the call is the same', async () => {
    const { client } = await startGateway('A', { onEvent: undefined });
    await expect(client.otp.balance()).resolves.toHaveProperty('balance');
  });
});

describe.each(['A', 'B'] as const)('an account that may not make a call, variant %s', (variant) => {
  async function refuse(gateway: Gateway, code: number): Promise<void> {
    gateway.simulator.failNext('generate', { kind: 'error', code });
    await errorOf(gateway.client.otp.generate({ mobile: MOBILE }));
  }

  it.each([1006, 2100])(
    'is told of once until the call is answered again: %d',
    async (gatewayCode) => {
      const gateway = await startGateway(variant);
      for (const times of [3, 1]) {
        for (let time = 0; time < times; time += 1) await refuse(gateway, gatewayCode);
        await gateway.client.otp.generate({ mobile: MOBILE });
      }
      const told = { type: 'gateway-refusing', call: 'generate', gatewayCode };
      expect(ofType(gateway.events, 'gateway-refusing')).toEqual([told, told]);
    },
  );

  it('is not told of for a refusal that is about one request', async () => {
    const gateway = await startGateway(variant);
    await refuse(gateway, 2121);
    expect(ofType(gateway.events, 'gateway-refusing')).toEqual([]);
  });
});

it('an event is made for listeners alone', () => {
  const emitter = new GatewayEmitter(undefined);
  expect(emitter.hasListeners).toBe(false);
  const unsubscribe = emitter.subscribe(() => undefined);
  expect(emitter.hasListeners).toBe(true);
  unsubscribe();
  expect(emitter.hasListeners).toBe(false);
});
