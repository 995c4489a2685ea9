import { afterEach, describe, expect, it } from '@jest/globals';
import { memoryStore, type PendingLoginStore, type SmsOtpStore } from 'passport-sms-otp';
import { testClock } from '../support/clock';
import { slowStore } from '../support/slow-store';
import { waitUntil } from '../support/wait-until';
import { seen, visit, wrongCode, type Visit } from '../support/visit';
import { useSharedApp, useOwnApps } from '../support/use-app';

const apps = useOwnApps();

/** Everything here happens at once, against a store whose answers take their time. */
describe.each(['A', 'B'] as const)('at the same moment in variant %s', (variant) => {
  const test = useSharedApp({ variant, people: 80, store: slowStore });
  afterEach(() => {
    test.clock.advanceSeconds(11);
    test.events.length = 0;
  });

  const validates = (): number => test.sim.stats().calls.validate;
  const times = <Result>(
    count: number,
    act: (index: number) => Promise<Result>,
  ): Promise<Result[]> => Promise.all(Array.from({ length: count }, (_, index) => act(index)));
  async function loggedIn(user = test.nextUser()): Promise<Visit> {
    const visitor = visit(test, user);
    await visitor.login();
    return visitor;
  }

  it('guesses over many logins do not get past the lock before it is written (Keycloak CVE-2024-4629, Zitadel GHSA-7h8m-vrxx-vr4m)', async () => {
    const user = test.nextUser();
    const before = validates();
    for (const wait of [31, 300, 300]) {
      const visitor = await loggedIn(user);
      await times(20, () => visitor.enterWrong());
      test.clock.advanceSeconds(wait);
    }
    expect(validates() - before).toBe(10);
    expect(seen(await visit(test, user).login())).toEqual([
      429,
      { error: 'locked', retryAfterSeconds: expect.any(Number) },
    ]);
  });

  it('attempts are added up one by one (LatePoint CVE-2026-110653, heartcombo/devise issue 4981)', async () => {
    const visitor = await loggedIn();
    const before = validates();
    await times(40, () => visitor.enterWrong());
    expect(validates() - before).toBe(5);
    const counts = test.events.flatMap((event) =>
      event.type === 'failure-count-changed' ? [event.failures] : [],
    );
    // Each event tells what the store counts then.
    expect(counts).toHaveLength(5);
    expect(counts.at(-1)).toBe(5);
  });

  it('one code makes one session (MISP CVE-2026-107276, better-auth pull request 6176)', async () => {
    for (let round = 0; round < 10; round += 1) {
      const visitor = await loggedIn();
      const answers = await times(4, () => visitor.enterRight());
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(test.logins.filter((id) => id === visitor.user.id)).toHaveLength(1);
    }
  });

  it('the right code among wrong ones counts once, and clears once', async () => {
    const visitor = await loggedIn();
    const code = test.code(visitor.user);
    // Five attempts in all, so that the right code is always one of those that are judged.
    for (let wrong = 0; wrong < 2; wrong += 1) await visitor.enterWrong();
    const answers = await times(3, (index) => visitor.enter(index === 1 ? code : wrongCode(code)));
    const [right, ...wrong] = answers.map(({ status }) => status).sort();
    expect(right).toBe(200);
    // One that is answered after the right code is told that the login has passed.
    for (const status of wrong) expect([401, 409]).toContain(status);
    expect(test.logins.filter((id) => id === visitor.user.id)).toHaveLength(1);
    expect(test.events.filter(({ type }) => type === 'verified')).toHaveLength(1);
    const cleared = test.events.filter(
      (event) => event.type === 'failure-count-changed' && event.failures === 0,
    );
    expect(cleared).toHaveLength(1);
    test.events.length = 0;
    test.clock.advanceSeconds(31);
    await (await loggedIn(visitor.user)).enterWrong();
    const [counted] = test.events.flatMap((event) =>
      event.type === 'failure-count-changed' ? [event.failures] : [],
    );
    // This one, and at most the two that came beside the right code: never the two before it.
    expect([1, 2, 3]).toContain(counted);
    expect(Object.values(test.sim.stats().validatesById).at(-1)).toBeLessThanOrEqual(5);
  });

  it('a resend and the code before it let that code in, or refuse it for good', async () => {
    for (let round = 0; round < 5; round += 1) {
      const visitor = await loggedIn();
      const old = test.code(visitor.user);
      test.clock.advanceSeconds(30);
      const [entered] = await Promise.all([visitor.enter(old), visitor.resend()]);
      const isIn = entered.status === 200;
      expect([200, 401]).toContain(entered.status);
      expect((await visitor.account()).status).toBe(isIn ? 200 : 403);
      expect((await visitor.enter(old)).status).toBe(401);
      expect(test.logins.filter((id) => id === visitor.user.id)).toHaveLength(isIn ? 1 : 0);
    }
  });

  it('two logins send one message', async () => {
    const user = test.nextUser();
    const sent = test.sim.stats().sent;
    const answers = await times(6, () => visit(test, user).login());
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429, 429, 429]);
    expect(test.sim.stats().sent - sent).toBe(1);
  });

  it('a cancel and a right code leave the user in or out, not between', async () => {
    const visitor = await loggedIn();
    const [entered] = await Promise.all([visitor.enterRight(), visitor.cancel()]);
    const status = (await visitor.status()).body;
    expect(status.hasSecondFactor).toBe(entered.status === 200);
    expect(status.isAuthenticated).toBe(entered.status === 200);
  });
});

describe('a newer code', () => {
  it('is for nothing when the code before it was judged right by then: that one lets in, once', async () => {
    const clock = testClock();
    const memory = memoryStore({ now: () => clock.now() });
    const { pendingLogins } = memory;
    let [isAttached, isAnswered] = [false, false];
    // The resend comes between judging and finishing, and its answer is slower than the success.
    const slow: Partial<PendingLoginStore> = {
      attach: async (pendingId, text) => {
        const answer = await pendingLogins.attach(pendingId, text);
        isAttached = true;
        await waitUntil(() => isAnswered);
        return answer;
      },
    };
    const store: SmsOtpStore = {
      ...memory,
      pendingLogins: { ...pendingLogins, ...slow },
      finish: async (pendingId, options) => {
        await waitUntil(() => isAttached);
        return memory.finish(pendingId, options);
      },
    };
    const test = await apps.start({ clock, options: { store, isRequiredFor: () => true } });
    const visitor = visit(test);
    isAnswered = true;
    await visitor.login();
    [isAttached, isAnswered] = [false, false];
    clock.advanceSeconds(30);
    const judged = visitor.enterRight().then((answer) => {
      isAnswered = true;
      return answer;
    });
    await waitUntil(() => test.sim.stats().validated === 1);
    const [resent, entered] = await Promise.all([visitor.resend(), judged]);
    expect([seen(resent), entered.status]).toEqual([[401, { error: 'no-pending-login' }], 200]);
    expect((await visitor.account()).status).toBe(200);
    expect(seen(await visitor.enterRight())).toEqual([401, { error: 'no-pending-login' }]);
    expect(test.logins).toEqual(['alice']);
  });
});
