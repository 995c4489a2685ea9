import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FinishOptions } from '../../src/stores/store';
import { useApp } from '../support/use-app';
import { type Answer, visitOverTls } from '../support/visit';

/**
 * What a login hands out depends on its proof: the method of a factor, `trusted-device`, or null
 * where no second factor is needed. Trust is handed out for a factor alone.
 */
describe('what a login hands out', () => {
  let isRequired = true;
  const test = useApp(() => ({
    hasFactors: true,
    isTampered: true,
    options: { isRequiredFor: () => isRequired },
  }));
  const alice = visitOverTls(test);

  beforeEach(() => {
    isRequired = true;
  });

  const newestMethod = async (): Promise<unknown> =>
    (await test.smsOtp.logins?.list('alice'))?.[0]?.method;
  const devices = async (): Promise<number> => (await test.trustedDevices.list('alice')).length;
  const browserCookies = ({ setCookies }: Answer): number =>
    setCookies.filter((line) => line.startsWith('__Host-sms-otp-browser')).length;
  const verifiedEvents = (): unknown[] => test.told('verified').map(({ method }) => method);
  const lastSend = (): unknown =>
    test.told('decision-ended').findLast(({ decision }) => decision === 'send')?.outcome;

  it('sms: a login, a known browser, a trusted device and a fresh mark', async () => {
    const answer = await alice.trust();
    expect([browserCookies(answer), await devices()]).toEqual([1, 1]);
    expect([await newestMethod(), verifiedEvents()]).toEqual(['sms', ['sms']]);
    expect((await alice.account()).status).toBe(200);
  });

  it('recovery-code: the same, but no trusted device', async () => {
    const [code] = await test.firstCodes();
    await alice.login();
    const answer = await alice.recover(code, { trustDevice: 'on' });
    expect([answer.status, browserCookies(answer), await devices()]).toEqual([200, 1, 0]);
    expect([await newestMethod(), verifiedEvents()]).toEqual(['recovery-code', ['recovery-code']]);
  });

  it('trusted-device: a login and the next token of the device, nothing else', async () => {
    await alice.trust();
    alice.leave();
    test.clock.advanceSeconds(2 * 86_400);
    const before = alice.device;
    const answer = await alice.login();
    expect([answer.status, browserCookies(answer), await devices()]).toEqual([200, 0, 1]);
    expect(alice.device).not.toBe(before);
    expect([await newestMethod(), verifiedEvents()]).toEqual(['trusted-device', ['sms']]);
    expect(lastSend()).toBe('trusted-device');
  });

  it('null: a login alone, and no mark', async () => {
    isRequired = false;
    const answer = await alice.post('/login', {
      username: 'alice',
      password: 'right',
      trustDevice: 'on',
    });
    expect([browserCookies(answer), answer.deviceCookie, await devices()]).toEqual([
      0,
      undefined,
      0,
    ]);
    expect([await newestMethod(), verifiedEvents()]).toEqual([null, []]);
    expect(lastSend()).toBe('not-required');
    expect((await alice.status()).body.verified).toBeNull();
    expect((await alice.account()).status).toBe(403);
  });

  /** What the step that wrote the last success changed: counters cleared, and those charged. */
  const lastFinish = (): unknown[] => {
    const { given = [] } = test.tampered.calls.findLast(({ call }) => call === 'finish') ?? {};
    const { clears, charges } = given[1] as FinishOptions;
    const ofNumber = charges.filter(({ key }) => key.startsWith('proven:'));
    return [clears.includes('failures:others:alice'), ofNumber.length];
  };

  it('a code by message clears the failures and proves the number', async () => {
    await alice.trust();
    expect(lastFinish()).toEqual([true, 1]);
  });

  it('a recovery code clears the failures and proves no number', async () => {
    const [code] = await test.firstCodes();
    await alice.login();
    await alice.recover(code);
    expect(lastFinish()).toEqual([true, 0]);
  });

  it('neither a trusted device nor null clears or proves anything', async () => {
    await alice.trust();
    alice.leave();
    test.clock.advanceSeconds(60);
    await alice.login();
    expect([await newestMethod(), ...lastFinish()]).toEqual(['trusted-device', false, 0]);
    isRequired = false;
    alice.leave();
    alice.device = undefined;
    test.clock.advanceSeconds(60);
    await alice.login();
    expect([await newestMethod(), ...lastFinish()]).toEqual([null, false, 0]);
  });

  it('neither a trusted device nor null clears what wrong codes have left counted', async () => {
    await alice.trust();
    await alice.stepUp();
    await alice.enterWrong();
    const counted = test.told('failure-count-changed').length;
    alice.leave();
    expect((await alice.login()).status).toBe(200);
    isRequired = false;
    alice.leave();
    alice.device = undefined;
    await alice.login();
    expect(test.told('failure-count-changed')).toHaveLength(counted);
  });
});
