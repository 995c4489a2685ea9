import { describe, expect, it } from '@jest/globals';
import { createGate } from '../middleware/support/gate';
import { countBefore } from '../support/count-before';
import { ALICE, BOB } from '../support/test-app';
import { seen, visit } from '../support/visit';
import { useApp, useOwnApps } from '../support/use-app';

const others = useOwnApps();

/** The text must wait, and the login is pending. */
const PENDING = { error: 'resend-too-soon', pending: true };

describe.each(['A', 'B'] as const)('the gap between two sends in variant %s', (variant) => {
  const test = useApp({ variant, options: { maxSends: 5, pendingLoginSeconds: 900 } });
  const apps = useOwnApps({ variant });

  it('grows from 30 s by doubling to 300 s, spread by a tenth, over resends and logins', async () => {
    const gaps: number[] = [];
    for (let send = 1; send <= 7; send += 1) {
      const visitor = visit(test);
      expect((await visitor.login()).status).toBe(200);
      const refused = await visit(test).login();
      expect(refused).toMatchObject({
        status: 429,
        body: { error: 'resend-too-soon', pending: true },
      });
      const gap = Number(refused.headers['retry-after']);
      gaps.push(gap);
      test.clock.advanceSeconds(gap - 1);
      expect(seen(await visitor.resend())).toEqual([
        429,
        { error: 'resend-too-soon', retryAfterSeconds: 1 },
      ]);
      test.clock.advanceSeconds(1);
    }
    const bounds = [30, 60, 120, 240, 300, 300, 300].map((gap) => [gap, Math.min(300, gap * 1.1)]);
    for (const [index, [least, most]] of bounds.entries()) {
      expect(gaps[index]).toBeGreaterThanOrEqual(least ?? NaN);
      expect(gaps[index]).toBeLessThanOrEqual(most ?? NaN);
    }
    expect(gaps[0]).toBe(30);
    expect(test.sim.stats().sent).toBe(7);
  });

  it('is told as resendAt to the second', async () => {
    const visitor = visit(test);
    let sent = await visitor.login();
    for (let resend = 1; resend <= 3; resend += 1) {
      test.clock.advanceSeconds((sent.body.resendAt - test.clock.now()) / 1000 - 1);
      const early = await visitor.resend();
      expect(seen(early)).toEqual([429, { error: 'resend-too-soon', retryAfterSeconds: 1 }]);
      expect(early.headers['retry-after']).toBe('1');
      test.clock.advanceSeconds(1);
      sent = await visitor.resend();
      expect(sent.status).toBe(200);
    }
  });

  it('begins anew with a success', async () => {
    const visitor = visit(test);
    await visitor.login();
    test.clock.advanceSeconds(30);
    await visitor.resend();
    await visitor.enterRight();
    const again = await visit(test).login();
    expect(again.body).toMatchObject({ sent: true, resendAt: test.clock.now() + 30_000 });
  });

  it("is each user's own where two share a number, and the success of one does not end the other's", async () => {
    test.users.set('bob', { ...BOB, phone: ALICE.phone });
    const [alice, bob] = [visit(test, ALICE), visit(test, { ...BOB, phone: ALICE.phone })];
    await bob.login();
    expect((await alice.login()).status).toBe(200);
    await alice.enterRight();
    expect(seen(await visit(test, BOB).login())).toEqual([
      429,
      { ...PENDING, retryAfterSeconds: 30 },
    ]);
  });

  it('answers a second password in the same session like the first, and sends nothing', async () => {
    const visitor = visit(test);
    const first = await visitor.login();
    test.clock.advanceSeconds(29);
    expect(seen(await visitor.login())).toEqual([200, first.body]);
    expect(test.sim.stats().sent).toBe(1);
    expect((await visitor.enterRight()).status).toBe(200);
  });

  it('answers two passwords at once with one code, and both with its pending login', async () => {
    const visitor = visit(test);
    const answers = await Promise.all([visitor.login(), visitor.login()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(test.sim.stats().sent).toBe(1);
  });

  it('refuses a step-up that began first and is decided last, and the text of the other one stays good', async () => {
    const locales = createGate();
    const test = await apps.start({
      options: { getLocale: () => locales.pass().then(() => 'en') },
    });
    const visitor = visit(test);
    await visitor.login();
    await visitor.enterRight();
    const slow = locales.holdNext();
    const first = visitor.stepUp();
    await slow.arrived;
    expect((await visitor.stepUp()).body).toMatchObject({ sent: true });
    slow.release();
    expect(seen(await first)).toEqual([429, { error: 'resend-too-soon', retryAfterSeconds: 30 }]);
    expect((await visitor.enterRight()).status).toBe(200);
  });

  it('refuses a second password when the number has changed, or another user waits here', async () => {
    const visitor = visit(test);
    await visitor.login();
    test.users.set('alice', { ...ALICE, phone: '+12025550199' });
    expect(seen(await visitor.login())).toEqual([429, { ...PENDING, retryAfterSeconds: 30 }]);
    test.users.set('alice', ALICE);
    await visitor.login(BOB);
    expect(seen(await visitor.login())).toEqual([429, { ...PENDING, retryAfterSeconds: 30 }]);
    expect(seen(await visitor.enterRight())).toEqual([401, { error: 'invalid-code' }]);
  });

  it('answers the password of another user with the same number by a code of their own', async () => {
    test.users.set('bob', { ...BOB, phone: ALICE.phone });
    const visitor = visit(test);
    await visitor.login();
    const first = test.sim.outbox.at(-1)?.pin ?? '';
    expect((await visitor.login(BOB)).status).toBe(200);
    expect(seen(await visitor.enter(first))).toEqual([401, { error: 'invalid-code' }]);
    expect((await visitor.enterRight()).body).toMatchObject({ verified: true });
    expect(test.logins).toEqual(['bob']);
  });

  it('refuses the password of another user with the same number whose own text has just gone out', async () => {
    test.users.set('bob', { ...BOB, phone: ALICE.phone });
    await visit(test, BOB).login();
    const visitor = visit(test);
    await visitor.login();
    expect(seen(await visitor.login(BOB))).toEqual([429, { ...PENDING, retryAfterSeconds: 30 }]);
  });

  it('refuses a second password when the code that is out has expired', async () => {
    const test = await apps.start({
      options: { codeValiditySeconds: 120, resendCooldownSeconds: 300 },
    });
    const visitor = visit(test);
    const first = await visitor.login();
    test.clock.advanceSeconds(119);
    expect(seen(await visitor.login())).toEqual([200, first.body]);
    test.clock.advanceSeconds(1);
    expect(seen(await visitor.login())).toEqual([429, { ...PENDING, retryAfterSeconds: 180 }]);
  });
});

describe('the time of the next code', () => {
  it.each([
    ['the user', { perUser: { maxPerDay: 2 } }, 86_250],
    ['the number', { perNumber: { maxPerDay: 2 } }, 86_250],
    ['the user in the short run', { perUser: { max: 2 } }, 450],
    ['the user in all other browsers', {}, 86_250],
    ['new numbers of the prefix', { perPrefix: { maxUnproven: 2 } }, 3_450],
    ['the address', { perAddress: { max: 2 } }, 3_450],
    ['everybody', { total: { max: 2 } }, 3_450],
  ])('is never when the limit of %s is reached by then', async (whose, limits, wait) => {
    const test = await others.start({ isTampered: true, options: { limits } });
    if (whose === 'the user in all other browsers')
      await countBefore(test, 'sends:all:others:alice', 18);
    const visitor = visit(test);
    expect((await visitor.login()).body.resendAt).toBe(test.clock.now() + 30_000);
    test.clock.advanceSeconds(30);
    expect((await visitor.resend()).body).toMatchObject({ sent: true, resendAt: null });
    test.clock.advanceSeconds(120);
    const refused = await visitor.resend();
    expect(refused).toMatchObject({ status: 429, body: { error: 'send-limit' } });
    expect(Number(refused.headers['retry-after'])).toBe(wait);
  });
});
