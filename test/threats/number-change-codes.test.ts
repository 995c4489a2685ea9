import { describe, expect, it } from '@jest/globals';
import type { SmsOtpOptions } from 'passport-sms-otp';
import { changePending, setMark } from '../account/support/stored-slot';
import { seen, visit, type Visit } from '../support/visit';
import { waitUntil } from '../support/wait-until';
import type { TestApp } from '../support/test-app';
import { HOME, WORK, NEW } from '../support/test-users';
import { useOwnApps } from '../support/use-app';
import { numbersOf } from '../support/memory-phone-book';

const apps = useOwnApps({ hasPhones: true });

describe.each(['A', 'B'] as const)('a number cannot be changed in variant %s', (variant) => {
  /** Alice has two numbers and is logged in with both factors. */
  async function scene(
    options: Partial<SmsOtpOptions> = {},
  ): Promise<{ test: TestApp; alice: Visit; phoneId: string }> {
    const test = await apps.start({ variant, options });
    test.book.seed('alice', HOME, WORK);
    const alice = visit(test);
    await alice.logIn();
    return { test, alice, phoneId: await alice.idOf(WORK) };
  }

  it('by the code of a login or a step-up', async () => {
    const { test, alice } = await scene();
    const thief = visit(test);
    await thief.login();
    expect(seen(await thief.confirm(HOME))).toEqual([401, { error: 'no-pending-login' }]);
    test.clock.advanceSeconds(61);
    expect((await alice.stepUp()).body).toMatchObject({ sent: true });
    expect(seen(await alice.confirm(HOME))).toEqual([401, { error: 'no-pending-login' }]);
    expect((await alice.enterRight()).status).toBe(200);
  });

  it('so that its own code logs anybody in, or steps up', async () => {
    const { test, alice } = await scene();
    test.clock.advanceSeconds(200);
    await alice.replace(NEW);
    const pin = test.sim.lastPin(NEW);
    expect(seen(await alice.enter(pin))).toEqual([401, { error: 'no-pending-login' }]);
    test.clock.advanceSeconds(150);
    expect((await alice.get('/fresh')).status).toBe(403);
    changePending(test, { purpose: 'step-up' });
    expect(seen(await alice.enter(pin))).toEqual([401, { error: 'invalid-code' }]);
    expect((await alice.get('/fresh')).status).toBe(403);
  });

  it('by a step-up whose session says that it is an enrollment', async () => {
    const { test, alice } = await scene();
    await alice.stepUp();
    changePending(test, { purpose: 'enroll' });
    expect(seen(await alice.confirm(HOME))).toEqual([401, { error: 'invalid-code' }]);
    expect(test.book.changes).toEqual([]);
  });

  it('when the number whose place it takes was removed meanwhile: the change is over', async () => {
    const { test, alice, phoneId } = await scene({ logins: false });
    const other = visit(test);
    await other.logIn();
    await alice.replace(NEW, { phoneId });
    await other.post('/phones/remove', { phoneId });
    expect(seen(await alice.confirm(NEW))).toEqual([401, { error: 'invalid-code' }]);
    expect(numbersOf(test)).toEqual([HOME, `${NEW}?`]);
    expect(seen(await alice.confirm(NEW))).toEqual([401, { error: 'no-pending-login' }]);
    expect(test.events.filter(({ type }) => type === 'phone-enrolled')).toEqual([]);
  });

  it('by a session that has lost its second factor while the code was judged', async () => {
    const { test, alice } = await scene();
    await alice.replace(NEW);
    const { validated } = test.sim.stats();
    test.sim.failNext('validate', { kind: 'latency', ms: 300, when: 'after' });
    const confirming = alice.confirm(NEW);
    await waitUntil(() => test.sim.stats().validated > validated);
    setMark(test, undefined);
    expect(seen(await confirming)).toEqual([403, { error: 'second-factor-required' }]);
    expect(numbersOf(test)).toEqual([HOME, WORK, `${NEW}?`]);
    expect(test.book.changes.map(([call]) => call)).toEqual(['addUnconfirmed']);
  });

  it('by a session that has ended while the code was judged', async () => {
    const { test, alice } = await scene();
    await alice.replace(NEW);
    const { validated } = test.sim.stats();
    const original = test.sessions.ids();
    test.sim.failNext('validate', { kind: 'latency', ms: 300, when: 'after' });
    const confirming = alice.confirm(NEW);
    await waitUntil(() => test.sim.stats().validated > validated);
    original.forEach((sid) => test.sessions.destroy(sid));
    expect((await confirming).status).toBe(401);
    expect(numbersOf(test)).toEqual([HOME, WORK, `${NEW}?`]);
  });
});
