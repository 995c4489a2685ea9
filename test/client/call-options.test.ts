import { getMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import {
  GatewayClient,
  type CallOptions,
  type GatewayClientOptions,
} from 'passport-sms-otp/client';
import { closeLater } from './support/cleanup';
import { errorOf, MOBILE, ofType, startGateway, until } from './support/gateway';
import { sendPayload, startWireServer, type WireServer } from './support/wire-server';

const PIN = { id: 'abc', mobile: MOBILE, pin: '123456' };

/** Every call, with the options of one call. */
const CALLS: Readonly<Record<string, (c: GatewayClient, o: CallOptions) => Promise<unknown>>> = {
  generate: (client, options) => client.otp.generate({ mobile: MOBILE }, options),
  validate: (client, options) => client.otp.validate(PIN, options),
  check: (client, options) => client.otp.check(PIN, options),
  balance: (client, options) => client.otp.balance(options),
  pricing: (client, options) => client.otp.pricing(options),
  lookup: (client, options) => client.hlr.lookup(MOBILE, options),
  'hlr-balance': (client, options) => client.hlr.balance(options),
  'hlr-pricing': (client, options) => client.hlr.pricing(options),
};
const calls = Object.entries(CALLS);

/** A gateway that answers nothing but authentications, unless it holds these as well. */
async function startSilent(
  options: Partial<GatewayClientOptions> = {},
  authenticate?: (response: ServerResponse) => void,
): Promise<{ wire: WireServer; client: GatewayClient; held: ServerResponse[] }> {
  const held: ServerResponse[] = [];
  const wire = await startWireServer((response) => held.push(response), authenticate);
  const account = { baseUrl: wire.baseUrl, variant: 'A', username: 'u', password: 'p' } as const;
  const client = new GatewayClient({ ...account, ...options });
  closeLater(() => client.close(0));
  return { wire, client, held };
}

describe.each(calls)('the signal of %s', (_name, call) => {
  it('ends the call while it runs: it may have arrived', async () => {
    const { client, held } = await startSilent();
    const { signal, abort } = createAbort();
    const failed = errorOf(call(client, { signal }));
    await until(() => held.length === 1);
    const isClosed = new Promise((resolve) => held[0]?.on('close', resolve));
    abort();
    expect(await failed).toMatchObject({
      name: 'GatewayAbortedError',
      code: 'ERR_GATEWAY_ABORTED',
      mayHaveArrived: true,
    });
    // The gateway sees it, too.
    await isClosed;
  });

  it('that is aborted already sends nothing', async () => {
    const { client, wire } = await startSilent();
    const { signal, abort } = createAbort();
    abort();
    expect(await errorOf(call(client, { signal }))).toMatchObject({
      code: 'ERR_GATEWAY_ABORTED',
      mayHaveArrived: false,
    });
    expect([...wire.requests, ...wire.authentications]).toEqual([]);
  });
});

describe('a signal', () => {
  it('ends a call that waits for its turn, and leaves the turn to the others', async () => {
    const { client, held, wire } = await startSilent({ connections: 1, queueLimit: 2 });
    await client.warmUp();
    const { signal, abort } = createAbort();
    const running = client.otp.balance();
    const waiting = errorOf(client.otp.generate({ mobile: MOBILE }, { signal }));
    const last = client.otp.balance();
    await until(() => held.length === 1);
    abort();
    expect(await waiting).toMatchObject({ code: 'ERR_GATEWAY_ABORTED', mayHaveArrived: false });
    const next = client.otp.balance();
    for (let answered = 0; answered < 3; answered += 1) {
      await until(() => held.length === 1);
      const [response] = held.splice(0);
      if (response !== undefined) sendPayload(response, { balance: '1' });
    }
    await Promise.all([running, last, next]);
    expect(wire.requests.map(({ url }) => url).filter((url) => url.includes('generate'))).toEqual(
      [],
    );
  });

  it('ends a call that waits for a token, which the others still get', async () => {
    const authentications: ServerResponse[] = [];
    const { client, held } = await startSilent({}, (response) => authentications.push(response));
    const { signal, abort } = createAbort();
    const aborted = errorOf(client.otp.generate({ mobile: MOBILE }, { signal }));
    const other = client.otp.balance();
    await until(() => authentications.length === 1);
    abort();
    expect(await aborted).toMatchObject({ code: 'ERR_GATEWAY_ABORTED', mayHaveArrived: false });
    for (const response of authentications)
      sendPayload(response, { access_token: 't', validity_period: 1800 });
    await until(() => held.length === 1);
    for (const response of held) sendPayload(response, { balance: '1' });
    await expect(other).resolves.toEqual({ balance: '1' });
  });

  it('that is aborted after the answer changes nothing, and keeps no listener', async () => {
    const { client } = await startGateway('A');
    const { signal, abort, listeners } = createAbort();
    await client.otp.balance({ signal });
    await client.otp.generate({ mobile: MOBILE }, { signal });
    expect(listeners()).toBe(0);
    abort();
  });

  it('tells nothing of the gateway: aborted calls do not open the circuit breaker', async () => {
    const { client, held } = await startSilent({ connections: 100 });
    const events: string[] = [];
    client.subscribe((event) => events.push('outcome' in event ? event.outcome : event.type));
    await client.warmUp();
    const { signal, abort } = createAbort();
    const failed = Array.from({ length: 40 }, () => errorOf(client.hlr.lookup(MOBILE, { signal })));
    await until(() => held.length === 40);
    abort();
    await Promise.all(failed);
    expect(new Set(events)).toEqual(new Set(['ok', 'token-renewed', 'aborted']));
  });

  it('may be that of many calls at once: the platform warns of no leak', async () => {
    const { client } = await startGateway('A');
    const { signal } = new AbortController();
    await client.otp.balance({ signal });
    expect(getMaxListeners(signal)).toBeGreaterThan(21_000);
    await Promise.all(Array.from({ length: 60 }, () => client.otp.balance({ signal })));
  });

  it('of a platform timeout works as any other', async () => {
    const { client } = await startSilent();
    const failed = await errorOf(client.otp.balance({ signal: AbortSignal.timeout(50) }));
    expect(failed).toMatchObject({ code: 'ERR_GATEWAY_ABORTED' });
  });
});

describe.each(calls)('timeoutMs of %s', (_name, call) => {
  it('is the deadline of this call', async () => {
    const { client } = await startSilent();
    // Without a connection the deadline could end while one is made.
    await client.warmUp();
    expect(await errorOf(call(client, { timeoutMs: 200 }))).toMatchObject({
      code: 'ERR_GATEWAY_TIMEOUT',
      message: expect.stringContaining('within 200 ms'),
      mayHaveArrived: true,
    });
  });
});

it('timeoutMs of a call may be longer than that of the client', async () => {
  const { client, simulator } = await startGateway('A', { timeoutMs: 1_000 });
  await client.warmUp();
  simulator.failNext('lookup', { kind: 'latency', ms: 1_300 });
  await expect(client.hlr.lookup(MOBILE, { timeoutMs: 10_000 })).resolves.toHaveProperty('phone');
});

it.each([
  [{ timeoutMs: 0 }, 'timeoutMs must be a whole number from 1 to 60000'],
  [{ timeoutMs: '5' }, 'timeoutMs must be a whole number from 1 to 60000'],
  [{ signal: {} }, 'signal must be an AbortSignal'],
  [{ signal: new AbortController() }, 'signal must be an AbortSignal'],
  [{ timeoutMS: 5 }, 'unknown option timeoutMS, did you mean timeoutMs?'],
  [{ release: () => undefined }, 'unknown option release'],
  ['5', 'options must be an object'],
])('the options %j of a call are a TypeError, and nothing is sent', async (options, message) => {
  const { client, simulator, events } = await startGateway('A');
  for (const [, call] of calls) {
    // A caller without types may hand in anything.
    const error = await errorOf(call(client, options as CallOptions));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe(message);
  }
  expect(Object.values(simulator.stats().calls).every((count) => count === 0)).toBe(true);
  expect(ofType(events, 'gateway-call')).toEqual([]);
});

it('options that are undefined count as left out', async () => {
  const { client } = await startGateway('A');
  await expect(
    client.otp.balance({ signal: undefined, timeoutMs: undefined }),
  ).resolves.toHaveProperty('balance');
  await expect(client.otp.balance(undefined)).resolves.toHaveProperty('balance');
});

/** A signal that counts its listeners. */
function createAbort(): { signal: AbortSignal; abort: () => void; listeners: () => number } {
  const controller = new AbortController();
  const { signal } = controller;
  let count = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    count += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    count -= 1;
    remove(...given);
  };
  return { signal, abort: () => controller.abort(), listeners: () => count };
}
