import { describe, expect, it } from '@jest/globals';
import type { ActivePendingLogin } from 'passport-sms-otp';
import { testClock } from '../support/clock';
import { tamperedStore } from '../support/tampered-store';
import { BOB, type TestApp } from '../support/test-app';
import { seen, visit } from '../support/visit';
import { HOME, WORK, NEW } from '../support/test-users';
import { useOwnApps } from '../support/use-app';
import { numbersOf } from '../support/memory-phone-book';

const apps = useOwnApps({ hasPhones: true });

const told = (test: TestApp, type: string): unknown[] =>
  test.events.filter((event) => event.type === type);

describe('a number that is removed', () => {
  it('is texted no more, its owner hears of it, and the other sessions are ended', async () => {
    const test = await apps.start();
    test.book.seed('alice', HOME, WORK);
    const alice = visit(test);
    await alice.logIn();
    const phoneId = await alice.idOf(HOME);
    const removed = await alice.post('/phones/remove', { phoneId });
    expect(removed.body).toEqual({ changed: true, phoneId, maskedPhone: '•• •• 23' });
    expect(numbersOf(test)).toEqual([WORK]);
    expect(told(test, 'phone-removed')).toEqual([
      {
        type: 'phone-removed',
        userId: 'alice',
        address: expect.any(String),
        maskedPhone: '•• •• 23',
      },
    ]);
    expect(test.ended).toEqual([{ userId: 'alice', sessionId: expect.any(String) }]);
    expect((await alice.account()).status).toBe(200);
    await alice.login();
    expect(test.sim.outbox.at(-1)?.mobile).toBe(WORK);
  });

  it('is not the last one, unless the app allows that', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    const phoneId = await alice.idOf(HOME);
    expect(seen(await alice.post('/phones/remove', { phoneId }))).toEqual([
      403,
      { error: 'last-phone' },
    ]);
    expect([numbersOf(test), told(test, 'phone-removed'), test.ended]).toEqual([[HOME], [], []]);
    expect((await alice.post('/phones/remove-any', { phoneId })).status).toBe(200);
    expect(numbersOf(test)).toEqual([]);
  });

  it('may be one that was never confirmed', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    await alice.enroll(NEW);
    expect((await alice.post('/phones/remove', { phoneId: await alice.idOf(NEW) })).status).toBe(
      200,
    );
    expect(seen(await alice.confirm(NEW))).toEqual([401, { error: 'no-pending-login' }]);
    expect(numbersOf(test)).toEqual([HOME]);
  });

  it('that another request has removed meanwhile was not there', async () => {
    const test = await apps.start();
    test.book.seed('alice', HOME, WORK);
    const alice = visit(test);
    await alice.logIn();
    const phoneId = await alice.idOf(WORK);
    const answers = await Promise.all([
      alice.post('/phones/remove', { phoneId }),
      alice.post('/phones/remove', { phoneId }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(seen(await alice.post('/phones/remove', { phoneId }))).toEqual([
      403,
      { error: 'no-phone' },
    ]);
    expect(told(test, 'phone-removed')).toHaveLength(1);
  });

  it('tells a form why it was refused', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    const answer = await alice.post('/site/remove', { phoneId: await alice.idOf(HOME) });
    expect([answer.status, answer.headers.location]).toEqual([303, '/site/settings']);
    expect((await alice.status()).body.notice).toBe('last-phone');
  });
});

describe('the default number', () => {
  it('is the one that is texted, and its change is told once', async () => {
    const test = await apps.start();
    test.book.seed('alice', HOME, WORK);
    const alice = visit(test);
    await alice.logIn();
    const phoneId = await alice.idOf(WORK);
    expect((await alice.post('/phones/default', { phoneId })).body).toMatchObject({
      changed: true,
      phoneId,
    });
    expect((await alice.post('/phones/default', { phoneId })).body).toMatchObject({
      changed: true,
      phoneId,
    });
    expect(told(test, 'default-phone-changed')).toEqual([
      {
        type: 'default-phone-changed',
        userId: 'alice',
        address: expect.any(String),
        maskedPhone: '•• •• 77',
      },
    ]);
    expect(test.ended).toEqual([]);
    await alice.login();
    expect(test.sim.outbox.at(-1)?.mobile).toBe(WORK);
  });

  it('is never one that was not confirmed', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    await alice.enroll(NEW);
    const phoneId = await alice.idOf(NEW);
    expect(seen(await alice.post('/phones/default', { phoneId }))).toEqual([
      403,
      { error: 'no-phone' },
    ]);
    expect(test.book.list('alice')[0]).toEqual({
      mobile: HOME,
      isConfirmed: true,
      isDefault: true,
    });
  });
});

describe('the list of numbers', () => {
  it('is masked, the default first, with ids that tell nobody the number', async () => {
    const test = await apps.start();
    test.book.seed('alice', WORK, HOME);
    const alice = visit(test);
    await alice.logIn();
    await alice.enroll(NEW);
    const list = await alice.list();
    const id = expect.stringMatching(/^[\w-]{22}$/);
    expect(list).toEqual([
      { phoneId: id, maskedPhone: '•• •• 77', isConfirmed: true, isDefault: true },
      { phoneId: id, maskedPhone: '•• •• 23', isConfirmed: true, isDefault: false },
      { phoneId: id, maskedPhone: '•• •• 88', isConfirmed: false, isDefault: false },
    ]);
    expect(JSON.stringify(list)).not.toContain('555');
  });

  it('is empty for a user without a number', async () => {
    const bob = visit(await apps.start(), BOB);
    await bob.login();
    expect(await bob.list()).toEqual([]);
  });

  it('leaves out what is no number and knows one default, whatever the book says', async () => {
    const odd: unknown[] = [
      { mobile: '12025550123', isConfirmed: true, isDefault: true },
      { mobile: WORK, isConfirmed: true },
      { mobile: WORK, isConfirmed: false, isDefault: true },
      { mobile: NEW, isConfirmed: 'yes', isDefault: true },
      null,
      'a number',
    ];
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    // The book is an app's, and apps have no types of ours.
    test.book.list = () => odd as ReturnType<typeof test.book.list>;
    expect((await alice.list()).map(({ phoneId: _id, ...shown }) => shown)).toEqual([
      { maskedPhone: '•• •• 77', isConfirmed: true, isDefault: true },
      { maskedPhone: '•• •• 88', isConfirmed: false, isDefault: false },
    ]);
  });
});

it('a number that is none in the store by now is sent no other code', async () => {
  const clock = testClock();
  const tampered = tamperedStore(clock);
  const test = await apps.start({ clock, options: { store: tampered.store } });
  const alice = visit(test);
  await alice.logIn();
  await alice.enroll(NEW);
  tampered.tamper('find', async (work) => {
    const found = (await work()) as ActivePendingLogin;
    const otps = found.otps.map(({ otpId, value }) => {
      const otp = { ...(JSON.parse(value) as object), to: NEW.slice(1) };
      return { otpId, value: JSON.stringify(otp) };
    });
    return { ...found, otps };
  });
  clock.advanceSeconds(31);
  expect(seen(await alice.resend())).toEqual([403, { error: 'no-phone' }]);
});

describe('the id of a number', () => {
  it('is another one for each user, and part of no key of the store', async () => {
    const clock = testClock();
    const { store, calls } = tamperedStore(clock);
    const test = await apps.start({ clock, options: { store } });
    const [alice, bob] = [visit(test), visit(test, BOB)];
    await alice.logIn();
    await bob.logIn();
    expect((await bob.enroll(HOME)).status).toBe(200);
    const ids = [await alice.idOf(HOME), await bob.idOf(HOME)];
    expect(new Set([...ids, 'none']).size).toBe(3);
    expect(ids[0]).toBe(await alice.idOf(HOME));
    const given = JSON.stringify(calls);
    for (const id of ids) expect(given).not.toContain(id);
    expect(seen(await bob.post('/phones/default', { phoneId: ids[0] }))).toEqual([
      403,
      expect.anything(),
    ]);
  });
});
