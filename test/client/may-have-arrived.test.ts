import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { memoryStore } from 'passport-sms-otp';
import type { Fault, FaultName } from '../../src/simulator/faults';
import { throughProxy } from './support/dispatchers';
import { errorOf, MOBILE, startClient, startGateway, startSimulator } from './support/gateway';
import { NEVER, startProxy } from './support/proxy';

/** A deadline that must strike. */
const LIMIT_MS = 200;

describe('a call that failed may have arrived', () => {
  it.each<[string, Fault | FaultName, object, number | undefined]>([
    [
      'its connection was lost',
      'reset',
      { code: 'ERR_GATEWAY_UNREACHABLE', status: 502 },
      undefined,
    ],
    [
      'it was not answered in time',
      'no-answer',
      { code: 'ERR_GATEWAY_TIMEOUT', status: 504 },
      LIMIT_MS,
    ],
  ])('when %s', async (_title, fault, expected, timeoutMs) => {
    const { client, simulator } = await startGateway('A', { timeoutMs });
    await client.warmUp();
    simulator.failNext('lookup', fault);
    expect(await errorOf(client.hlr.lookup(MOBILE))).toMatchObject({
      ...expected,
      mayHaveArrived: true,
    });
  });
});

describe('a call that failed has certainly not arrived', () => {
  it('when nothing listens', async () => {
    const simulator = await startSimulator({ variant: 'A' });
    const { client } = startClient(simulator);
    await client.warmUp();
    await simulator.close();
    // The end of the kept connection has to be read before it is known.
    await setImmediate();
    expect(await errorOf(client.otp.balance())).toMatchObject({
      code: 'ERR_GATEWAY_UNREACHABLE',
      status: 503,
      mayHaveArrived: false,
    });
  });

  it('when there was no connection in time, though there was a token', async () => {
    const simulator = await startSimulator({ variant: 'A' });
    const { tokens: tokenStore } = memoryStore();
    await startClient(simulator, { tokenStore }).client.warmUp();
    const proxy = await startProxy({ opened: NEVER });
    const shared = { tokenStore, dispatcher: throughProxy(proxy.url), timeoutMs: LIMIT_MS };
    const { client } = startClient(simulator, shared);
    expect(await errorOf(client.otp.balance())).toMatchObject({
      code: 'ERR_GATEWAY_TIMEOUT',
      mayHaveArrived: false,
    });
    expect(simulator.stats().calls).toMatchObject({ auth: 1, balance: 0 });
  });
});
