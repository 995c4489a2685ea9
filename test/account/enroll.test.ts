import { describe, expect, it } from '@jest/globals';
import { sessionIdOf } from '../middleware/support/steps';
import { countBefore } from '../support/count-before';
import { BOB } from '../support/test-app';
import { seen, visit } from '../support/visit';
import { HOME, WORK, NEW } from '../support/test-users';
import { useOwnApps } from '../support/use-app';
import { numbersOf } from '../support/memory-phone-book';

const apps = useOwnApps({ hasPhones: true });

describe.each(['A', 'B'] as const)('a number, in variant %s,', (variant) => {
  it('is added by its own code, and texted only when it is chosen', async () => {
    const test = await apps.start({ variant });
    const alice = visit(test);
    await alice.logIn();
    const sent = await alice.enroll('+1 (415) 555-0188');
    expect(sent.body).toMatchObject({ sent: true, purpose: 'enroll', maskedPhone: '•• •• 88' });
    expect(sent.body).toMatchObject({ factor: 'sms', factors: ['sms'] });
    expect(sent.body).not.toHaveProperty('phones');
    expect(test.sim.outbox.at(-1)?.mobile).toBe(NEW);
    expect(numbersOf(test)).toEqual([HOME, `${NEW}?`]);
    const confirmed = await alice.confirm(NEW);
    expect(confirmed.body).toMatchObject({ verified: true, method: 'sms', at: test.clock.now() });
    expect(numbersOf(test)).toEqual([HOME, NEW]);
    await alice.login();
    expect(test.sim.outbox.at(-1)?.mobile).toBe(HOME);
  });

  it('is sent no other code once the store no longer knows the number', async () => {
    const test = await apps.start({ variant, isTampered: true });
    const alice = visit(test);
    await alice.logIn();
    await alice.enroll(NEW);
    test.clock.advanceSeconds(60);
    const { generate } = test.sim.stats().calls;
    test.tampered.tamper('find', async (work) => ({ ...((await work()) as object), otps: [] }));
    const { status, body } = await alice.resend();
    expect([status, body]).toEqual([401, { error: 'no-pending-login' }]);
    expect(test.sim.stats().calls.generate).toBe(generate);
    expect((await alice.status()).body.pending).toBeNull();
  });

  it('takes the place of the default one at the moment its code is right', async () => {
    const test = await apps.start({ variant });
    const alice = visit(test);
    await alice.logIn();
    await alice.replace(NEW);
    expect(numbersOf(test)).toEqual([HOME, `${NEW}?`]);
    expect((await alice.confirm(NEW)).status).toBe(200);
    expect(numbersOf(test)).toEqual([NEW]);
    await alice.login();
    expect(test.sim.outbox.at(-1)?.mobile).toBe(NEW);
  });

  it("is a user's first one after a login with the password alone: trust on first use", async () => {
    const test = await apps.start({ variant });
    const bob = visit(test, BOB);
    expect((await bob.login()).body).toEqual({ sent: false, reason: 'not-required' });
    expect((await bob.enroll(WORK)).body).toMatchObject({ sent: true });
    expect((await bob.account()).status).toBe(403);
    expect((await bob.confirm(WORK)).status).toBe(200);
    expect((await bob.status()).body).toMatchObject({
      verified: { method: 'sms', at: test.clock.now() },
      hasSecondFactor: true,
      pending: null,
    });
    expect((await bob.login()).body).toMatchObject({
      sent: true,
      purpose: 'login',
      maskedPhone: '•• •• 77',
    });
  });
});

describe('an enrollment', () => {
  it('tells the phone book when the user has sent the number, by our clock alone', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    const at = test.clock.now();
    await alice.post('/phones/enroll', { phone: NEW, consentedAt: '1', consented_at: '1' });
    expect(test.book.consents).toEqual([at]);
  });

  it('counts toward the numbers that are not proven, until its code was right', async () => {
    const test = await apps.start({ isTampered: true });
    const alice = visit(test);
    await alice.logIn();
    test.clock.advanceSeconds(86_400);
    await alice.logIn();
    await countBefore(test, 'sends:unproven-numbers:alice', 4);
    expect((await alice.enroll(NEW)).status).toBe(200);
    test.clock.advanceSeconds(120);
    expect((await alice.enroll(WORK)).body).toMatchObject({ error: 'send-limit' });
  });

  it('takes the place of the number that the form names', async () => {
    const test = await apps.start();
    test.book.seed('alice', HOME, WORK);
    const alice = visit(test);
    await alice.logIn();
    await alice.replace(NEW, { phoneId: await alice.idOf(WORK) });
    await alice.confirm(NEW);
    expect(numbersOf(test)).toEqual([HOME, NEW]);
  });

  it('renews the session and keeps everything the app has in it', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.login();
    const sid = String(sessionIdOf(await alice.enterRight()));
    test.sessions.put(sid, { ...test.sessions.rest(sid), cart: ['book'] });
    await alice.enroll(NEW);
    expect(test.sessions.ids()).toContain(sid);
    const renewed = String(sessionIdOf(await alice.confirm(NEW)));
    expect(test.sessions.ids()).toEqual([renewed]);
    expect(test.sessions.rest(renewed)).toMatchObject({
      cart: ['book'],
      passport: { user: 'alice' },
      smsOtp: { version: 1, verified: { userId: 'alice', method: 'sms', at: test.clock.now() } },
    });
  });

  it('tells of the new number and the old one, masked, and ends the other sessions once it is done', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    await alice.replace(NEW);
    expect([test.ended, test.events.filter(({ type }) => type === 'phone-enrolled')]).toEqual([
      [],
      [],
    ]);
    const sessionId = sessionIdOf(await alice.confirm(NEW));
    expect(test.ended).toEqual([{ userId: 'alice', sessionId }]);
    expect(test.events.filter(({ type }) => type === 'phone-enrolled')).toEqual([
      {
        type: 'phone-enrolled',
        userId: 'alice',
        address: expect.any(String),
        maskedPhone: '•• •• 88',
        replaced: '•• •• 23',
      },
    ]);
    // Any digits may stand in a duration, and in a random id.
    const told = JSON.stringify(test.events, (key, value: unknown) =>
      key === 'durationMs' || key === 'loginIds' ? null : value,
    );
    expect(told).not.toContain('555');
  });

  it('may have its code sent again, and be called off', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    await alice.replace(NEW);
    test.clock.advanceSeconds(31);
    expect((await alice.resend()).body).toMatchObject({ sent: true, purpose: 'enroll' });
    expect((await alice.cancel()).body).toEqual({ cancelled: true });
    expect(seen(await alice.confirm(NEW))).toEqual([401, { error: 'no-pending-login' }]);
    expect(numbersOf(test)).toEqual([HOME, `${NEW}?`]);
    expect((await alice.account()).status).toBe(200);
  });

  it('by the code of a resend takes the same place', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    await alice.replace(NEW);
    test.clock.advanceSeconds(31);
    await alice.resend();
    expect((await alice.confirm(NEW)).status).toBe(200);
    expect(numbersOf(test)).toEqual([NEW]);
  });

  it('asked for twice within the gap sends one code, but not when it shall do something else', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    await alice.enroll(NEW);
    const { sent } = test.sim.stats();
    expect((await alice.enroll(NEW)).body).toMatchObject({ sent: true, purpose: 'enroll' });
    expect((await alice.replace(NEW)).body).toEqual({
      error: 'resend-too-soon',
      retryAfterSeconds: expect.any(Number),
    });
    expect(test.sim.stats().sent).toBe(sent);
    await alice.confirm(NEW);
    expect(numbersOf(test)).toEqual([HOME, NEW]);
  });

  it('understands the national form of its default country', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    expect(seen(await alice.enroll('415 555 0188'))).toEqual([400, { error: 'malformed-phone' }]);
    expect((await alice.post('/phones/national', { phone: '415 555 0188' })).status).toBe(200);
    expect(numbersOf(test)).toEqual([HOME, `${NEW}?`]);
  });

  it('leads back to the page that asked for a second factor, and tells a form why it was refused', async () => {
    const test = await apps.start();
    const bob = visit(test, BOB);
    await bob.login();
    const steps = [
      await bob.get('/site/settings?tab=phone'),
      await bob.post('/site/enroll', { phone: 'none' }),
    ];
    expect((await bob.status()).body.notice).toBe('malformed-phone');
    await bob.get('/site/settings?tab=phone');
    steps.push(
      await bob.post('/site/enroll', { phone: WORK }),
      await bob.post('/site/confirm', { pin: '0000' }),
    );
    expect((await bob.status()).body.notice).toBe('wrong-code');
    steps.push(await bob.post('/site/confirm', { pin: test.sim.lastPin(WORK) }));
    expect(steps.map(({ status, headers }) => [status, headers.location as unknown])).toEqual([
      [303, '/site/enroll'],
      [303, '/site/settings'],
      [303, '/site/code'],
      [303, '/site/settings'],
      [303, '/site/settings?tab=phone'],
    ]);
  });
});
