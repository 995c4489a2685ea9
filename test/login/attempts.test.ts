import { afterEach, describe, expect, it } from '@jest/globals';
import type { SmsOtpEvent } from 'passport-sms-otp';
import { people } from '../support/people';
import type { TestUser } from '../support/test-app';
import { enterWrongly, seen, visit } from '../support/visit';
import { useSharedApp, useOwnApps } from '../support/use-app';
import { expectOneIn } from '../support/sent-twice';

const apps = useOwnApps();

const INVALID = [401, { error: 'invalid-code' }];

describe.each(['A', 'B'] as const)('attempts in variant %s', (variant) => {
  const test = useSharedApp({ variant, people: 60 });
  afterEach(() => {
    test.clock.advanceSeconds(11);
    test.events.length = 0;
  });

  const failures = (): number[] =>
    test.events.flatMap((event: SmsOtpEvent) =>
      event.type === 'failure-count-changed' ? [event.failures] : [],
    );
  const validates = (otpId = ''): number => test.sim.stats().validatesById[otpId] ?? 0;

  it('are five per OTP id; then the right code is refused too, without a call', async () => {
    const visitor = visit(test, test.nextUser());
    await visitor.login();
    const otpId = await visitor.pendingId();
    const wrong = await enterWrongly(visitor, 5);
    expect(wrong.map(seen)).toEqual(Array(5).fill(INVALID));
    const sixth = await visitor.enterRight();
    expect([sixth.status, sixth.body]).toEqual(INVALID);
    expect(seen(await visitor.enterRight())).toEqual(INVALID);
    expect(validates(otpId)).toBe(5);
    expect(failures()).toEqual([1, 2, 3, 4, 5]);
    expect((await visitor.account()).status).toBe(403);
  });

  it('accept the right code at the fifth', async () => {
    const visitor = visit(test, test.nextUser());
    await visitor.login();
    await enterWrongly(visitor, 4);
    expect((await visitor.enterRight()).status).toBe(200);
    expect(failures()).toEqual([1, 2, 3, 4, 0]);
  });

  it('begin anew with another code, while the failures of the user go on', async () => {
    const visitor = visit(test, test.nextUser());
    await visitor.login();
    const first = await visitor.pendingId();
    await enterWrongly(visitor, 5);
    test.clock.advanceSeconds(30);
    expect((await visitor.resend()).body).toMatchObject({ sent: true });
    const second = await visitor.pendingId();
    expect(second).not.toBe(first);
    await enterWrongly(visitor, 4);
    expect([validates(first), validates(second)]).toEqual([5, 4]);
    expect(failures()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect((await visitor.enterRight()).status).toBe(200);
  });

  it('end with a login elsewhere: the code before is refused without a call', async () => {
    const user = test.nextUser();
    const [here, there] = [visit(test, user), visit(test, user)];
    await here.login();
    const [otpId, old] = [await here.pendingId(), test.code(user)];
    test.clock.advanceSeconds(30);
    await there.login();
    const answers = [await here.enter(old), await here.enter(test.code(user))];
    expect([answers[0]?.status, answers[0]?.body]).toEqual(INVALID);
    expect([answers[1]?.status, answers[1]?.body]).toEqual(INVALID);
    expect((await here.status()).body.pending).toMatchObject({ attemptsLeft: 3 });
    expect(validates(otpId)).toBe(0);
    expect((await there.enterRight()).status).toBe(200);
  });

  it('end with a cancel', async () => {
    const visitor = visit(test, test.nextUser());
    await visitor.login();
    const otpId = await visitor.pendingId();
    expect((await visitor.cancel()).body).toEqual({ cancelled: true });
    const answer = await visitor.enterRight();
    expect([answer.status, answer.body]).toEqual([401, { error: 'no-pending-login' }]);
    expect(validates(otpId)).toBe(0);
  });

  it('are counted before the answer is there: a used code is refused while its success is under way', async () => {
    const visitor = visit(test, test.nextUser());
    await visitor.login();
    const otpId = await visitor.pendingId();
    test.sim.failNext('validate', { kind: 'latency', ms: 300, when: 'after' });
    const answers = await Promise.all([visitor.enterRight(), visitor.enterRight()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(answers.find(({ status }) => status === 401)?.body).toEqual({ error: 'invalid-code' });
    const rejected = test.events.filter(({ type }) => type === 'rejected');
    // B says that the code is used up, and nobody knows here what for.
    const reason = variant === 'A' ? 'wrong-code' : 'too-many-attempts';
    expect(rejected).toMatchObject([{ reason }]);
    expect(validates(otpId)).toBe(2);
    expect((await visitor.account()).status).toBe(200);
  });

  it('let exactly one of two right codes in, twenty times', async () => {
    for (let round = 0; round < 20; round += 1) {
      const visitor = visit(test, test.nextUser());
      await visitor.login();
      const answers = await Promise.all([visitor.enterRight(), visitor.enterRight()]);
      expectOneIn(answers);
      expect(test.logins.filter((id) => id === visitor.user.id)).toHaveLength(1);
    }
  });

  /** The next generate call is answered with an id that the gateway has given before. */
  function giveAgain(id: string | undefined, { phone }: TestUser): void {
    const payload = { id: variant === 'A' ? id : Number(id), mobile: phone?.slice(1) };
    const body = JSON.stringify({ status_code: 201, payload });
    test.sim.failNext('generate', { kind: 'body', status: 201, body });
  }

  it('are counted apart when the gateway gives the id of one login to another', async () => {
    const [alice, bob] = [visit(test, test.nextUser()), visit(test, test.nextUser())];
    await alice.login();
    const id = await alice.pendingId();
    const code = test.code(alice.user);
    giveAgain(id, bob.user);
    await bob.login();
    expect(await bob.pendingId()).toBe(id);
    for (const left of [4, 3, 2, 1]) {
      expect(seen(await bob.enter(code))).toEqual(INVALID);
      expect((await bob.status()).body.pending).toMatchObject({ attemptsLeft: left });
    }
    expect((await alice.status()).body.pending).toMatchObject({ attemptsLeft: 5 });
    expect((await alice.enter(code)).status).toBe(200);
    expect(test.logins).not.toContain(bob.user.id);
  });

  it('are those of the newest login when the gateway gives its id twice to one user', async () => {
    const user = test.nextUser();
    const [before, after] = [visit(test, user), visit(test, user)];
    await before.login();
    const id = await before.pendingId();
    test.clock.advanceSeconds(31);
    giveAgain(id, user);
    await after.login();
    expect([await before.pendingId(), await after.pendingId()]).toEqual([id, id]);
    const calls = validates(id);
    expect(seen(await before.enterRight())).toEqual(INVALID);
    expect(validates(id)).toBe(calls);
    expect((await after.enterRight()).status).toBe(200);
  });

  it('may be fewer by option', async () => {
    const own = await apps.start({
      variant,
      users: people(60),
      options: { allowedCountries: 'any', maxAttempts: 2 },
    });
    const visitor = visit(own, test.nextUser());
    await visitor.login();
    await enterWrongly(visitor, 2);
    expect((await visitor.enterRight()).body).toEqual({ error: 'invalid-code' });
    expect(own.sim.stats().calls.validate).toBe(2);
  });
});
