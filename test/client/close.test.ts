import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createServer, type Server } from 'node:net';
import type { ServerResponse } from 'node:http';
import {
  GatewayClient,
  type GatewayClientOptions,
  type GatewayEventListener,
} from 'passport-sms-otp/client';
import { closeLater } from './support/cleanup';
import { admitted, errorOf, MOBILE, startGateway, until } from './support/gateway';
import { portOf, sendPayload, startWireServer, TOKENS } from './support/wire-server';

async function startHeld(
  options: Partial<GatewayClientOptions> = {},
): Promise<{ client: GatewayClient; held: ServerResponse[]; connections: { open: number } }> {
  const held: ServerResponse[] = [];
  const wire = await startWireServer((response) => held.push(response));
  // Else both sides close by themselves, after five seconds, what nobody uses.
  wire.server.keepAliveTimeout = 60_000;
  const connections = watchConnections(wire.server);
  const client = new GatewayClient({
    baseUrl: wire.baseUrl,
    variant: 'A',
    username: 'u',
    password: 'p',
    ...options,
  });
  closeLater(() => client.close(0));
  await client.warmUp();
  return { client, held, connections };
}

/** Counts the timers that are set from here on, and would keep the process alive. */
function watchTimers(): () => number {
  const running = new Set<NodeJS.Timeout>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const watched = (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
    const timer = set(() => {
      running.delete(timer);
      run(...given);
    }, ms);
    running.add(timer);
    return timer;
  };
  // The overloads and the promisified form are not used by what is watched.
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(watched as typeof setTimeout);
  jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    // The client clears the timers that it has set, and nothing else.
    running.delete(timer as NodeJS.Timeout);
    clear(timer);
  });
  return () => [...running].filter((timer) => timer.hasRef()).length;
}

/** Counts the connections that a server has. */
function watchConnections(server: Server): { open: number } {
  const count = { open: 0 };
  server.on('connection', (socket) => {
    count.open += 1;
    socket.on('close', () => (count.open -= 1));
  });
  return count;
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('closing', () => {
  it('refuses new calls, lets those in flight end, and then closes the connections', async () => {
    const { client, held, connections } = await startHeld();
    const running = client.otp.balance();
    await until(() => held.length === 1);
    expect(connections.open).toBeGreaterThan(0);
    const closing = client.close();
    expect(await errorOf(client.otp.balance())).toMatchObject({
      code: 'ERR_GATEWAY_BUSY',
      retryAfterSeconds: 5,
    });
    expect(await errorOf(client.admit('validate'))).toMatchObject({ code: 'ERR_GATEWAY_BUSY' });
    expect(await errorOf(client.warmUp())).toMatchObject({ code: 'ERR_GATEWAY_BUSY' });
    expect(held).toHaveLength(1);
    for (const response of held) sendPayload(response, { balance: '1' });
    await expect(running).resolves.toEqual({ balance: '1' });
    await closing;
    await until(() => connections.open === 0);
  });

  it('lets a call that was admitted run', async () => {
    const { client, simulator } = await startGateway('A');
    const admission = await client.admit('generate');
    const closing = client.close();
    await admitted(client).generate({ mobile: MOBILE }, undefined, admission);
    await closing;
    expect(simulator.stats().sent).toBe(1);
  });

  it('ends at its limit what is still in flight or waits', async () => {
    const { client, held } = await startHeld({ connections: 2 });
    const admission = await client.admit('validate');
    const running = errorOf(client.otp.balance());
    const waiting = errorOf(client.otp.balance());
    await until(() => held.length === 1);
    await client.close(50);
    expect(await running).toMatchObject({ code: 'ERR_GATEWAY_UNREACHABLE', mayHaveArrived: true });
    expect(await waiting).toMatchObject({ code: 'ERR_GATEWAY_BUSY' });
    const pin = { id: 'x', mobile: MOBILE, pin: '0000' };
    expect(await errorOf(admitted(client).check(pin, undefined, admission))).toMatchObject({
      code: 'ERR_GATEWAY_BUSY',
    });
  });

  it('waits for a renewal in the background, so that its token is saved and the lease is free', async () => {
    const { client, simulator, clock } = await startGateway('A');
    await client.warmUp();
    clock.advanceSeconds(1_700);
    simulator.failNext('auth', { kind: 'latency', ms: 100 });
    await client.otp.balance();
    await until(() => simulator.stats().calls.auth === 2);
    await client.close();
    expect(simulator.stats().authentications).toEqual({ credentials: 1, refresh: 1 });
  });

  it('may be done twice, and before anything was ever called', async () => {
    const { client } = await startGateway('A');
    await Promise.all([client.close(), client.close()]);
    await client.close();
    expect(await errorOf(client.otp.balance())).toMatchObject({ code: 'ERR_GATEWAY_BUSY' });
  });

  it('leaves no timer and no socket', async () => {
    const countTimers = watchTimers();
    const { client, held, connections } = await startHeld({ connections: 5 });
    const calls = Array.from({ length: 10 }, () => client.otp.balance());
    await until(() => held.length === 5);
    expect(countTimers()).toBeGreaterThanOrEqual(10);
    for (const response of held.splice(0)) sendPayload(response, { balance: '1' });
    await until(() => held.length === 5);
    for (const response of held) sendPayload(response, { balance: '1' });
    await Promise.all(calls);
    expect(connections.open).toBe(5);
    await client.close();
    await until(() => connections.open === 0);
    expect(countTimers()).toBe(0);
  });

  it('ends connections that are still being made', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const connections = watchConnections(server);
    const baseUrl = `https://127.0.0.1:${portOf(server)}`;
    const client = new GatewayClient({
      baseUrl,
      variant: 'A',
      username: 'u',
      password: 'p',
    });
    const call = errorOf(client.otp.balance());
    await until(() => connections.open === 1);
    await client.close(10);
    expect(await call).toMatchObject({ code: 'ERR_GATEWAY_UNREACHABLE', mayHaveArrived: false });
    await until(() => connections.open === 0);
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
});

describe('listeners', () => {
  it('hear every call; one that throws or rejects changes nothing', async () => {
    const heard: string[] = [];
    const wire = await startWireServer((response) => sendPayload(response, { balance: '1' }));
    const client = new GatewayClient({
      baseUrl: wire.baseUrl,
      variant: 'A',
      username: 'u',
      password: 'p',
      onEvent: () => {
        throw new Error('canary');
      },
    });
    closeLater(() => client.close(0));
    const rejecting: unknown = () => Promise.reject(new Error('canary'));
    // An async function may be handed in, whatever the type says.
    client.subscribe(rejecting as GatewayEventListener);
    const unsubscribe = client.subscribe((event) => heard.push(event.type));
    await client.otp.balance();
    unsubscribe();
    unsubscribe();
    await client.otp.balance();
    expect(heard).toEqual(['gateway-call', 'token-renewed', 'gateway-call']);
    expect(TOKENS.access_token).toBe(
      wire.requests[1]?.headers.authorization?.slice('Bearer '.length),
    );
  });

  it('are told how each call ended', async () => {
    const { client, simulator, events } = await startGateway('A');
    simulator.failNext('balance', 'reset', 2);
    await errorOf(client.otp.balance());
    await errorOf(client.otp.validate({ id: 'x', mobile: MOBILE, pin: '0000' }));
    const durationMs = expect.any(Number);
    expect(events.filter(({ type }) => type === 'gateway-call')).toEqual([
      { type: 'gateway-call', call: 'auth', outcome: 'ok', durationMs },
      { type: 'gateway-call', call: 'balance', outcome: 'unreachable', durationMs },
      {
        type: 'gateway-call',
        call: 'validate',
        outcome: 'rejected',
        durationMs,
        gatewayCode: 2107,
      },
    ]);
  });
});
