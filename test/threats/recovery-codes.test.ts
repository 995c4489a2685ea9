import { beforeEach, describe, expect, it } from '@jest/globals';
import { tellAll } from '../support/canaries';
import { tamperedStore, throwing } from '../support/tampered-store';
import { BOB } from '../support/test-app';
import { type Answer, visitOverTls } from '../support/visit';
import { useApp, useOwnApps } from '../support/use-app';

const apps = useOwnApps();

const INVALID = [401, { error: 'invalid-code' }];
const LOCKED = [429, { error: 'locked', retryAfterSeconds: expect.any(Number) }];

function brief({ status, body }: Answer): unknown[] {
  return [status, body];
}

/** Codes that nobody has, each another one. */
function* guesses(): Generator<string> {
  for (let index = 0; ; index += 1)
    yield index
      .toString(32)
      .toUpperCase()
      .replace(/[ILOU]/g, 'X')
      .padStart(24, 'Z');
}

describe.each(['A', 'B'] as const)('recovery codes under attack, variant %s', (variant) => {
  let codes: readonly string[];
  const guess = guesses();
  const test = useApp({ hasFactors: true, variant });
  const alice = visitOverTls(test);
  beforeEach(async () => {
    codes = await test.firstCodes();
  });

  const nextGuess = (): string => guess.next().value as string;
  const judged = (): number =>
    test.told('rejected').filter(({ reason }) => reason !== 'locked').length;

  /**
   * Ten failures with three texted codes, the last of which has three attempts left. There each
   * code is judged at the text before as well.
   */
  async function failTenTimes(): Promise<void> {
    await alice.login();
    for (const times of [5, 1, 2]) {
      for (let time = 0; time < times; time += 1) await alice.enterWrong();
      test.clock.advanceSeconds(67);
      if (times !== 2) await alice.post('/login/resend');
    }
    expect(test.told('locked')).toHaveLength(1);
  }

  it('are verified five times in a pending login, however many are guessed at once, and cost the texted code nothing', async () => {
    await alice.login();
    const answers = await Promise.all(Array.from({ length: 60 }, () => alice.recover(nextGuess())));
    for (const answer of answers) expect(brief(answer)).toEqual(INVALID);
    expect(judged()).toBe(5);
    expect(brief(await alice.recover(codes[0]))).toEqual(INVALID);
    await expect(test.recoveryCodes.count('alice')).resolves.toBe(10);
    expect((await alice.enterRight()).status).toBe(200);
  });

  it('are verified ten times a day from one address block, over sessions, and the tenth is reported', async () => {
    for (let session = 0; session < 3; session += 1) {
      const browser = test.browser();
      await browser.login();
      await Promise.all(Array.from({ length: 4 }, () => browser.recover(nextGuess())));
      test.clock.advanceSeconds(300);
    }
    expect(judged()).toBe(10);
    expect(test.told('guessing-recovery-codes')).toMatchObject([{ userId: 'alice', failures: 10 }]);
    const browser = test.browser();
    await browser.login();
    expect(brief(await browser.recover(codes[0]))).toEqual(LOCKED);
    test.clock.advanceSeconds(86_400);
    const tomorrow = test.browser();
    await tomorrow.login();
    expect((await tomorrow.recover(codes[0])).status).toBe(200);
  });

  it('lock no texted code, and stay open while texted codes are locked', async () => {
    await failTenTimes();
    expect(brief(await alice.enterRight())).toEqual(LOCKED);
    expect((await alice.recover(codes[0])).status).toBe(200);
    await expect(test.recoveryCodes.count('alice')).resolves.toBe(9);
  });

  it('let a user in after the last attempt at the texted code', async () => {
    await alice.login();
    for (let time = 0; time < 5; time += 1) await alice.enterWrong();
    expect(test.told('rejected').map(({ reason }) => reason)).toEqual([
      ...Array<string>(4).fill('wrong-code'),
      'too-many-attempts',
    ]);
    expect(brief(await alice.enterRight())).toEqual(INVALID);
    expect((await alice.recover(codes[0])).status).toBe(200);
  });

  it('let one in when one is spent by many at once', async () => {
    const browsers = [alice, alice, alice, alice];
    await alice.login();
    const answers = await Promise.all(browsers.map((browser) => browser.recover(codes[0])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    await expect(test.recoveryCodes.count('alice')).resolves.toBe(9);
    expect(test.told('recovery-code-used')).toHaveLength(1);
  });

  it('let one of two sessions in that spend the same one', async () => {
    // A step-up and a login: two live challenges of one user.
    await alice.login();
    await alice.enterRight();
    await alice.post('/step-up');
    const other = test.browser();
    test.clock.advanceSeconds(31);
    await other.login();
    const answers = await Promise.all([alice, other].map((browser) => browser.recover(codes[0])));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  it('are good once, in whatever spelling (Vault CVE-2025-6014)', async () => {
    await alice.login();
    expect((await alice.recover(codes[0])).status).toBe(200);
    test.clock.advanceSeconds(31);
    const code = codes[0] ?? '';
    const spellings = [
      code,
      code.toLowerCase(),
      ` ${code}`,
      code.replaceAll('-', ' '),
      `${code}\n`,
    ];
    const again = test.browser();
    await again.login();
    for (const spelling of spellings) expect(brief(await again.recover(spelling))).toEqual(INVALID);
  });

  it('of another user let nobody in, and stay (Gogs CVE-2025-64175)', async () => {
    const bobs = await test.firstCodes(BOB);
    await alice.login();
    expect(brief(await alice.recover(bobs[0]))).toEqual(INVALID);
    await expect(test.recoveryCodes.count('bob')).resolves.toBe(10);
    const bob = test.browser(BOB);
    await bob.login();
    expect((await bob.recover(bobs[0])).status).toBe(200);
  });

  it('are not made anew by somebody else who has just passed, or by a trusted device', async () => {
    const bob = test.browser(BOB);
    await bob.login();
    await bob.enterRight();
    expect((await bob.post('/codes', { of: 'alice' })).status).toBe(403);
    await alice.trust();
    alice.leave();
    await alice.login();
    expect((await alice.get('/account')).status).toBe(200);
    expect((await alice.post('/codes')).body).toEqual({ code: 'ERR_SECOND_FACTOR_NEEDED' });
    await expect(test.recoveryCodes.count('alice')).resolves.toBe(10);
  });

  it('enroll no number and approve no transaction: they are for logins and step-ups', async () => {
    const own = await apps.start({
      hasFactors: true,
      variant,
      routes: (app, smsOtp) => {
        const transaction = (): { amount: string; payee: string } => ({
          amount: '1 EUR',
          payee: 'Mallory',
        });
        app.post('/pay', smsOtp.stepUp({ transaction }), (req, res) => void res.json(req.smsOtp));
      },
    });
    const [code] = await own.firstCodes();
    const browser = own.browser();
    await browser.login();
    await browser.enterRight();
    expect((await browser.post('/pay')).status).toBe(200);
    expect(brief(await browser.recover(code))).toEqual([401, { error: 'no-pending-login' }]);
    await expect(own.recoveryCodes.count('alice')).resolves.toBe(10);
  });

  it('leave no trace in events, errors and answers', async () => {
    const answers = [await alice.login(), await alice.recover(codes[0])];
    test.clock.advanceSeconds(31);
    await alice.login();
    answers.push(await alice.recover(codes[0]), await alice.recover(`${codes[1]}0`));
    answers.push(await alice.post('/codes', { of: 'bob' }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 400, 403]);
    const texts = answers.map(({ status, text, headers }) => [status, text, headers]);
    const said = tellAll([test.events, test.errors, texts, test.sessions.dump()]);
    for (const code of codes) {
      expect(said).not.toContain(code);
      expect(said).not.toContain(code.replaceAll('-', ''));
    }
  });
});

describe('a recovery code and a store that fails', () => {
  it.each([
    ['before it writes, and the code is not used up', throwing, 10, 200],
    ['after it has written, and the code stays used', writingThenThrowing, 9, 401],
  ])('lets nobody in and answers 503: %s', async (_when, fails, left, again) => {
    const clock = { now: () => Date.now(), advanceSeconds: () => undefined };
    const tampered = tamperedStore(clock);
    const test = await apps.start({ hasFactors: true, options: { store: tampered.store } });
    const [code] = await test.firstCodes();
    const alice = test.browser();
    await alice.login();
    tampered.tamper('finish', fails);
    expect((await alice.recover(code)).status).toBe(503);
    tampered.heal();
    expect((await alice.get('/account')).status).toBe(403);
    await expect(test.recoveryCodes.count('alice')).resolves.toBe(left);

    // The login has ended, because its answer was lost.
    expect((await alice.recover(code)).status).toBe(401);
    const later = test.browser();
    await later.login();
    expect((await later.recover(code)).status).toBe(again);
  });
});

async function writingThenThrowing(work: () => Promise<unknown>): Promise<never> {
  await work();
  throw new Error('the answer is lost');
}
