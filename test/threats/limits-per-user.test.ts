import { describe, expect, it } from '@jest/globals';
import { people } from '../support/people';
import { enterWrongly, seen, visit, type Visit } from '../support/visit';
import { guessUntilLocked, LOCKED } from './support/guess-until-locked';
import { useOwnApps } from '../support/use-app';

/** Nothing but what is in every app: no option of a limit is ever given here. */
const test = useOwnApps({ people: 80, trustProxy: true });
const alice = visit(test, people(1)[0]);

const validates = (): number => test.sim.stats().calls.validate;

describe('the failures of a user', () => {
  it('are counted over addresses (rubygems.org GHSA-c55g-q6f4-5qxr, Instagram 2019)', async () => {
    await test.start();
    const from = (host: number): Visit =>
      visit(test, alice.user, { 'x-forwarded-for': `192.0.2.${host}` });
    let address = 0;
    for (const wait of [0, 31, 90, 160]) {
      test.clock.advanceSeconds(wait);
      address += 1;
      const visitor = from(address);
      await visitor.login();
      await enterWrongly(visitor, 4);
    }
    expect(validates()).toBe(10);
    expect(seen(await from(99).login())).toEqual(LOCKED);
  });

  it('stay when the whole login is gone through again (caddy-security GHSA-vfph-hjfv-cpv2)', async () => {
    await test.start();
    await guessUntilLocked(test, alice);
    test.clock.advanceSeconds(300);
    for (let time = 0; time < 5; time += 1) {
      await alice.cancel();
      await alice.logout();
      expect(seen(await visit(test, alice.user).login())).toEqual(LOCKED);
    }
  });

  it('stay with another code, another session, a cancel and the end of a lock (NIST SP 800-63B 3.1.3.2)', async () => {
    await test.start();
    await guessUntilLocked(test, alice);
    test.clock.advanceSeconds(1_800);
    await alice.login();
    await alice.enterWrong();
    await alice.cancel();
    test.clock.advanceSeconds(300);
    await alice.login();
    await alice.enterWrong();
    const counts = test.events.flatMap((event) =>
      event.type === 'failure-count-changed' ? [event.failures] : [],
    );
    expect(counts).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  });

  it('are those of the account, by whatever name it logs in (Authelia CVE-2025-24806)', async () => {
    const [user] = people(1, 'account');
    await test.start({
      options: { getUserId: () => 'one-account', loadUser: () => user as unknown as Express.User },
    });
    const byName = visit(test, { id: 'user-78', phone: user?.phone ?? null });
    const byEmail = visit(test, { id: 'user-79', phone: user?.phone ?? null });
    for (const id of ['user-78', 'user-79']) test.users.set(id, { id, phone: user?.phone ?? null });
    await byName.login();
    await enterWrongly(byName, 5);
    test.clock.advanceSeconds(30);
    await byEmail.login();
    await enterWrongly(byEmail, 5);
    expect(validates()).toBe(10);
    expect(seen(await byName.login())).toEqual(LOCKED);
  });

  it('are those of every flow: login, step-up and plain Passport (Keycloak GHSA-85v8-vx4w-q684, CVE-2026-9798, Zitadel CVE-2025-64102)', async () => {
    await test.start({
      routes: (app, _smsOtp, passport) => {
        app.post('/plain', passport.authenticate('sms-otp'), (_req, res) => res.json({}));
      },
    });
    await alice.login();
    await alice.enterRight();
    await alice.stepUp();
    await enterWrongly(alice, 5);
    test.clock.advanceSeconds(30);
    const agent = test.agent();
    await agent.post('/login').send({ username: alice.user.id, password: 'right' });
    const before = validates();
    const answers: number[] = [];
    for (let guess = 0; guess < 8; guess += 1)
      answers.push((await agent.post('/plain').send({ pin: '0000' })).status);
    // The tenth failure is told of the lock that it has set.
    expect(answers).toEqual([401, 401, 401, 401, 429, 401, 401, 401]);
    expect(validates() - before).toBe(5);
    test.clock.advanceSeconds(300);
    for (const ask of [alice.stepUp, alice.login]) expect(seen(await ask())).toEqual(LOCKED);
  });

  it('lock with a limit that is really reached, and stays reached (Vaultwarden CVE-2026-27801, CVE-2026-43914)', async () => {
    await test.start();
    await guessUntilLocked(test, alice);
    test.clock.advanceSeconds(1_799);
    expect(await alice.login()).toMatchObject({
      status: 429,
      body: { error: 'locked', pending: true },
    });
    test.clock.advanceSeconds(1);
    expect((await alice.login()).status).toBe(200);
    await enterWrongly(alice, 5);
    expect(validates()).toBe(15);
  });

  it('are no right codes: after 70 logins in new browsers in a month, one typing error locks nothing', async () => {
    await test.start();
    for (let login = 1; login <= 70; login += 1) {
      const visitor = visit(test, alice.user);
      await visitor.login();
      expect((await visitor.enterRight()).status).toBe(200);
      test.clock.advanceSeconds(8 * 3_600);
    }
    await alice.login();
    await alice.enterWrong();
    expect((await alice.enterRight()).status).toBe(200);
    expect((await visit(test, alice.user).login()).status).toBe(200);
    expect(test.events.map(({ type }) => type)).not.toContain('guessing-slowly');
  });

  it('are counted over sessions at once, and somebody is told (Microsoft AuthQuake 2024)', async () => {
    await test.start();
    const sessions: Visit[] = [];
    for (let session = 0; session < 6; session += 1) {
      const visitor = visit(test, alice.user);
      await visitor.login();
      sessions.push(visitor);
      test.clock.advanceSeconds(31);
    }
    await Promise.all(
      sessions.flatMap((visitor) =>
        [visitor, visitor, visitor, visitor].map((one) => one.enterWrong()),
      ),
    );
    const [most] = Object.values(test.sim.stats().validatesById).sort((a, b) => b - a);
    expect(most).toBeLessThanOrEqual(5);
    test.clock.advanceSeconds(300);
    const last = visit(test, alice.user);
    await last.login();
    await enterWrongly(last, 10);
    test.clock.advanceSeconds(300);
    await last.login();
    await enterWrongly(last, 10);
    expect(validates()).toBe(10);
    expect(test.events).toContainEqual(
      expect.objectContaining({ type: 'locked', userId: alice.user.id }),
    );
  });
});
