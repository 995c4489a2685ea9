import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Passport } from 'passport';
import { createSmsOtp, type DeliveredFactor, memoryStore, type SmsOtp } from 'passport-sms-otp';
import type { Express } from 'express';
import { FakeGateway } from '../support/fake-gateway';
import {
  ALICE,
  asTestUser,
  BOB,
  type TestApp,
  type TestAppOptions,
  type TestUser,
} from '../support/test-app';
import { useApp, useOwnApps } from '../support/use-app';
import { type Answer, seen, visit, type Visit } from '../support/visit';

const apps = useOwnApps();

const MAIL = 'alice@example.org';
const MASKED = 'a•••@example.org';
const WORK_MAIL = 'a.smith@example.com';
const VOICE = '+12025550177';

/** The addresses of the users. A function is called in place of a value. */
let addresses: Map<string, unknown>;
let mail: FakeGateway;
let user: TestUser;
let visitor: Visit;

beforeEach(() => {
  addresses = new Map<string, unknown>([
    [ALICE.id, MAIL],
    [BOB.id, null],
  ]);
  mail = new FakeGateway();
});

function emailCode(more: Partial<DeliveredFactor> = {}): DeliveredFactor {
  return {
    name: 'email-code',
    amr: 'email',
    gateway: mail,
    getAddress: (who) => {
      const address = addresses.get(asTestUser(who).id);
      // An app without types may return anything.
      return (typeof address === 'function' ? (address as () => unknown)() : address) as string;
    },
    ...more,
  };
}

/** Guards and a transaction. */
function addMore(app: Express, smsOtp: SmsOtp): void {
  const byMail = smsOtp.requireSecondFactor({ methods: ['email-code'] });
  app.get('/by-mail', byMail, (_req, res) => void res.json({ in: true }));
  const transaction = (): object => ({ amount: 'EUR 1', payee: 'Florist' });
  app.post('/pay', smsOtp.stepUp({ transaction: transaction as never }), (req, res) => {
    res.json(req.smsOtp);
  });
}

function withMail(more: TestAppOptions = {}): TestAppOptions {
  return { routes: addMore, ...more, options: { factors: [emailCode()], ...more.options } };
}

/** The choices of a pending login. */
function placesOf({ body }: Answer): { phoneId: string; maskedPhone: string; factor: string }[] {
  return (body as { phones?: [] }).phones ?? [];
}

function idOf(answer: Answer, factor: string): string {
  return placesOf(answer).find((place) => place.factor === factor)?.phoneId ?? 'none';
}

/** Logs in up to the code, and has the next one sent by another factor. */
async function askBy(test: TestApp, factor: string, gapSeconds = 31): Promise<Answer> {
  const sent = await visitor.login();
  test.clock.advanceSeconds(gapSeconds);
  return visitor.post('/login/resend', { phoneId: idOf(sent, factor) });
}

/** Logs in twice in one browser, and has the code sent by email in the first session alone. */
async function askElsewhere(test: TestApp): Promise<Visit> {
  visitor = visit(test);
  const other = visit(test);
  other.userAgent = visitor.userAgent;
  const sent = await visitor.login();
  expect((await other.login()).body).toMatchObject({ sent: true, factor: 'sms' });
  test.clock.advanceSeconds(31);
  const asked = await visitor.post('/login/resend', { phoneId: idOf(sent, 'email-code') });
  expect(asked.body).toMatchObject({ factor: 'email-code' });
  return other;
}

describe('a user with a number and an email address', () => {
  const test = useApp(() => withMail());
  beforeEach(() => {
    user = ALICE;
    visitor = visit(test, user);
  });

  const askByMail = (gapSeconds?: number): Promise<Answer> => askBy(test, 'email-code', gapSeconds);

  it('gets a text message first, and is shown both places', async () => {
    const sent = await visitor.login();
    expect(sent.body).toMatchObject({
      sent: true,
      maskedPhone: '•• •• 23',
      factor: 'sms',
      factors: ['sms', 'email-code'],
      phones: [
        { maskedPhone: '•• •• 23', factor: 'sms' },
        { maskedPhone: MASKED, factor: 'email-code' },
      ],
    });
    expect([test.sim.outbox.length, mail.texts.length]).toEqual([1, 0]);
    expect(JSON.stringify((await visitor.status()).body)).not.toContain(MAIL);
  });

  it('passes with a code that went by email', async () => {
    expect((await askByMail()).body).toMatchObject({
      sent: true,
      factor: 'email-code',
      maskedPhone: MASKED,
    });
    expect(mail.texts).toMatchObject([{ to: MAIL, validitySeconds: 300 }]);
    expect(seen(await visitor.enter('000000'))).toEqual([401, { error: 'invalid-code' }]);
    expect((await visitor.enter(mail.lastPin(MAIL))).body).toMatchObject({
      verified: true,
      method: 'email-code',
      authInfo: { amr: ['pwd', 'email'], method: 'email-code' },
      isAuthenticated: true,
    });
    expect(mail.typed.map(({ id, to }) => [id, to])).toEqual([
      ['fake-1', MAIL],
      ['fake-1', MAIL],
    ]);
    expect(test.told('sent').map(({ method, maskedPhone }) => [method, maskedPhone])).toEqual([
      ['sms', '•• •• 23'],
      ['email-code', MASKED],
    ]);
    expect(test.told('verified')).toMatchObject([{ method: 'email-code', country: null }]);
    expect((await visitor.status()).body.verified).toMatchObject({ amr: ['pwd', 'email'] });
    expect(test.sim.stats().calls.validate).toBe(0);
  });

  it('does not pass with the code that went to the other place', async () => {
    const sent = await askByMail();
    const texted = test.code();
    expect(seen(await visitor.enter(texted))).toEqual([401, { error: 'invalid-code' }]);
    expect(test.sim.stats().calls.validate).toBe(0);
    // The gateway of the emails checks the code at its own OTP alone.
    expect(mail.typed.map(({ id }) => id)).toEqual(['fake-1']);
    test.clock.advanceSeconds(70);
    const back = await visitor.post('/login/resend', {
      phoneId: idOf(sent, 'sms'),
    });
    expect(back.body).toMatchObject({ sent: true, factor: 'sms', maskedPhone: '•• •• 23' });
    expect(seen(await visitor.enter(mail.lastPin(MAIL)))).toEqual([401, { error: 'invalid-code' }]);
    expect((await visitor.enterRight()).body).toMatchObject({ verified: true, method: 'sms' });
  });

  it('gets the next code where the newest went', async () => {
    await askByMail();
    test.clock.advanceSeconds(70);
    expect((await visitor.resend()).body).toMatchObject({ factor: 'email-code' });
    expect([test.sim.outbox.length, mail.texts.length]).toEqual([1, 2]);
    // The previous code went to the same address by the same factor.
    expect((await visitor.enter(mail.texts[0]?.pin)).body).toMatchObject({ verified: true });
  });

  it('passes in a session that has not seen that the code went by email', async () => {
    const other = await askElsewhere(test);
    expect((await other.enter(mail.lastPin(MAIL))).body).toMatchObject({
      verified: true,
      method: 'email-code',
      authInfo: { amr: ['pwd', 'email'] },
    });
    expect(test.sim.stats().calls.validate).toBe(0);
  });

  it('waits the same gap whatever the code goes by', async () => {
    const sent = await visitor.login();
    const again = await visitor.post('/login/resend', { phoneId: idOf(sent, 'email-code') });
    expect(again.body).toMatchObject({ error: 'resend-too-soon' });
    expect(mail.texts).toEqual([]);
  });

  it.each([
    ['another one', WORK_MAIL],
    ['null', null],
    ['undefined', undefined],
    ['a number', 7],
  ])('cannot use the code after the address has become %s', async (_what, address) => {
    await askByMail();
    addresses.set(user.id, address);
    expect((await visitor.enter(mail.lastPin(MAIL))).status).toBe(401);
    expect(mail.typed).toEqual([]);
    expect((await visitor.status()).body).toMatchObject({ pending: null, isAuthenticated: false });
  });

  it('keeps the pending login if getAddress throws while the code is verified', async () => {
    await askByMail();
    addresses.set(user.id, () => {
      throw new Error('canary');
    });
    expect((await visitor.enter(mail.lastPin(MAIL))).status).toBe(500);
    addresses.set(user.id, MAIL);
    expect((await visitor.enter(mail.lastPin(MAIL))).body).toMatchObject({ verified: true });
  });

  it.each([
    ['an error', () => Promise.reject(new RangeError('canary')), 'has thrown (RangeError)'],
    ['undefined', () => undefined, 'returned undefined'],
    ['an empty string', () => '', 'returned an empty string'],
    ['a number', () => 7, 'returned neither null nor 1 to 320 characters'],
    ['a line break', () => 'a@example.org\nBcc: b@example.org', 'without control characters'],
    ['321 characters', () => `${'a'.repeat(309)}@example.org`, 'returned neither null nor'],
  ])('gets a text message while getAddress gives %s, with a warning', async (_what, get, words) => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    addresses.set(user.id, get);
    const sent = await visitor.login();
    expect(sent.body).toMatchObject({ sent: true, factor: 'sms' });
    expect(placesOf(sent)).toEqual([]);
    expect((await visitor.enterRight()).body).toMatchObject({ verified: true, method: 'sms' });

    const warned = emitWarning.mock.calls.slice();
    emitWarning.mockRestore();
    expect(warned).toEqual([
      [expect.stringContaining(words), { code: 'SMS_OTP_UNUSABLE_ADDRESS' }],
    ]);
    expect(JSON.stringify(warned)).not.toContain('canary');
  });

  it('asks for the next code after the gap, whichever factor sends it', async () => {
    await visitor.login();
    await visitor.cancel();
    expect((await visitor.login()).body).toMatchObject({ error: 'resend-too-soon', pending: true });
    expect((await visitor.status()).body.pending).toMatchObject({
      factors: ['sms', 'email-code'],
      resendAt: test.clock.now() + 30_000,
    });
  });

  it.each([
    ['no number', undefined, [403, 'no-phone'], 0],
    ['the number', 'sms', [200, undefined], 1],
  ])(
    'whose address cannot be read is sent the next code if the form names %s',
    async (_what, factor, answer, texts) => {
      const asked = await askByMail();
      const phoneId = factor && idOf(asked, factor);
      addresses.set(user.id, () => Promise.reject(new Error('canary')));
      test.clock.advanceSeconds(70);
      const before = test.sim.outbox.length;
      const { status, body } = await visitor.post('/login/resend', { phoneId });
      expect([status, body.error]).toEqual(answer);
      expect([test.sim.outbox.length - before, mail.texts.length]).toEqual([texts, 1]);
    },
  );

  it('has a lock for each factor', async () => {
    for (let round = 0; round < 2; round += 1) {
      test.clock.advanceSeconds(3600);
      await askByMail(300);
      for (let time = 0; time < 5; time += 1) await visitor.enter('000000');
      await visitor.cancel();
    }
    expect(test.told('locked')).toHaveLength(1);
    test.clock.advanceSeconds(600);
    const sent = await visitor.login();
    test.clock.advanceSeconds(100);
    const refused = await visitor.post('/login/resend', { phoneId: idOf(sent, 'email-code') });
    expect(refused.body).toMatchObject({ error: 'locked' });
    // The number can still get another message.
    expect((await visitor.status()).body.pending.resendAt).not.toBeNull();
    expect((await visitor.enterRight()).body).toMatchObject({ verified: true, method: 'sms' });
  });

  it('can have the code sent by email while text messages are locked', async () => {
    for (let round = 0; round < 2; round += 1) {
      test.clock.advanceSeconds(3600);
      await visitor.login();
      for (let time = 0; time < 5; time += 1) await visitor.enterWrong();
      if (round === 0) await visitor.cancel();
    }
    expect((await visitor.status()).body.pending.resendAt).not.toBeNull();
    await visitor.cancel();

    test.clock.advanceSeconds(600);
    const waiting = await visitor.login();
    expect(waiting.body).toMatchObject({ error: 'locked', pending: true });
    const { pending } = (await visitor.status()).body;
    expect(pending).toMatchObject({ isSent: false, factors: ['email-code'] });
    const [, place] = pending.phones as { phoneId: string }[];
    expect((await visitor.resend()).body).toMatchObject({ error: 'locked' });
    const sent = await visitor.post('/login/resend', { phoneId: place?.phoneId });
    expect(sent.body).toMatchObject({ sent: true, factor: 'email-code' });
    expect((await visitor.enter(mail.lastPin(MAIL))).body).toMatchObject({ verified: true });
  });

  it('leaves the login as it is if the gateway of the factor fails', async () => {
    const sent = await visitor.login();
    test.clock.advanceSeconds(31);
    mail.answerGenerate = () => {
      throw Object.assign(new Error('down'), { mayHaveArrived: false });
    };
    const failed = await visitor.post('/login/resend', { phoneId: idOf(sent, 'email-code') });
    expect(failed.body).toMatchObject({ error: 'not-sent', pending: true });
    expect((await visitor.enterRight()).body).toMatchObject({ verified: true, method: 'sms' });
  });

  it('steps up by the factors that a guard accepts', async () => {
    await visitor.logIn();
    test.clock.advanceSeconds(70);
    expect((await visitor.get('/by-mail')).status).toBe(403);
    expect((await visitor.stepUp()).body).toMatchObject({
      sent: true,
      factor: 'email-code',
      factors: ['email-code'],
      maskedPhone: MASKED,
    });
    expect((await visitor.enter(mail.lastPin(MAIL))).body).toMatchObject({ method: 'email-code' });
    expect((await visitor.get('/by-mail')).status).toBe(200);
  });

  it('is offered no message in a step-up whose only factor is locked', async () => {
    await visitor.logIn();
    for (let round = 0; round < 2; round += 1) {
      test.clock.advanceSeconds(3600);
      await visitor.get('/by-mail');
      await visitor.stepUp();
      for (let time = 0; time < 5; time += 1) await visitor.enter('000000');
    }
    expect(test.told('locked')).toHaveLength(1);
    expect((await visitor.status()).body.pending).toMatchObject({ isSent: true, resendAt: null });
  });

  it('approves a transaction by text message alone', async () => {
    await visitor.logIn();
    test.clock.advanceSeconds(70);
    const sent = await visitor.post('/pay');
    expect(sent.body).toMatchObject({ sent: true, factor: 'sms', factors: ['sms'] });
    expect(placesOf(sent)).toEqual([]);
    expect(mail.texts).toEqual([]);
  });

  it('is asked for the code with verify alone', () => {
    expect(() => test.smsOtp.verifyWith?.('email-code')).toThrow(/verify\(\)/);
    expect(() => test.smsOtp.optionsWith?.('email-code')).toThrow(/verify\(\)/);
  });
});

describe('a user without a number', () => {
  const test = useApp(() => withMail());
  beforeEach(() => {
    addresses.set(BOB.id, 'bob@example.org');
    test.users.set(BOB.id, { ...BOB, phone: null });
    visitor = visit(test, BOB);
  });

  it('gets the code by email', async () => {
    expect((await visitor.login()).body).toMatchObject({
      sent: true,
      factor: 'email-code',
      factors: ['email-code'],
      maskedPhone: 'b•••@example.org',
    });
    expect((await visitor.enter(mail.lastPin('bob@example.org'))).body).toMatchObject({
      verified: true,
      method: 'email-code',
    });
  });

  it('is refused without an address', async () => {
    addresses.set(BOB.id, null);
    expect(seen(await visitor.login())).toEqual([403, { error: 'no-phone' }]);
  });

  it('counts as one who has the factor, unless the address is null', async () => {
    const can = (): Promise<boolean> => test.smsOtp.canPassSecondFactor(bob());
    const bob = (): Express.User => ({ id: BOB.id, phone: null }) as unknown as Express.User;
    expect(await can()).toBe(true);
    addresses.set(BOB.id, undefined);
    expect(await can()).toBe(true);
    addresses.set(BOB.id, null);
    expect(await can()).toBe(false);
    addresses.set(BOB.id, () => Promise.reject(new Error('canary')));
    await expect(can()).rejects.toThrow('canary');
  });
});

it('gets the code by the preferred factor', async () => {
  const preferredFactor = (): string => 'email-code';
  const test = await apps.start(withMail({ options: { preferredFactor } }));
  visitor = visit(test);
  expect((await visitor.login()).body).toMatchObject({ sent: true, factor: 'email-code' });
  expect(test.sim.outbox).toEqual([]);
});

it('gets a code by the one of two factors that was chosen', async () => {
  const voice = new FakeGateway();
  const called = { ...emailCode({ name: 'voice', gateway: voice }), getAddress: () => VOICE };
  const test = await apps.start(withMail({ options: { factors: [emailCode(), called] } }));
  visitor = visit(test);
  expect((await askBy(test, 'voice')).body).toMatchObject({ factor: 'voice' });
  expect((await visitor.enter(voice.lastPin(VOICE))).body).toMatchObject({ method: 'voice' });
});

it('is not offered while isAvailable is false', async () => {
  const factors = [emailCode({ isAvailable: () => false })];
  const test = await apps.start(withMail({ options: { factors } }));
  expect(placesOf(await visit(test).login())).toEqual([]);
});

it('keeps two gateways with the same ids apart', async () => {
  const texts = new FakeGateway();
  const test = await apps.start(withMail({ options: { gateway: texts } }));
  texts.nextId = mail.nextId = 'the-same';
  visitor = visit(test);
  const sent = await visitor.login();
  for (let time = 0; time < 4; time += 1) await visitor.enter('000000');
  test.clock.advanceSeconds(31);
  await visitor.post('/login/resend', { phoneId: idOf(sent, 'email-code') });
  // The attempts at the message do not count for the email.
  for (let time = 0; time < 2; time += 1) await visitor.enter('000000');
  expect((await visitor.enter(mail.lastPin(MAIL))).body).toMatchObject({ method: 'email-code' });
  expect(mail.typed.map(({ id }) => id)).toEqual(['the-same', 'the-same', 'the-same']);
});

it('is checked by the gateway that has sent it, and holds a place at no other one', async () => {
  const calls: string[] = [];
  /** A gateway that tells when it holds a place for a check, and when that is free again. */
  const counted = (name: string): FakeGateway =>
    Object.assign(new FakeGateway(), {
      admit(call: string) {
        const note = (change: string): void => {
          if (call === 'validate') calls.push(`${name} ${change}`);
        };
        note('+');
        return Promise.resolve({ release: () => note('-') });
      },
    });
  mail = counted('mail');
  const other = await askElsewhere(
    await apps.start(withMail({ options: { gateway: counted('sms') } })),
  );
  await visitor.enter('000000');
  expect(calls.splice(0)).toEqual(['mail +', 'mail -']);
  expect((await other.enter(mail.lastPin(MAIL))).body).toMatchObject({ method: 'email-code' });
  expect(calls).toEqual(['sms +', 'sms -', 'mail +', 'mail -']);
});

it('a code by a factor that the app no longer has ends the pending login', async () => {
  const routes: TestAppOptions['routes'] = (app, _smsOtp, _passport, options) => {
    const after = createSmsOtp({ ...options, factors: [], passport: new Passport() });
    app.post('/after/verify', after.verify(), (_req, res) => void res.json({ verified: true }));
  };
  const store: TestAppOptions['store'] = (clock) => memoryStore({ now: () => clock.now() });
  const test = await apps.start(withMail({ routes, store }));
  visitor = visit(test);
  await askBy(test, 'email-code');
  const refused = await visitor.post('/after/verify', { pin: mail.lastPin(MAIL) });
  expect(seen(refused)).toEqual([401, { error: 'no-pending-login' }]);
  expect(mail.typed).toEqual([]);
  expect((await visitor.status()).body).toMatchObject({ pending: null, isAuthenticated: false });
});

describe('the limits of messages', () => {
  it('count an address over all users to whom it is not proven', async () => {
    const test = await apps.start(
      withMail({ people: 12, options: { preferredFactor: () => 'email-code' } }),
    );
    const answers: unknown[] = [];
    for (let index = 0; index < 12; index += 1) {
      const person = test.nextUser();
      // Another spelling is the same mailbox.
      addresses.set(person.id, index % 2 === 0 ? 'victim@example.org' : 'Victim@Example.org');
      answers.push((await visit(test, person).login()).body.error);
    }
    expect(answers.filter((error) => error === undefined).length).toBe(5);
    expect(answers.at(-1)).toBe('send-limit');
    expect(test.told('denied').at(-1)).toMatchObject({ limit: 'per-number' });
  });

  it('count a number as the number that it is, and its policies are asked', async () => {
    const voice = new FakeGateway();
    const called = emailCode({ name: 'voice', gateway: voice });
    addresses.set(ALICE.id, '+447400123456');
    const test = await apps.start({
      options: { factors: [called], preferredFactor: () => 'voice' },
    });
    visitor = visit(test);
    expect((await visitor.login()).body).toMatchObject({ error: 'country-not-allowed' });
    addresses.set(ALICE.id, VOICE);
    expect((await visitor.login()).body).toMatchObject({
      factor: 'voice',
      maskedPhone: '•• •• 77',
    });
    expect((await visitor.enter(voice.lastPin(VOICE))).body).toMatchObject({ method: 'voice' });
    expect(test.told('verified')).toMatchObject([{ country: 'US' }]);
  });

  it('tell a number by text message from the same number by voice', async () => {
    const voice = new FakeGateway();
    addresses.set(ALICE.id, ALICE.phone);
    const test = await apps.start({
      options: { factors: [emailCode({ name: 'voice', gateway: voice })] },
    });
    visitor = visit(test);
    const sent = await visitor.login();
    expect(new Set(placesOf(sent).map(({ phoneId }) => phoneId)).size).toBe(2);
    test.clock.advanceSeconds(31);
    await visitor.post('/login/resend', { phoneId: idOf(sent, 'voice') });
    expect((await visitor.enter(test.code())).status).toBe(401);
    expect(voice.typed).toHaveLength(1);
    test.clock.advanceSeconds(70);
    expect((await visitor.resend()).body).toMatchObject({ sent: true, factor: 'voice' });
    expect((await visitor.enter(voice.lastPin(ALICE.phone))).body).toMatchObject({
      method: 'voice',
    });
  });
});

describe('the option', () => {
  const wrong: readonly [string, object][] = [
    ['no getAddress', { getAddress: undefined }],
    ['a gateway that is no gateway', { gateway: { generate: () => ({}) } }],
    ['options of a client', { gateway: { baseUrl: 'https://gateway.example' } }],
    ['a field', { field: 'emailCode' }],
    ['a check as well', { check: () => true }],
    ['a reserved name', { name: 'sms' }],
    ['an isAvailable that is no function', { isAvailable: true }],
  ];

  it.each(wrong)('with %s is an error at start', async (_what, more) => {
    const factors = [{ ...emailCode(), ...more }] as DeliveredFactor[];
    await expect(apps.start({ options: { factors } })).rejects.toThrow(/factors/);
  });

  it('needs no isAvailable with a phone book', async () => {
    const test = await apps.start({ hasPhones: true, options: { factors: [emailCode()] } });
    expect((await visit(test).login()).body).toMatchObject({ sent: true, factor: 'sms' });
  });

  it('warms the gateway up and hears its events', async () => {
    let calls = 0;
    const gateway = Object.assign(new FakeGateway(), {
      warmUp: () => Promise.resolve(void (calls += 1)),
    });
    const test = await apps.start({ options: { factors: [emailCode({ gateway })] } });
    await test.smsOtp.warmUp();
    expect(calls).toBe(1);
  });
});
