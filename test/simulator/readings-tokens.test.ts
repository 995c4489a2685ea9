import { describe, expect, it } from '@jest/globals';
import type { Readings } from 'passport-sms-otp/simulator';
import { readTokens, start, type Gateway } from './gateway';

function open(readings: Partial<Readings>): Promise<Gateway> {
  return start({ readings, now: () => 1_700_000_000_000 });
}

describe('readings of tokens', () => {
  it.each([
    ['string', '1800'],
    ['zero', 0],
    ['text', 'half an hour'],
    ['missing', undefined],
  ] as const)('validityPeriodAs %s gives %j', async (validityPeriodAs, expected) => {
    expect((await (await open({ validityPeriodAs })).logIn()).validity_period).toBe(expected);
  });

  it('refreshEndsAccessToken false keeps the earlier access token', async () => {
    const gateway = await open({ refreshEndsAccessToken: false });
    const first = await gateway.logIn();
    const second = readTokens(await gateway.refresh(first.refresh_token));
    expect(await gateway.opens(first.access_token)).toBe(true);
    expect(await gateway.opens(second.access_token)).toBe(true);
  });

  it('refreshEndsRefreshToken false takes a refresh token again', async () => {
    const gateway = await open({ refreshEndsRefreshToken: false });
    const { refresh_token: refreshToken } = await gateway.logIn();
    await gateway.refresh(refreshToken);
    expect((await gateway.refresh(refreshToken)).status).toBe(200);
  });

  it('refreshReturns same gives the refresh token back', async () => {
    const gateway = await open({ refreshReturns: 'same' });
    const first = await gateway.logIn();
    const second = readTokens(await gateway.refresh(first.refresh_token));
    expect(second.refresh_token).toBe(first.refresh_token);
    expect((await gateway.refresh(second.refresh_token)).status).toBe(200);
  });

  it.each([
    [false, 1800],
    [true, 60],
  ])(
    'refreshKeepsValidity %p gives %d seconds after a login for 60',
    async (refreshKeepsValidity, expected) => {
      const gateway = await open({ refreshKeepsValidity });
      const { refresh_token: refreshToken } = await gateway.logIn({ validity: 60 });
      expect(readTokens(await gateway.refresh(refreshToken)).validity_period).toBe(expected);
    },
  );

  it.each([
    [true, 7200],
    [false, 1800],
  ])(
    'refreshTakesValidity %p gives %d seconds for a refresh that requests 7200',
    async (refreshTakesValidity, expected) => {
      const gateway = await open({ refreshTakesValidity });
      const { refresh_token: refreshToken } = await gateway.logIn();
      const reply = await gateway.refresh(refreshToken, { validity: 7200 });
      expect(readTokens(reply).validity_period).toBe(expected);
    },
  );

  it('refreshKeepsValidity gives way to a validity beside the refresh token', async () => {
    const gateway = await open({ refreshKeepsValidity: true });
    const { refresh_token: refreshToken } = await gateway.logIn({ validity: 60 });
    const reply = await gateway.refresh(refreshToken, { validity: 7200 });
    expect(readTokens(reply).validity_period).toBe(7200);
  });

  it.each([
    ['outlives', 200],
    ['same', 401],
  ] as const)('refreshTokenLife %s answers %d after expiry', async (refreshTokenLife, status) => {
    const gateway = await open({ refreshTokenLife });
    const { refresh_token: refreshToken } = await gateway.logIn();
    gateway.sim.advanceSeconds(1800);
    expect((await gateway.refresh(refreshToken)).status).toBe(status);
  });

  it('loginEndsRefreshTokens false keeps refresh tokens through a reset', async () => {
    const gateway = await open({ loginEndsRefreshTokens: false });
    const first = await gateway.logIn();
    await gateway.logIn();
    expect(await gateway.opens(first.access_token)).toBe(false);
    expect((await gateway.refresh(first.refresh_token)).status).toBe(200);
  });

  it.each([
    ['remaining', 1200, false],
    ['full', 1800, false],
    ['renewed', 1800, true],
  ] as const)(
    'preservedValidity %s says %d seconds after ten minutes; alive after the first half hour: %p',
    async (preservedValidity, says, isAlive) => {
      const gateway = await open({ preservedValidity });
      const first = await gateway.logIn();
      gateway.sim.advanceSeconds(600);
      expect((await gateway.logIn({ preserve: true })).validity_period).toBe(says);
      gateway.sim.advanceSeconds(1200);
      expect(await gateway.opens(first.access_token)).toBe(isAlive);
    },
  );

  it('preservedRefreshToken new gives another one that works, beside the first', async () => {
    const gateway = await open({ preservedRefreshToken: 'new' });
    const first = await gateway.logIn();
    const second = await gateway.logIn({ preserve: true });
    expect(second.access_token).toBe(first.access_token);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await gateway.refresh(first.refresh_token)).status).toBe(200);
    expect((await gateway.refresh(second.refresh_token)).status).toBe(200);
  });

  it('preservedRefreshToken missing gives none', async () => {
    const gateway = await open({ preservedRefreshToken: 'missing' });
    await gateway.logIn();
    const preserved = await gateway.logIn({ preserve: true });
    expect(preserved).toHaveProperty('access_token');
    expect(preserved).not.toHaveProperty('refresh_token');
  });
});
