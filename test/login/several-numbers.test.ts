import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PhoneBook, PhoneChoice, PhoneEntry } from 'passport-sms-otp';
import type { Response } from 'supertest';
import type { TestApp } from '../support/test-app';
import { seen } from '../support/visit';
import { useApp, useOwnApps } from '../support/use-app';

const apps = useOwnApps();

const [HOME, WORK, NEW] = ['+12025550123', '+12025550177', '+12025550188'] as const;

/** A book that only reads: what is in it is the test's business. */
function bookOf(entries: PhoneEntry[]): PhoneBook {
  const refuse = (): never => {
    throw new Error('nothing is written here');
  };
  const writes = {
    addUnconfirmed: refuse,
    confirm: refuse,
    replace: refuse,
    remove: refuse,
    setDefault: refuse,
  };
  return { list: () => entries, ...writes };
}

describe('a user with several confirmed numbers', () => {
  const preferredFactor = jest.fn(() => null);
  let agent: ReturnType<TestApp['agent']>;
  let entries: PhoneEntry[];
  const test = useApp(() => {
    entries = [
      { mobile: NEW, isConfirmed: false, isDefault: false },
      { mobile: WORK, isConfirmed: true, isDefault: false },
      { mobile: HOME, isConfirmed: true, isDefault: true },
    ];
    return { options: { phoneBook: bookOf(entries), preferredFactor } };
  });
  beforeEach(() => {
    agent = test.agent();
  });

  const login = async (): Promise<Response> =>
    agent.post('/login').send({ username: 'alice', password: 'right' });
  const resend = async (body: object): Promise<Response> => agent.post('/login/resend').send(body);
  const texted = (): string[] => test.sim.outbox.map(({ mobile }) => mobile);
  // What the answer is documented to hold.
  const phonesOf = ({ body }: Response): PhoneChoice[] =>
    (body as { phones: PhoneChoice[] }).phones;

  it('is texted on the default one, and may choose among masked numbers', async () => {
    const sent = await login();
    expect(texted()).toEqual([HOME]);
    expect(phonesOf(sent).map(({ maskedPhone }) => maskedPhone)).toEqual(['•• •• 23', '•• •• 77']);
    // Any digits may stand in a time.
    const shown = JSON.stringify(sent.body, (_key, value: unknown) =>
      typeof value === 'number' ? null : value,
    );
    expect(shown).not.toContain('555');
    test.clock.advanceSeconds(31);
    const chosen = await resend({ phoneId: phonesOf(sent)[1]?.phoneId });
    expect(chosen.body).toMatchObject({ sent: true, maskedPhone: '•• •• 77' });
    expect(texted()).toEqual([HOME, WORK]);
    const [old, newest] = [test.sim.lastPin(HOME), test.sim.lastPin(WORK)];
    expect((await agent.post('/login/pin').send({ pin: old })).status).toBe(401);
    expect((await agent.post('/login/pin').send({ pin: newest })).status).toBe(200);
  });

  it('is not asked which factor comes first: all numbers have the same one', async () => {
    await login();
    expect(preferredFactor).not.toHaveBeenCalled();
  });

  it('gets the next code on the number that was chosen', async () => {
    const sent = await login();
    test.clock.advanceSeconds(31);
    await resend({ phoneId: phonesOf(sent)[1]?.phoneId });
    test.clock.advanceSeconds(120);
    await resend({});
    expect(texted()).toEqual([HOME, WORK, WORK]);
  });

  it('gets the next code of a step-up on the number that was chosen, though no message went out', async () => {
    const [, work] = phonesOf(await login());
    await agent.post('/login/pin').send({ pin: test.sim.lastPin(HOME) });
    test.clock.advanceSeconds(31);
    test.sim.failNext('generate', { kind: 'error', code: 1006 });
    const waiting = await agent.post('/step-up').send({ phoneId: work?.phoneId });
    expect(waiting.body).toMatchObject({ error: 'not-sent', pending: true });
    test.clock.advanceSeconds(120);
    expect((await resend({})).body).toMatchObject({ sent: true, maskedPhone: '•• •• 77' });
    expect(texted()).toEqual([HOME, WORK]);
  });

  it('gets the first code of a new login on the default number', async () => {
    const sent = await login();
    test.clock.advanceSeconds(31);
    await resend({ phoneId: phonesOf(sent)[1]?.phoneId });
    test.clock.advanceSeconds(600);
    await login();
    expect(texted()).toEqual([HOME, WORK, HOME]);
  });

  it('gets that code on the default number when the chosen one was removed meanwhile', async () => {
    const [, work] = phonesOf(await login());
    await agent.post('/login/pin').send({ pin: test.sim.lastPin(HOME) });
    test.clock.advanceSeconds(31);
    test.sim.failNext('generate', { kind: 'error', code: 1006 });
    await agent.post('/step-up').send({ phoneId: work?.phoneId });
    entries.splice(1, 1);
    test.clock.advanceSeconds(120);
    expect((await resend({})).body).toMatchObject({ sent: true, maskedPhone: '•• •• 23' });
    expect(texted()).toEqual([HOME, HOME]);
  });

  it.each([
    ['of nobody', 'AAAAAAAAAAAAAAAAAAAAAA'],
    ['that is a number', WORK],
    ['that is a list', [WORK]],
    ['of 1 MB', 'x'.repeat(1_000_000)],
  ])('is texted on no other for an id %s', async (_what, phoneId) => {
    await login();
    test.clock.advanceSeconds(31);
    expect(seen(await resend({ phoneId }))).toEqual([403, { error: 'no-phone' }]);
    expect(texted()).toEqual([HOME]);
  });

  it('is texted on no other when the chosen number was removed meanwhile, and may choose again', async () => {
    const [, work] = phonesOf(await login());
    entries.splice(1, 1);
    test.clock.advanceSeconds(31);
    expect(seen(await resend({ phoneId: work?.phoneId }))).toEqual([403, { error: 'no-phone' }]);
    expect((await resend({})).body).toMatchObject({ sent: true, maskedPhone: '•• •• 23' });
    expect(texted()).toEqual([HOME, HOME]);
  });

  it('is refused when only unconfirmed numbers are left', async () => {
    entries.splice(1);
    expect(seen(await login())).toEqual([403, { error: 'no-phone' }]);
    expect(texted()).toEqual([]);
  });

  it('cannot use a code once its number is confirmed no more', async () => {
    await login();
    entries.pop();
    expect(seen(await agent.post('/login/pin').send({ pin: test.sim.lastPin(HOME) }))).toEqual([
      401,
      { error: 'no-pending-login' },
    ]);
    expect(test.logins).toEqual([]);
  });

  it('with one number is offered no choice, and may name that one', async () => {
    const sent = await login();
    entries.splice(0, 2);
    test.clock.advanceSeconds(31);
    const again = await resend({ phoneId: phonesOf(sent)[0]?.phoneId });
    expect(again.body).toMatchObject({ sent: true, maskedPhone: '•• •• 23' });
    expect(again.body).not.toHaveProperty('phones');
    expect(texted()).toEqual([HOME, HOME]);
  });

  it('is sent no other code when all numbers went meanwhile', async () => {
    await login();
    entries.splice(0);
    test.clock.advanceSeconds(31);
    expect(seen(await resend({}))).toEqual([401, { error: 'no-pending-login' }]);
    expect(texted()).toEqual([HOME]);
  });
});

it('a phone book that gives no list has no number', async () => {
  // What an app without types may write.
  const list = (): PhoneEntry[] => ({ mobile: HOME, isConfirmed: true }) as unknown as PhoneEntry[];
  const test = await apps.start({ options: { phoneBook: { ...bookOf([]), list } } });
  const answer = await test.agent().post('/login').send({ username: 'alice', password: 'right' });
  expect(seen(answer)).toEqual([403, { error: 'no-phone' }]);
  expect(test.sim.outbox).toEqual([]);
});
