import { describe, expect, it } from '@jest/globals';
import { codeOf, PATHS, readTokens, start, startLoggedIn, VARIANTS } from './gateway';

describe.each(VARIANTS)('authentication, variant %s', (variant) => {
  it('answers right credentials with 200 and the authentication object', async () => {
    const gateway = await start({ variant });
    const reply = await gateway.post(PATHS.auth, {
      type: 'access_token',
      username: 'demo',
      password: 'demo-gateway-password',
    });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      status_code: 200,
      status_message: 'OK',
      payload: {
        access_token: expect.stringMatching(/^[\w-]{20,}$/),
        validity_period: 1800,
        refresh_token: expect.stringMatching(/^[\w-]{20,}$/),
      },
    });
  });

  it.each([
    ['an unknown type', { type: 'magic' }, 1001, 422],
    ['no type', { username: 'demo' }, 1001, 422],
    ['no username', { type: 'access_token', password: 'x' }, 1002, 422],
    ['no password', { type: 'access_token', username: 'demo' }, 1003, 422],
    ['a wrong password', { type: 'access_token', username: 'demo', password: 'x' }, 1004, 401],
    [
      'a wrong username',
      { type: 'access_token', username: 'x', password: 'demo-gateway-password' },
      1004,
      401,
    ],
    ['a wrong refresh token', { type: 'refresh_token', refresh_token: 'x' }, 1005, 401],
    ['no refresh token', { type: 'refresh_token' }, 1005, 401],
  ])('refuses %s', async (_what, body, code, status) => {
    const reply = await (await start({ variant })).post(PATHS.auth, body);
    expect([reply.status, reply.body.status_code, codeOf(reply)]).toEqual([status, status, code]);
    expect(reply.body).not.toHaveProperty('payload');
  });

  it.each(['not json', '[]', '"text"', 'null', ''])(
    'answers the body %j with 400',
    async (body) => {
      const response = await (await start({ variant })).fetch('POST', PATHS.auth, { body });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ status_code: 400, errors: [{ code: 1001 }] });
    },
  );

  it('refuses every other call without a valid token: 1009', async () => {
    const gateway = await start({ variant });
    for (const token of ['', 'made-up']) {
      gateway.token = token;
      const replies = [
        await gateway.generate(),
        await gateway.validate('1', '123456'),
        await gateway.balance(),
        await gateway.get(PATHS.pricing[variant]),
        await gateway.get(PATHS.lookup + '12025550123'),
        await gateway.get(PATHS.hlrBalance),
        await gateway.get(PATHS.hlrPricing),
      ];
      expect(replies.map((reply) => [reply.status, codeOf(reply)])).toEqual(
        replies.map(() => [401, 1009]),
      );
    }
  });

  it('lets a token live 1800 seconds and not one more', async () => {
    const gateway = await start({ variant, now: () => 1_700_000_000_000 });
    await gateway.logIn();
    gateway.sim.advanceSeconds(1799);
    expect((await gateway.balance()).status).toBe(200);
    gateway.sim.advanceSeconds(1);
    expect(codeOf(await gateway.balance())).toBe(1009);
  });

  it('gives a new token and a new refresh token for a refresh token, before and after expiry', async () => {
    const gateway = await start({ variant });
    const first = await gateway.logIn();
    const second = readTokens(await gateway.refresh(first.refresh_token));
    expect(second.access_token).not.toBe(first.access_token);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    gateway.sim.advanceSeconds(1801);
    const third = readTokens(await gateway.refresh(second.refresh_token));
    expect(await gateway.opens(second.access_token)).toBe(false);
    expect(await gateway.opens(third.access_token)).toBe(true);
  });

  it('takes a refresh token once and ends the token it replaces', async () => {
    const gateway = await start({ variant });
    const first = await gateway.logIn();
    await gateway.refresh(first.refresh_token);
    expect(await gateway.opens(first.access_token)).toBe(false);
    expect(codeOf(await gateway.refresh(first.refresh_token))).toBe(1005);
  });

  it('resets the connection when credentials are used again', async () => {
    const gateway = await start({ variant });
    const first = await gateway.logIn();
    const second = await gateway.logIn();
    expect(await gateway.opens(first.access_token)).toBe(false);
    expect(await gateway.opens(second.access_token)).toBe(true);
    expect(codeOf(await gateway.refresh(first.refresh_token))).toBe(1005);
  });

  it('serves lookups with the same token', async () => {
    const gateway = await startLoggedIn({ variant });
    expect((await gateway.get(PATHS.hlrBalance)).status).toBe(200);
  });

  it('counts authentications by type', async () => {
    const gateway = await start({ variant });
    const { refresh_token: refreshToken } = await gateway.logIn();
    await gateway.refresh(refreshToken);
    await gateway.post(PATHS.auth, { type: 'access_token', username: 'demo', password: 'wrong' });
    expect(gateway.sim.stats().authentications).toEqual({ credentials: 2, refresh: 1 });
  });
});

describe('preserve and validity', () => {
  it('keeps an unexpired token in A', async () => {
    const gateway = await start({ variant: 'A', now: () => 1_700_000_000_000 });
    const first = await gateway.logIn();
    gateway.sim.advanceSeconds(600);
    const second = await gateway.logIn({ preserve: true });
    expect(second).toEqual({ ...first, validity_period: 1200 });
    expect(await gateway.opens(first.access_token)).toBe(true);
  });

  it('gives a new token in A when there is none to keep', async () => {
    const gateway = await start({ variant: 'A' });
    const first = await gateway.logIn({ preserve: true });
    gateway.sim.advanceSeconds(1800);
    const second = await gateway.logIn({ preserve: true });
    expect(second.access_token).not.toBe(first.access_token);
    expect(await gateway.opens(second.access_token)).toBe(true);
  });

  it('does not exist in B', async () => {
    const gateway = await start({ variant: 'B' });
    const first = await gateway.logIn();
    await gateway.logIn({ preserve: true });
    expect(await gateway.opens(first.access_token)).toBe(false);
  });

  it('lets a token of A live as long as was asked', async () => {
    const gateway = await start({ variant: 'A', now: () => 1_700_000_000_000 });
    expect((await gateway.logIn({ validity: 60 })).validity_period).toBe(60);
    gateway.sim.advanceSeconds(60);
    expect(codeOf(await gateway.balance())).toBe(1009);
  });

  it.each([
    ['A', 7200],
    ['B', 1800],
  ] as const)(
    'gives a refresh that requests 7200 seconds in %s a token of %d',
    async (variant, seconds) => {
      const gateway = await start({ variant, now: () => 1_700_000_000_000 });
      const { refresh_token: refreshToken } = await gateway.logIn({ validity: 60 });
      const tokens = readTokens(await gateway.refresh(refreshToken, { validity: 7200 }));
      expect(tokens.validity_period).toBe(seconds);
      gateway.sim.advanceSeconds(seconds - 1);
      expect(await gateway.opens(tokens.access_token)).toBe(true);
      gateway.sim.advanceSeconds(1);
      expect(await gateway.opens(tokens.access_token)).toBe(false);
    },
  );

  it('ignores a validity in B', async () => {
    expect((await (await start({ variant: 'B' })).logIn({ validity: 60 })).validity_period).toBe(
      1800,
    );
  });
});
