import { describe, expect, it } from '@jest/globals';
import { GatewayClient, type GatewayClientOptions } from 'passport-sms-otp/client';
import { testClock, type TestClock } from '../support/clock';
import { toRenewalTime } from '../../src/client/token-manager';
import { closeLater } from './support/cleanup';
import { errorOf, logIn, MOBILE, ofType, pinOf, startGateway, until } from './support/gateway';
import {
  sendJson,
  sendPayload,
  startWireServer,
  TOKENS,
  type WireServer,
} from './support/wire-server';

const MANY = 1_000;

/** Enough for as many calls at once on a slow machine. */
const patient = { queueLimit: MANY, timeoutMs: 60_000 };

function balances(client: GatewayClient): Promise<unknown[]> {
  return Promise.all(Array.from({ length: MANY }, () => client.otp.balance()));
}

describe.each(['A', 'B'] as const)('variant %s', (variant) => {
  it('a thousand calls without a token authenticate once', async () => {
    const { client, simulator } = await startGateway(variant, patient);
    await balances(client);
    expect(simulator.stats().calls).toMatchObject({ auth: 1, balance: MANY });
  });

  it('a thousand calls with a token that the gateway has ended authenticate once, and none fails', async () => {
    const { client, simulator } = await startGateway(variant, patient);
    await client.warmUp();
    simulator.advanceSeconds(1_801);
    await balances(client);
    expect(simulator.stats().authentications).toEqual({ credentials: 1, refresh: 1 });
  });

  it('a thousand calls with a token that has expired by our clock authenticate once, with credentials', async () => {
    const { client, simulator, clock } = await startGateway(variant, patient);
    await client.warmUp();
    simulator.advanceSeconds(1_801);
    clock.advanceSeconds(1_801);
    await balances(client);
    expect(simulator.stats().authentications).toEqual({ credentials: 2, refresh: 0 });
    expect(simulator.stats().calls.balance).toBe(MANY);
  });

  it('a token is renewed ahead of its end, in the background, by the refresh token', async () => {
    const { client, simulator, clock, events } = await startGateway(variant);
    await client.otp.balance();
    clock.advanceSeconds(1_400);
    await client.otp.balance();
    expect(simulator.stats().calls.auth).toBe(1);
    clock.advanceSeconds(300);
    await client.otp.balance();
    await until(() => ofType(events, 'token-renewed').length === 2);
    expect(ofType(events, 'token-renewed')).toEqual([
      { type: 'token-renewed', by: 'credentials' },
      { type: 'token-renewed', by: 'refresh' },
    ]);
    await client.otp.balance();
    expect(simulator.stats().authentications).toEqual({ credentials: 1, refresh: 1 });
  });

  it('a renewal ahead that fails leaves the token in use, and is tried again', async () => {
    const { client, simulator, clock } = await startGateway(variant);
    await client.otp.balance();
    clock.advanceSeconds(1_700);
    simulator.failNext('auth', 'reset');
    await client.otp.balance();
    await until(() => simulator.stats().calls.auth === 2);
    await client.otp.balance();
    expect(simulator.stats().calls.auth).toBe(2);
    clock.advanceSeconds(5);
    await client.otp.balance();
    await until(() => simulator.stats().calls.auth === 3);
    await logIn({ client, simulator });
  });

  it('credentials follow a refresh token that is refused', async () => {
    const { client, simulator } = await startGateway(
      variant,
      {},
      { readings: { refreshTokenLife: 'same' } },
    );
    await client.warmUp();
    simulator.advanceSeconds(1_801);
    await client.otp.balance();
    expect(simulator.stats().authentications).toEqual({ credentials: 2, refresh: 1 });
  });

  it('error 1009 is followed by one repeat of the call, whatever the call', async () => {
    const { client, simulator } = await startGateway(variant);
    await client.warmUp();
    simulator.failNext('generate', { kind: 'error', code: 1009 });
    const { id } = await client.otp.generate({ mobile: MOBILE });
    simulator.failNext('validate', { kind: 'error', code: 1009, status200: true });
    await client.otp.validate({ id, mobile: MOBILE, pin: pinOf(simulator) });
    expect(simulator.stats()).toMatchObject({
      calls: { generate: 2, validate: 2 },
      sent: 1,
      validated: 1,
    });
  });

  it('a second 1009 is thrown, and the token is not used again', async () => {
    const { client, simulator } = await startGateway(variant);
    simulator.failNext('generate', { kind: 'error', code: 1009 }, 2);
    expect(await errorOf(client.otp.generate({ mobile: MOBILE }))).toMatchObject({
      gatewayCode: 1009,
    });
    expect(simulator.stats().calls).toMatchObject({ generate: 2, auth: 2 });
    await client.otp.balance();
    expect(simulator.stats().calls.auth).toBe(3);
  });
});

/**
 * A server that gives its tokens away as it is told, and a client of it with the clock in the
 * test's hand.
 */
async function startTokenServer(
  tokens: (count: number) => unknown,
  options: Partial<GatewayClientOptions> = {},
): Promise<{ wire: WireServer; client: GatewayClient; clock: TestClock }> {
  const wire = await startWireServer(
    (response) => sendPayload(response, { balance: '1' }),
    (response) => sendPayload(response, tokens(wire.authentications.length)),
  );
  const clock = testClock();
  const { baseUrl } = wire;
  const account = {
    baseUrl,
    variant: 'B',
    username: 'u',
    password: 'p',
    now: () => clock.now(),
  } as const;
  const client = new GatewayClient({ ...account, ...options });
  closeLater(() => client.close(0));
  return { wire, client, clock };
}

const numbered = (count: number): unknown => ({ ...TOKENS, access_token: `access-${count}` });

describe('a late 1009 of an old token', () => {
  it('renews nothing', async () => {
    const held: (() => void)[] = [];
    const wire = await startWireServer(
      (response, { headers }) => {
        if (headers.authorization === 'Bearer access-2') sendPayload(response, { balance: '1' });
        else
          held.push(() => sendJson(response, 401, { status_code: 401, errors: [{ code: 1009 }] }));
      },
      (response) => sendPayload(response, numbered(wire.authentications.length)),
    );
    const client = new GatewayClient({
      baseUrl: wire.baseUrl,
      variant: 'B',
      username: 'u',
      password: 'p',
    });
    closeLater(() => client.close(0));
    const calls = [client.otp.balance(), client.otp.balance()];
    await until(() => held.length === 2);
    held[0]?.();
    await calls[0];
    held[1]?.();
    await calls[1];
    expect(wire.authentications).toHaveLength(2);
  });
});

describe('how long a token is trusted', () => {
  it.each([
    ['as long as the gateway says', { validity_period: 600 }, {}, 590, 601],
    ['half an hour when it says nothing', { validity_period: undefined }, {}, 1_790, 1_801],
    ['half an hour when it says something odd', { validity_period: -5 }, {}, 1_790, 1_801],
    [
      'what was asked for when it says nothing',
      { validity_period: undefined },
      { variant: 'A', tokenValiditySeconds: 900 },
      890,
      901,
    ],
    ['never longer than a day', { validity_period: 999_999_999 }, {}, 86_390, 86_401],
  ] as const)('%s', async (_title, part, options, goodSeconds, overSeconds) => {
    // Only the first authentication gives a token.
    const tokens = (count: number): unknown => (count === 1 ? { ...TOKENS, ...part } : null);
    const { wire, client, clock } = await startTokenServer(tokens, options);
    await client.otp.balance();
    clock.advanceSeconds(goodSeconds);
    await client.otp.balance();
    clock.advanceSeconds(overSeconds - goodSeconds);
    expect(await errorOf(client.otp.balance())).toMatchObject({ code: 'ERR_GATEWAY_RESPONSE' });
    expect(wire.requests).toHaveLength(2);
  });

  it('until it is renewed, after 80 to 90 % of its life by chance', () => {
    const contents = { accessToken: 'a', refreshToken: null, expiresAt: 1_010_000 };
    const times = [0, 0.5, 1].map((chance) => Math.round(toRenewalTime(contents, 10_000, chance)));
    expect(times).toEqual([810_000, 860_000, 910_000]);
  });
});

it('the validity asked for goes along with every refresh in A, and dates an answer that does not name one', async () => {
  // The third authentication gives no token.
  const tokens = (count: number): unknown =>
    count < 3
      ? {
          ...TOKENS,
          access_token: `access-${count}`,
          validity_period: count === 1 ? 900 : undefined,
        }
      : null;
  const options = { variant: 'A', tokenValiditySeconds: 900 } as const;
  const { wire, client, clock } = await startTokenServer(tokens, options);
  await client.otp.balance();
  clock.advanceSeconds(880);
  await client.otp.balance();
  await until(() => wire.authentications.length === 2);
  expect(JSON.parse(wire.authentications[1]?.body ?? '')).toEqual({
    type: 'refresh_token',
    refresh_token: 'refresh-1',
    validity: 900,
  });
  await until(() => wire.requests.length === 2);
  clock.advanceSeconds(700);
  await client.otp.balance();
  clock.advanceSeconds(201);
  expect(await errorOf(client.otp.balance())).toMatchObject({ code: 'ERR_GATEWAY_RESPONSE' });
});

it('a refresh in B names no validity', async () => {
  const { wire, client, clock } = await startTokenServer(numbered);
  await client.otp.balance();
  clock.advanceSeconds(1_780);
  await client.otp.balance();
  await until(() => wire.authentications.length === 2);
  expect(JSON.parse(wire.authentications[1]?.body ?? '')).toEqual({
    type: 'refresh_token',
    refresh_token: 'refresh-1',
  });
});

it('the validity asked for and preserve are sent in A alone', async () => {
  const a = await startTokenServer(numbered, { variant: 'A', tokenValiditySeconds: 900 });
  await a.client.otp.balance();
  const b = await startTokenServer(numbered);
  await b.client.otp.balance();
  const credentials = { type: 'access_token', username: 'u', password: 'p' };
  expect(JSON.parse(a.wire.authentications[0]?.body ?? '')).toEqual({
    ...credentials,
    validity: 900,
    preserve: true,
  });
  expect(JSON.parse(b.wire.authentications[0]?.body ?? '')).toEqual(credentials);
});
