import { describe, expect, it } from '@jest/globals';
import { BOB } from '../support/test-app';
import { type Visit, type Answer, visitOverTls } from '../support/visit';
import { useApp } from '../support/use-app';

const CLEARED = expect.stringMatching(/^__Host-sms-otp-device=; .*Expires=Thu, 01 Jan 1970/);

const test = useApp({ hasFactors: true });
const alice = visitOverTls(test);

/** The next visit, past every gap between two sends: the session is over, the cookie is there. */
function comeBack(browser = alice): Promise<Answer> {
  browser.leave();
  test.clock.advanceSeconds(301);
  return browser.login();
}

/** A code was sent, as to every device that is not trusted. */
function wasAsked({ status, body }: Answer): boolean {
  return status === 200 && body.sent === true && body.verified === undefined;
}

/** The parts of a cookie: the device's id, the token, the seal. */
function partsOf({ device }: Visit): string[] {
  return (device ?? '').split('.');
}

describe('a device cookie that was never given out', () => {
  it.each([
    ['an empty one', () => ''],
    ['no base64url', () => '%00%ff'],
    [
      'a made-up one of the right shape',
      () => ['a'.repeat(22), 'b'.repeat(43), 'c'.repeat(43)].join('.'),
    ],
    [
      'one without its seal (scheb/2fa GHSA-h6mp-mc7g-mg49)',
      (parts: string[]) => parts.slice(0, 2).join('.'),
    ],
    ['one with an empty seal', (parts: string[]) => [...parts.slice(0, 2), ''].join('.')],
    [
      'the seal of another token',
      (parts: string[]) => [parts[0], 'b'.repeat(43), parts[2]].join('.'),
    ],
    ['two dots more', (parts: string[]) => `${parts.join('.')}..`],
    ['a huge one', (parts: string[]) => parts.join('.') + 'a'.repeat(10_000)],
    ['one in quotes', (parts: string[]) => `"${parts.join('.')}"`],
    [
      'one of two of the same name',
      (parts: string[]) => `${parts.join('.')}; __Host-sms-otp-device=x`,
    ],
  ])('%s is ignored and cleared, and the device stays trusted', async (_what, forge) => {
    await alice.trust();
    const genuine = alice.device;
    alice.device = forge(partsOf(alice));
    const answer = await comeBack();
    expect(wasAsked(answer)).toBe(true);
    expect(answer.deviceCookie).toEqual(CLEARED);
    expect([test.errors, test.told('device-revoked')]).toEqual([[], []]);
    alice.device = genuine;
    expect((await comeBack()).body.method).toBe('trusted-device');
  });

  it('is one with a single bit flipped, wherever that is', async () => {
    await alice.trust();
    const genuine = alice.device ?? '';
    const places = [0, 10, 21, 23, 40, 65, 67, 90, genuine.length - 1];
    for (const place of places) {
      const flipped = String.fromCharCode(genuine.charCodeAt(place) ^ 1);
      alice.device = genuine.slice(0, place) + flipped + genuine.slice(place + 1);
      expect(wasAsked(await comeBack())).toBe(true);
      await alice.enterRight();
    }
    expect(test.errors).toEqual([]);
    alice.device = genuine;
    expect((await comeBack()).body.method).toBe('trusted-device');
  });

  it('is one of a device that was revoked, and one of a device that is another user’s', async () => {
    await alice.trust();
    const bob = test.browser(BOB);
    bob.device = alice.device;
    const answer = await comeBack(bob);
    expect(wasAsked(answer)).toBe(true);
    expect(answer.deviceCookie).toEqual(CLEARED);
    expect((await comeBack()).body.method).toBe('trusted-device');
    await test.trustedDevices.revokeAll('alice');
    expect(wasAsked(await comeBack())).toBe(true);
  });

  it('does not replace the password', async () => {
    await alice.trust();
    alice.leave();
    const answer = await alice.post('/login', { username: 'alice', password: 'wrong' });
    expect(answer.status).toBe(401);
    expect((await alice.get('/account')).status).toBe(403);
  });
});

describe('a device cookie that was copied', () => {
  it('gives the theft away when the owner comes back: the device is revoked, the other sessions are ended', async () => {
    await alice.trust();
    const thief = test.browser();
    thief.device = alice.device;
    expect((await comeBack(thief)).body.method).toBe('trusted-device');
    const answer = await comeBack();
    expect(wasAsked(answer)).toBe(true);
    expect(answer.deviceCookie).toEqual(CLEARED);
    expect(test.told('device-revoked')).toMatchObject([{ userId: 'alice', reason: 'stolen' }]);
    expect(test.ended).toEqual([{ userId: 'alice', sessionId: expect.any(String) }]);
    expect(wasAsked(await comeBack(thief))).toBe(true);
    await expect(test.trustedDevices.list('alice')).resolves.toEqual([]);
  });

  it('gives it away as well when the thief has used it many times, or is the second', async () => {
    for (const uses of [3, 0]) {
      await alice.trust();
      const thief = test.browser();
      thief.device = alice.device;
      for (let use = 0; use < uses; use += 1) await comeBack(thief);
      if (uses === 0) {
        for (let use = 0; use < 3; use += 1) await comeBack();
      }
      expect(wasAsked(await comeBack(uses === 0 ? thief : alice))).toBe(true);
      test.clock.advanceSeconds(301);
    }
    expect(test.told('device-revoked').map(({ reason }) => reason)).toEqual(['stolen', 'stolen']);
    expect(test.ended).toHaveLength(2);
  });

  it.each([
    [10, 0],
    [10.001, 1],
  ])('is a theft later than 10 s after the next use: after %d s', async (seconds, thefts) => {
    await alice.trust();
    const tab = test.browser();
    tab.device = alice.device;
    await comeBack();
    const { device } = tab;
    test.clock.advanceSeconds(seconds);
    const answer = await tab.login();
    expect(wasAsked(answer)).toBe(true);
    expect(test.told('device-revoked')).toHaveLength(thefts);
    expect(tab.device).toBe(thefts === 0 ? device : undefined);
    expect((await comeBack()).body.method).toBe(thefts === 0 ? 'trusted-device' : undefined);
  });

  it('lets one of two tabs in that log in at once, and calls it no theft', async () => {
    await alice.trust();
    const tab = test.browser();
    tab.device = alice.device;
    alice.leave();
    const answers = await Promise.all([alice.login(), tab.login()]);
    expect(answers.filter(({ body }) => body.method === 'trusted-device')).toHaveLength(1);
    expect(answers.filter(wasAsked)).toHaveLength(1);
    expect([test.told('device-revoked'), test.ended]).toEqual([[], []]);
  });
});

describe('a trusted device, after', () => {
  it.each([
    ['a change of the password', () => void test.passwords.set('alice', 'second'), 'changed'],
    [
      'a change of the number',
      () => void test.users.set('alice', { id: 'alice', phone: '+12025550199' }),
      'changed',
    ],
    ['new recovery codes', () => test.firstCodes(), 'changed'],
    ['being revoked', () => test.trustedDevices.revokeAll('alice'), 'revoked'],
    ['being forgotten', () => test.smsOtp.forgetUser('alice'), undefined],
  ])('%s, is trusted no more', async (_what, change, reason) => {
    await alice.trust();
    await change();
    const answer = await comeBack();
    expect(wasAsked(answer)).toBe(true);
    expect(answer.deviceCookie).toEqual(CLEARED);
    expect(test.told('device-revoked')).toMatchObject(reason === undefined ? [] : [{ reason }]);
    await expect(test.trustedDevices.list('alice')).resolves.toEqual([]);
  });
});
