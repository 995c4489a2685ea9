import { beforeEach, describe, expect, it } from '@jest/globals';
import { totpFactor } from 'passport-sms-otp/totp';
import { enter, OLD_SECRET, RFC_KEY, show, TotpBook, userOf } from './authenticator';
import { useOwnApps } from '../support/use-app';
import { visitOverTls } from '../support/visit';

describe('totpFactor', () => {
  // RFC 6238 appendix B, SHA-1: the last six of the eight digits there.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('takes the code of the standard at %d s, and not the one before it', async (seconds, code) => {
    const book = new TotpBook();
    await book.add('alice', { existing: RFC_KEY });
    const factor = book.factor({ now: () => seconds * 1000 });
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    await expect(enter(factor, wrong)).resolves.toBe(false);
    await expect(enter(factor, code)).resolves.toBe(true);
  });

  it.each([
    ['spaces', (code: string) => ` ${code.slice(0, 3)} ${code.slice(3)} `],
    [
      'a no-break space and a hyphen',
      (code: string) => `${code.slice(0, 3)}\u00a0-${code.slice(3)}`,
    ],
    [
      'Arabic digits',
      (code: string) => code.replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
    ],
    [
      'full-width digits',
      (code: string) =>
        code.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    ],
  ])('reads a code that is written with %s', async (_what, write) => {
    const book = new TotpBook();
    const key = await book.add('alice');
    await expect(enter(book.factor(), write(show(key, Date.now())))).resolves.toBe(true);
  });

  it.each(['', '12345', '1234567', 'abcdef', '12345x', '-12345', '1e5', '٠'])(
    'refuses %p',
    async (code) => {
      const book = new TotpBook();
      await book.add('alice');
      await expect(enter(book.factor(), code)).resolves.toBe(false);
    },
  );

  it('asks the app for the step of the code, which may be the one before or after', async () => {
    const book = new TotpBook();
    const key = await book.add('alice');
    const steps: number[] = [];
    const acceptStep = (_user: Express.User, step: number): boolean => steps.push(step) > 0;
    const factor = book.factor({ acceptStep, now: () => 3_000_000 });
    for (const offset of [-2, -1, 0, 1, 2]) await enter(factor, show(key, 3_000_000, offset));
    expect(steps).toEqual([99, 100, 101]);
  });

  it.each([false, undefined, null, 1, 'true', {}])(
    'takes %p of acceptStep for no',
    async (answer) => {
      const book = new TotpBook();
      const key = await book.add('alice');
      const factor = book.factor({ acceptStep: () => answer as boolean });
      await expect(enter(factor, show(key, Date.now()))).resolves.toBe(false);
    },
  );

  it('is available to those who have a secret, also to one whose secret does not open', async () => {
    const book = new TotpBook();
    await book.add('alice');
    book.sealed.set('bob', 'something else');
    const factor = book.factor();
    const users = ['alice', 'bob', 'carol'].map(userOf);
    await expect(Promise.all(users.map(async (user) => factor.isAvailable(user)))).resolves.toEqual(
      [true, true, false],
    );
    await expect(factor.isAvailable.call(null, userOf('alice'))).resolves.toBe(true);
    await expect(
      totpFactor({ ...book.options, findSecret: () => undefined }).isAvailable(userOf('alice')),
    ).resolves.toBe(false);
  });

  it('passes on what the app’s own callbacks throw', async () => {
    const book = new TotpBook();
    const key = await book.add('alice');
    const fail = (): never => {
      throw new Error('the database is down');
    };
    await expect(enter(book.factor({ findSecret: fail }), '123456')).rejects.toThrow(
      'the database is down',
    );
    await expect(enter(book.factor({ acceptStep: fail }), show(key, Date.now()))).rejects.toThrow(
      'database',
    );
  });

  it.each([
    [
      { secret: undefined },
      'secret is missing; it must be a string of at least 32 random characters: `openssl rand -base64 32` makes one',
    ],
    [
      { secret: ['a'.repeat(40)] },
      'secret[0] must be a string of at least 32 random characters: `openssl rand -base64 32` makes one',
    ],
    [{ findSecret: undefined }, 'findSecret is missing; it must be a function'],
    [{ acceptStep: true }, 'acceptStep must be a function'],
    [{ name: '' }, 'name must be a string that is not empty'],
    [{ now: 5 }, 'now must be a function'],
    [{ findSecrets: () => null }, 'unknown option findSecrets, did you mean findSecret?'],
    [{ digits: 8 }, 'unknown option digits'],
  ])('refuses the options %j, and says why', (wrong, problem) => {
    const options = { ...new TotpBook().options, ...wrong } as never;
    expect(() => totpFactor(options)).toThrow(new TypeError(`totpFactor: ${problem}`));
  });
});

describe.each(['A', 'B'] as const)('a login with an authenticator app, variant %s', (variant) => {
  const test = useOwnApps();
  const alice = visitOverTls(test);
  let book: TotpBook;
  let key: string;

  beforeEach(async () => {
    book = new TotpBook();
    key = await book.add('alice');
    await test.start({
      hasFactors: true,
      variant,
      options: { factors: [book.factor({ now: () => test.clock.now() })] },
      routes: (app, smsOtp) => {
        if (smsOtp.verifyWith === undefined) return;
        app.post('/login/totp', smsOtp.verifyWith('totp'), (req, res) => {
          res.json({ ...req.smsOtp, authInfo: req.authInfo });
        });
      },
    });
  });

  const shown = (offset?: number): string => show(key, test.clock.now(), offset);
  const give = async (code: string): Promise<number> =>
    (await alice.post('/login/totp', { pin: code })).status;

  it('lets in, and says how', async () => {
    await alice.login();
    const { status, body } = await alice.post('/login/totp', {
      pin: ` ${shown().slice(0, 3)} ${shown().slice(3)} `,
    });
    expect([status, body.method, body.authInfo]).toEqual([
      200,
      'totp',
      { amr: ['pwd', 'otp'], method: 'totp', at: test.clock.now() },
    ]);
    expect((await alice.get('/fresh')).status).toBe(200);
  });

  it.each([
    [-2, 401],
    [-1, 200],
    [1, 200],
    [2, 401],
  ])('meets a clock that is off by %d steps with %d', async (offset, status) => {
    await alice.login();
    await expect(give(shown(offset))).resolves.toBe(status);
  });

  it('takes a code once in one pending login, also when it comes twice at the same moment', async () => {
    await alice.login();
    const code = shown();
    const statuses = await Promise.all([give(code), give(code)]);
    const [first, second] = statuses.toSorted();
    expect(first).toBe(200);
    // The second one is a wrong code, or comes to a session that has passed already.
    expect([401, 409]).toContain(second);
    test.clock.advanceSeconds(30);
    expect((await alice.post('/step-up')).status).toBe(200);
    await expect(give(code)).resolves.toBe(401);
    await expect(give(shown(-1))).resolves.toBe(401);
    await expect(give(shown(1))).resolves.toBe(200);
  });

  it('takes a code once in two pending logins at the same moment', async () => {
    const other = test.browser();
    await alice.login();
    test.clock.advanceSeconds(60);
    await other.login();
    const code = shown();
    const answers = await Promise.all(
      [alice, other].map((browser) => browser.post('/login/totp', { pin: code })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  it('refuses a code at a secret that does not open with the error, and counts the attempt', async () => {
    await book.add('alice', { secret: OLD_SECRET });
    await alice.login();
    await expect(give(shown())).resolves.toBe(500);
    expect(test.errors.at(-1)).toMatchObject({ code: 'ERR_TOTP_SECRET' });
    for (let attempt = 0; attempt < 4; attempt += 1) await give(shown());
    expect((await alice.post('/login/totp', { pin: shown() })).body).toEqual({
      error: 'invalid-code',
    });
  });

  it('has no code for a user without an app', async () => {
    const bob = test.browser(test.users.get('bob'));
    await bob.login();
    expect((await bob.post('/login/totp', { pin: shown() })).status).toBe(401);
  });
});
