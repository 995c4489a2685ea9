import { describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import type { Factor, SmsOtp } from 'passport-sms-otp';
import { createGate } from '../middleware/support/gate';
import { FakeGateway } from '../support/fake-gateway';
import { ALICE, BOB, type TestApp } from '../support/test-app';
import { type Answer, visit, type Visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

/** The headers of one browser, at one address. */
const HERE = {
  'x-forwarded-for': '192.0.2.7',
  'user-agent': 'One browser',
  'accept-language': 'en',
};

type Headers = Readonly<Record<string, string>>;

/** A request with the right password, in a browser without cookies. */
const submit = (test: TestApp, headers: Headers = {}): Visit =>
  visit(test, ALICE, { ...HERE, ...headers });

/** Types wrong codes in unknown browsers until they are locked. */
async function lockCodes(test: TestApp, code: () => string): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    const guesser = submit(test);
    await guesser.login();
    const wrong = code() === '000000' ? '111111' : '000000';
    for (let guess = 0; guess < 5; guess += 1) await guesser.enter(wrong);
    test.clock.advanceSeconds(31);
  }
}

/** Submits the form again while the first request looks for the user's number. */
async function submitTwice(test: TestApp, phones: ReturnType<typeof createGate>) {
  const [one, two] = [submit(test), submit(test)];
  const hold = phones.holdNext();
  const login = one.login().then((answer) => answer);
  await hold.arrived;
  const second = await two.login();
  hold.release();
  return { first: await login, second, two };
}

const joined = (test: TestApp): number => test.told('login-joined').length;

describe('a login form that is submitted twice', () => {
  const apps = useOwnApps({ trustProxy: 1 });

  /** The gateway answers when the test lets it. */
  async function start(options: object = {}) {
    const gate = createGate();
    const gateway = new FakeGateway();
    gateway.answerGenerate = (id) => gate.pass().then(() => ({ id }));
    const test = await apps.start({ options: { gateway, ...options } });
    return { test, gate, gateway, code: () => gateway.lastPin(ALICE.phone) };
  }

  it('sends one message, charges once, and its code fits in both sessions', async () => {
    const { test, gateway, code } = await start();
    const [one, two] = [submit(test), submit(test)];
    const [first, second] = [await one.login(), await two.login()];

    expect([first.body, second.body]).toMatchObject([{ sent: true }, { sent: true }]);
    expect([gateway.texts.length, joined(test)]).toEqual([1, 1]);
    expect((await two.enter(code())).status).toBe(200);
    expect((await one.enter(code())).status).toBe(409);
    expect((await two.account()).status).toBe(200);
  });

  it('waits for the message of the first request, and accepts its code as soon as it is out', async () => {
    const { test, gate, code } = await start();
    const [one, two] = [submit(test), submit(test)];
    const hold = gate.holdNext();
    const first = one.login().then((answer) => answer);
    await hold.arrived;
    const second = await two.login();

    expect([second.status, second.body]).toMatchObject([200, { sent: false, pending: true }]);
    expect((await two.status()).body.session.pending).toMatchObject({ isSent: true, otpId: null });
    hold.release();
    expect((await first).body).toMatchObject({ sent: true });
    expect((await two.enter(code())).status).toBe(200);
  });

  it('is refused twice while codes are locked, and does not wait in vain', async () => {
    const phones = createGate();
    const { test, code } = await start({ getPhone: () => phones.pass().then(() => ALICE.phone) });
    await lockCodes(test, code);
    const { first, second } = await submitTwice(test, phones);

    const locked = [429, { error: 'locked' }];
    expect([second.status, second.body]).toMatchObject(locked);
    expect([first.status, first.body]).toMatchObject(locked);
    expect(joined(test)).toBe(1);
  });

  it('fails twice with the error of the app while the number cannot be read', async () => {
    const phones = createGate();
    const failing = () => phones.pass().then(() => Promise.reject(new Error('database down')));
    const { test } = await start({ getPhone: failing });
    const { first, second } = await submitTwice(test, phones);

    expect([first.status, second.status]).toEqual([500, 500]);
    expect(joined(test)).toBe(1);
  });

  it('offers a resend after the gap if the first request has sent nothing', async () => {
    const { test, gateway, code } = await start();
    gateway.answerGenerate = () => Promise.reject(new Error('no answer'));
    const [one, two] = [submit(test), submit(test)];
    await one.login();
    const { body } = await two.login();
    gateway.answerGenerate = undefined;

    expect(body.resendAt).toBe(test.clock.now() + 30_000);
    test.clock.advanceSeconds(31);
    expect((await two.resend()).status).toBe(200);
    expect((await two.enter(code())).status).toBe(200);
  });

  it.each<[string, (two: Visit) => Promise<Answer>]>([
    ['cancel', (two) => two.cancel()],
    ['logout', (two) => two.logout()],
    ['another login', (two) => two.login(BOB)],
  ])('keeps its pending login when the joined session ends by %s', async (_name, end) => {
    const { test, code } = await start();
    const [one, two] = [submit(test), submit(test)];
    await one.login();
    await two.login();
    await end(two);

    expect((await one.enter(code())).status).toBe(200);
  });

  it('counts attempts and resends of both sessions together', async () => {
    const { test, gateway } = await start();
    const [one, two] = [submit(test), submit(test)];
    await one.login();
    await two.login();
    for (const session of [one, two, one, two, one]) await session.enter('0000');

    expect((await two.enter(gateway.lastPin(ALICE.phone))).status).toBe(401);
    expect(gateway.typed).toHaveLength(5);
  });

  it('ends for both sessions with logins.revokeAll', async () => {
    const { test, code } = await start();
    const [one, two] = [submit(test), submit(test)];
    await one.login();
    await two.login();
    await test.smsOtp.logins?.revokeAll('alice');

    for (const session of [one, two]) expect((await session.enter(code())).status).toBe(401);
  });

  it('ends when the number has changed meanwhile', async () => {
    const { test, code } = await start();
    const [one, two] = [submit(test), submit(test)];
    await one.login();
    test.users.set('alice', { ...ALICE, phone: '+12125550199' });
    await two.login();

    expect((await two.enter(code())).status).not.toBe(200);
    expect((await two.account()).status).toBe(403);
  });

  it('lets both in where no second factor is required', async () => {
    const { test, gateway } = await start({ isRequiredFor: () => false });
    const [one, two] = [submit(test), submit(test)];
    const answers = await Promise.all([one.login(), two.login()]);

    for (const { body } of answers) expect(body).toMatchObject({ reason: 'not-required' });
    expect(await test.smsOtp.logins?.list('alice')).toHaveLength(2);
    expect(gateway.texts).toEqual([]);
  });

  it('lets no one in where it is not required, once all logins were ended', async () => {
    const gate = createGate();
    const { test } = await start({ isRequiredFor: () => gate.pass().then(() => false) });
    const [one, two] = [submit(test), submit(test)];
    await one.login();
    const hold = gate.holdNext();
    const second = two.login().then((answer) => answer);
    await hold.arrived;
    await test.smsOtp.logins?.revokeAll('alice');
    hold.release();

    expect((await second).status).toBe(401);
    expect(await test.smsOtp.logins?.list('alice')).toEqual([]);
  });
});

describe('with the password of a user whose message is out, an attacker', () => {
  const apps = useOwnApps({ trustProxy: 1 });

  const nothing = (): void => undefined;

  it.each<[string, (test: TestApp) => Visit, (test: TestApp, owner: Visit) => unknown]>([
    ['at another address', (test) => submit(test, { 'x-forwarded-for': '192.0.2.8' }), nothing],
    [
      'at the same address with another session',
      (test) => {
        const attacker = submit(test);
        attacker.cookies.set('connect.sid', 's%3Aanother-session.signature');
        return attacker;
      },
      nothing,
    ],
    [
      'at the same address with another browser',
      (test) => submit(test, { 'user-agent': 'Other' }),
      nothing,
    ],
    [
      'at the same address in another language',
      (test) => submit(test, { 'accept-language': 'fr' }),
      nothing,
    ],
    [
      'at an address that cannot be read',
      (test) => submit(test, { 'x-forwarded-for': 'unknown' }),
      nothing,
    ],
    ['after one attempt', (test) => submit(test), (_test, owner) => owner.enter('0000')],
    ['after 31 seconds', (test) => submit(test), (test) => test.clock.advanceSeconds(31)],
  ])('%s joins nothing and ends nothing', async (_who, attack, before) => {
    const gateway = new FakeGateway();
    const test = await apps.start({ options: { gateway } });
    const owner = submit(test);
    await owner.login();
    const code = gateway.lastPin(ALICE.phone);
    await before(test, owner);
    const attacker = attack(test);
    await attacker.login();

    expect(joined(test)).toBe(0);
    expect((await attacker.enter(code)).status).not.toBe(200);
    await attacker.cancel();
    const isNewer = gateway.texts.length > 1;
    // A second message after the gap takes the code over, as in any login of the same place.
    expect((await owner.enter(code)).status).toBe(isNewer ? 401 : 200);
  });

  it('at the same unreadable address as the user joins nothing', async () => {
    const test = await apps.start();
    const nowhere = { 'x-forwarded-for': 'unknown' };
    await submit(test, nowhere).login();
    await submit(test, nowhere).login();

    expect(joined(test)).toBe(0);
  });

  it('behind the same address with equal headers can join, and never gets in without the code', async () => {
    const test = await apps.start();
    const [owner, attacker] = [submit(test), submit(test)];
    await owner.login();
    await attacker.login();
    for (let guess = 0; guess < 5; guess += 1) await attacker.enterWrong();

    expect(joined(test)).toBe(1);
    expect((await attacker.account()).status).toBe(403);
    // The attempts of the OTP are used up: the owner asks for another message.
    test.clock.advanceSeconds(31);
    await owner.resend();
    expect((await owner.enterRight()).status).toBe(200);
  });
});

describe('other forms that are submitted twice', () => {
  const totp: Factor = { name: 'totp', isAvailable: () => true, check: () => true };
  const apps = useOwnApps({
    hasFactors: true,
    trustProxy: 1,
    options: { factors: [totp] },
    routes: (app: Express, { verifyWith }: SmsOtp) =>
      app.post(
        '/app',
        verifyWith?.('totp') ?? [],
        (req: { smsOtp?: unknown }, res: { json(body: unknown): void }) => res.json(req.smsOtp),
      ),
  });

  it('a login that waits for an app waits in both sessions, and is charged once', async () => {
    const test = await apps.start({
      options: {
        preferredFactor: () => 'totp',
        limits: { withoutText: { max: 1 } },
      },
    });
    const [one, two] = [submit(test), submit(test)];
    for (const session of [one, two])
      expect((await session.login()).body).toMatchObject({ pending: true, isSent: false });
    expect((await two.post('/app', { pin: '123456' })).status).toBe(200);
  });

  it('a login shows all factors of the user in both sessions', async () => {
    const test = await apps.start();
    const [one, two] = [submit(test), submit(test)];
    const factors = ['sms', 'totp'];
    for (const session of [one, two])
      expect((await session.login()).body).toMatchObject({ sent: true, factors });
    expect(joined(test)).toBe(1);
  });

  it('a login waits for an app in both sessions while codes are locked', async () => {
    const gateway = new FakeGateway();
    const phones = createGate();
    const getPhone = () => phones.pass().then(() => ALICE.phone);
    const test = await apps.start({ options: { gateway, getPhone } });
    await lockCodes(test, () => gateway.lastPin(ALICE.phone));
    const { first, second, two } = await submitTwice(test, phones);

    const waits = { pending: true, error: 'locked' };
    expect([first.body, second.body]).toMatchObject([waits, waits]);
    const denied = { reason: 'locked', limit: 'lock' };
    expect(test.told('denied')).toMatchObject([denied, denied]);
    expect(joined(test)).toBe(1);
    expect((await two.post('/app', { pin: '123456' })).status).toBe(200);
  });
});

/** Gaps between two submissions and the time of the gateway, in milliseconds of real order. */
describe.each(['the first answer is kept', 'the first answer is dropped'])('%s', (kept) => {
  const apps = useOwnApps({ trustProxy: 1 });
  const isKept = kept.endsWith('kept');

  it.each([
    ['before the gateway was asked', 'getPhone'],
    ['while the gateway sends', 'generate'],
    ['after the first answer', 'none'],
  ])('a second submission %s gets the code of the first', async (_when, held) => {
    const gate = createGate();
    const gateway = new FakeGateway();
    if (held === 'generate') gateway.answerGenerate = (id) => gate.pass().then(() => ({ id }));
    const getPhone = () => gate.pass().then(() => ALICE.phone);
    const test = await apps.start({
      options: { gateway, ...(held === 'getPhone' && { getPhone }) },
    });
    const browser = submit(test);
    const twin = submit(test);
    const hold = held === 'none' ? undefined : gate.holdNext();
    const first = browser.login().then((answer) => answer);
    await (hold?.arrived ?? first);
    // A browser that has the first answer sends its cookie with the second form.
    const second = await (isKept && held === 'none' ? browser : twin).login();
    hold?.release();
    await first;

    expect(second.status).toBe(200);
    const last = isKept && held === 'none' ? browser : twin;
    expect((await last.enter(gateway.lastPin(ALICE.phone))).status).toBe(200);
    expect(gateway.texts).toHaveLength(1);
  });
});
