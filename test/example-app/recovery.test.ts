import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { BOB_PHONE, useSite } from './site';
import { readNotice, readToken, Visitor } from './visitor';

describe('the recovery codes of the example app', () => {
  const site = useSite();
  const visitor = new Visitor(site);
  let codes: readonly string[];

  beforeEach(async () => {
    await visitor.logIn();
    codes = await visitor.makeCodes();
    site.advanceSeconds(60);
  });

  async function recover(recoveryCode: string, username = 'alice'): Promise<[Visitor, Response]> {
    const other = new Visitor(site);
    await other.givePassword(username);
    return [
      other,
      await other.submit('/second-factor/code', '/second-factor/recovery-code', { recoveryCode }),
    ];
  }

  it('are ten, shown once and counted', async () => {
    expect(new Set(codes).size).toBe(10);
    const { text } = await visitor.open('/second-factor/settings');
    expect(text).toContain('<dd>10</dd>');
    for (const code of codes) expect(text).not.toContain(code);
  });

  it('each open the account and the settings in place of a text', async () => {
    const [other, answer] = await recover(codes[0] ?? '');
    expect(answer.headers.location).toBe('/account');
    expect((await other.open('/account')).text).toContain('Password and recovery code');
    expect((await other.open('/second-factor/settings')).text).toContain('<dd>9</dd>');
  });

  it('open nothing twice, nor for another user', async () => {
    await recover(codes[0] ?? '');
    site.advanceSeconds(60);
    const [, twice] = await recover(codes[0] ?? '');
    expect(twice.headers.location).toBe('/second-factor/recovery-code');
    const [bob, foreign] = await recover(codes[1] ?? '', 'bob');
    expect(foreign.headers.location).toBe('/second-factor/recovery-code');
    expect(readNotice(await bob.open('/second-factor/recovery-code'))).toContain(
      'That code is not correct.',
    );
    expect(site.simulator.lastPin(BOB_PHONE)).toBeDefined();
  });

  it('are worth nothing once new ones were made, which end the other sessions', async () => {
    const [other] = await recover(codes[0] ?? '');
    site.advanceSeconds(60);
    const renewed = await other.makeCodes();
    expect((await visitor.open('/account')).headers.location).toBe('/login');
    expect((await recover(codes[1] ?? ''))[1].headers.location).toBe(
      '/second-factor/recovery-code',
    );
    site.advanceSeconds(300);
    expect((await recover(renewed[0] ?? ''))[1].headers.location).toBe('/account');
  });

  it('are asked for where the phone is not at hand, not where a transfer or a number is confirmed', async () => {
    await visitor.submit('/transfer', '/transfer', { payee: 'Marina Books', amount: '25.00' });
    const page = await visitor.open('/transfer/code');
    expect(page.text).not.toContain('recovery-code');
    const forced = { _csrf: readToken(page), recoveryCode: codes[0] ?? '' };
    expect((await visitor.post('/second-factor/recovery-code', forced)).headers.location).toBe(
      '/second-factor/recovery-code',
    );
    expect((await visitor.open('/account')).text).not.toContain('Marina Books');
  });
});
