import { describe, expect, it } from '@jest/globals';
import { GatewayClient } from 'passport-sms-otp/client';
import { closeLater } from './support/cleanup';
import {
  errorOf,
  logIn,
  ofType,
  startClient,
  startGateway,
  startSimulator,
  until,
} from './support/gateway';
import {
  sendJson,
  sendPayload,
  startWireServer,
  TOKENS,
  type WireServer,
} from './support/wire-server';

it('two clients of variant A keep each other logged in without sharing anything', async () => {
  const simulator = await startSimulator({ variant: 'A' });
  const clients = [startClient(simulator), startClient(simulator)];
  for (let round = 0; round < 5; round += 1) {
    for (const { client } of clients) await logIn({ client, simulator });
  }
  expect(simulator.stats().authentications).toEqual({ credentials: 2, refresh: 0 });
  expect(simulator.stats().refusals).toEqual({});
});

it('the same where one of them refreshes the token ahead of its end', async () => {
  const simulator = await startSimulator({ variant: 'A' });
  const [one, other] = [startClient(simulator), startClient(simulator)];
  await one.client.warmUp();
  await other.client.warmUp();
  one.clock.advanceSeconds(1_700);
  await one.client.otp.balance();
  await until(() => simulator.stats().authentications.refresh === 1);
  for (let round = 0; round < 3; round += 1) {
    await logIn({ client: one.client, simulator });
    await logIn({ client: other.client, simulator });
  }
  // One refreshed; the other heard 1009, found its refresh token gone and was given the new token
  // by its credentials.
  expect(simulator.stats().refusals).toMatchObject({ 1005: 1 });
  expect(simulator.stats().authentications).toEqual({ credentials: 3, refresh: 2 });
});

it('preserveToken: false resets the connection', async () => {
  const { client, simulator } = await startGateway('A', { preserveToken: false });
  await client.warmUp();
  const other = startClient(simulator, { preserveToken: false });
  await other.client.warmUp();
  await client.otp.balance();
  expect(simulator.stats().refusals).toMatchObject({ 1009: 1 });
});

/**
 * A server that keeps the account's token when asked to, and refuses the first token it ever gave.
 */
async function startStubbornServer(): Promise<WireServer> {
  return startWireServer(
    (response, { headers }) => {
      if (headers.authorization !== 'Bearer access-1') sendPayload(response, { balance: '1' });
      else sendJson(response, 401, { status_code: 401, errors: [{ code: 1009 }] });
    },
    (response, { body }) => {
      if (body.includes('refresh_token'))
        sendJson(response, 401, { status_code: 401, errors: [{ code: 1005 }] });
      else
        sendPayload(response, {
          ...TOKENS,
          access_token: body.includes('"preserve":false') ? 'access-2' : 'access-1',
        });
    },
  );
}

describe('a token that preserve hands back although the gateway refused it', () => {
  it('is replaced: refresh token, credentials that keep, credentials that reset', async () => {
    const wire = await startStubbornServer();
    const client = new GatewayClient({
      baseUrl: wire.baseUrl,
      variant: 'A',
      username: 'u',
      password: 'p',
    });
    closeLater(() => client.close(0));
    await expect(client.otp.balance()).resolves.toEqual({ balance: '1' });
    const asked = wire.authentications.map(
      ({ body }) => JSON.parse(body) as Record<string, unknown>,
    );
    expect(asked).toMatchObject([
      { type: 'access_token', preserve: true },
      { type: 'refresh_token', refresh_token: 'refresh-1' },
      { type: 'access_token', preserve: true },
      { type: 'access_token', preserve: false },
    ]);
  });

  it('ends in the error when nothing helps, after a bounded number of tries', async () => {
    const wire = await startWireServer((response) =>
      sendJson(response, 401, { status_code: 401, errors: [{ code: 1009 }] }),
    );
    const client = new GatewayClient({
      baseUrl: wire.baseUrl,
      variant: 'A',
      username: 'u',
      password: 'p',
    });
    closeLater(() => client.close(0));
    expect(await errorOf(client.otp.balance())).toMatchObject({ gatewayCode: 1009 });
    expect(wire.requests).toHaveLength(2);
    expect(wire.authentications.length).toBeLessThanOrEqual(4);
  });
});

it('a token that was kept is not believed to live longer than it did', async () => {
  const readings = { preservedValidity: 'full', preservedRefreshToken: 'missing' } as const;
  const { client, simulator, clock, events } = await startGateway('A', {}, { readings });
  await client.warmUp();
  clock.advanceSeconds(1_700);
  simulator.failNext('auth', { kind: 'error', code: 1005 });
  await client.otp.balance();
  await until(() => ofType(events, 'token-renewed').length === 2);
  clock.advanceSeconds(101);
  simulator.advanceSeconds(1_801);
  await client.otp.balance();
  // The expired token was not even tried.
  expect(simulator.stats().refusals).toEqual({});
});
