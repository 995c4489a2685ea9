import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ActivePendingLogin } from 'passport-sms-otp';
import { testClock } from '../support/clock';
import { answering, type TamperedStore, tamperedStore } from '../support/tampered-store';
import type { TestApp } from '../support/test-app';
import { useOwnApps } from '../support/use-app';
import { visit, type Visit } from '../support/visit';

describe.each(['A', 'B'] as const)('a resend, variant %s', (variant) => {
  const apps = useOwnApps({ variant });
  let test: TestApp;
  let tampered: TamperedStore;
  let alice: Visit;

  beforeEach(async () => {
    const clock = testClock();
    tampered = tamperedStore(clock);
    test = await apps.start({ clock, options: { store: tampered.store } });
    alice = visit(test);
    await alice.login();
    clock.advanceSeconds(60);
  });

  const resend = () => alice.post('/login/resend');

  /** The user is told that there is nothing to send to, and nothing was sent. */
  async function expectNothingSent(): Promise<void> {
    const { status, body } = await resend();
    expect([status, body]).toEqual([401, { error: 'no-pending-login' }]);
    expect(test.sim.stats().calls.generate).toBe(1);
  }

  it('sends another code in a login that is pending', async () => {
    expect(await resend()).toMatchObject({ status: 200, body: { sent: true } });
    expect(test.sim.stats().calls.generate).toBe(2);
  });

  it('sends none once another request has passed the login', async () => {
    tampered.tamper('find', answering('passed'));
    await expectNothingSent();
    expect((await alice.status()).body.pending).toBeNull();
  });

  it('sends none once another request has begun something else under its id', async () => {
    tampered.tamper('find', async (work) => {
      const live = (await work()) as ActivePendingLogin;
      const login = JSON.parse(live.value) as object;
      return { ...live, value: JSON.stringify({ ...login, purpose: 'step-up' }) };
    });
    await expectNothingSent();
  });

  it('sends none in a login that has ended', async () => {
    tampered.lose();
    await expectNothingSent();
    expect((await alice.status()).body.pending).toBeNull();
  });

  it('is no double click of a login that another request has passed', async () => {
    await test.close();
    test = await apps.start({ options: { store: tampered.store } });
    alice = visit(test);
    await alice.login();
    tampered.tamper('find', answering('passed'));
    const again = await alice.login();
    expect([again.status, again.body.error]).toEqual([429, 'resend-too-soon']);
    expect(test.sim.stats().calls.generate).toBe(1);
  });
});
