import { describe, expect, it } from '@jest/globals';
import type { SmsOtp } from 'passport-sms-otp';
import { useOwnApps } from '../support/use-app';
import type { Mischief, StoreCall } from '../support/tampered-store';
import type { TestApp, TestUser } from '../support/test-app';
import { ALICE, BOB } from '../support/test-users';
import type { Answer, Visit } from '../support/visit';
import { everything, enterPassword, logIn, open, readForm, submit } from './support/pages-app';

// Users who have a factor need it, as in the docs.
const apps = useOwnApps(() => {
  const app: { smsOtp?: SmsOtp } = {};
  const plain = everything(
    {},
    { isRequiredFor: (user) => app.smsOtp?.canPassSecondFactor(user) ?? true },
  );
  return {
    ...plain,
    isTampered: true,
    routes: (express, smsOtp, ...rest) => {
      app.smsOtp = smsOtp;
      plain.routes?.(express, smsOtp, ...rest);
    },
  };
});

const readCodes = ({ text }: Answer): string[] =>
  Array.from(text.matchAll(/<code>([^<]+)<\/code>/g), ([, code = '']) => code);

const LOST = 'Your new codes were shown once';

/** Alice replaces her codes after a login; Bob, who has no factor, makes his first ones. */
const USERS = [
  ['first codes', BOB],
  ['codes of a user with a number', ALICE],
  ['replaced codes', ALICE],
] as const;

async function enter(test: TestApp, user: TestUser): Promise<Visit> {
  const browser = test.browser(user);
  if (user === BOB) await enterPassword(browser, BOB.id);
  else await logIn(test, browser);
  return browser;
}

/** Prepares a form of the page. */
async function openForm(title: string, browser: Visit): Promise<string> {
  if (title === 'replaced codes') {
    const form = readForm(await open(browser, 'recovery-codes'));
    expect(readCodes(await submit(browser, 'recovery-codes', { form }))).toHaveLength(10);
  }
  return readForm(await open(browser, 'recovery-codes'));
}

/** Whether a code lets its user in, from another browser. */
async function letsIn(test: TestApp, user: TestUser, code = ''): Promise<boolean> {
  test.clock.advanceSeconds(60);
  const browser = test.browser(user);
  await enterPassword(browser, user.id);
  const { location } = await submit(browser, 'recovery-code', { recoveryCode: code });
  return location === '/home';
}

/** An answer shows codes that are valid, or says why there are none. */
async function expectHonest(
  test: TestApp,
  user: TestUser,
  answer: Answer,
  at: number,
): Promise<void> {
  const codes = readCodes(answer);
  // Two answers may show the same codes, and each code works once.
  const code = codes[at];
  if (code === undefined) {
    const isLost = answer.status === 409 && answer.text.includes(LOST);
    // The first codes of a user are a factor, which is asked for from then on.
    const isAsked = answer.location === '/second-factor/confirm';
    expect([answer.status, answer.location, isLost || isAsked]).toEqual([
      answer.status,
      answer.location,
      true,
    ]);
    return;
  }
  expect([answer.status, codes.length, await letsIn(test, user, code)]).toEqual([200, 10, true]);
}

describe.each(USERS)('%s', (title, user) => {
  it('are in the answer to the form that made them, and nowhere else', async () => {
    const test = await apps.start();
    const browser = await enter(test, user);
    const form = await openForm(title, browser);
    const answer = await submit(browser, 'recovery-codes', { form });
    const codes = readCodes(answer);
    expect([answer.status, codes.length, answer.location]).toEqual([200, 10, null]);
    expect(answer.headers['cache-control']).toBe('no-store');
    const pages = [await open(browser, 'recovery-codes'), await open(browser, 'settings')].map(
      ({ text, headers }) => text + JSON.stringify(headers),
    );
    const calls = test.tampered.calls.map(({ given }) => given);
    const places = {
      headers: JSON.stringify(answer.headers),
      pages: pages.join('\n'),
      sessions: test.sessions.writes.map(({ text }) => text).join('\n') + test.sessions.dump(),
      events: JSON.stringify(test.events),
      store: JSON.stringify(calls),
      errors: test.errors.map(String).join('\n'),
    };
    for (const [place, content] of Object.entries(places)) {
      const found = codes.filter(
        (code) => content.includes(code) || content.includes(code.replaceAll('-', '')),
      );
      expect([place, found]).toEqual([place, []]);
    }
  });

  it('are shown again by a reload of the answer for a minute, and stay valid', async () => {
    const test = await apps.start();
    const browser = await enter(test, user);
    const form = await openForm(title, browser);
    const codes = readCodes(await submit(browser, 'recovery-codes', { form }));
    const again = await submit(browser, 'recovery-codes', { form });
    expect(readCodes(again)).toEqual(codes);
    test.clock.advanceSeconds(61);
    const late = await submit(browser, 'recovery-codes', { form });
    expect([late.status, late.text.includes(LOST), readCodes(late)]).toEqual([409, true, []]);
    expect(await letsIn(test, user, codes[0])).toBe(true);
  });

  it('are valid where they are shown after a form that was sent twice at once', async () => {
    const test = await apps.start();
    const browser = await enter(test, user);
    const form = await openForm(title, browser);
    const answers = await Promise.all([
      submit(browser, 'recovery-codes', { form }),
      submit(browser, 'recovery-codes', { form }),
    ]);
    const [first = [], second] = answers.map(readCodes);
    expect([first.length, second]).toEqual([10, first]);
    expect(await letsIn(test, user, first[0])).toBe(true);
  });

  it('are valid in whatever order two submissions of a form are processed', async () => {
    const test = await apps.start();
    // Holds the first submission at each of its calls, while the second goes by.
    for (let held = 0; held < 30; held += 1) {
      const [browser, form] = await openAgain(test, title, user);
      const hold = holdAt(test, held);
      const first = submit(browser, 'recovery-codes', { form });
      // It answers where it has fewer calls than that.
      const isHeld = (await Promise.race([hold.reached, first])) === undefined;
      if (!isHeld) hold.release();
      const second = await submit(browser, 'recovery-codes', { form });
      hold.release();
      const answers = [await first, second];
      expect(answers.flatMap(readCodes).length % 10).toBe(0);
      for (const [at, answer] of answers.entries()) await expectHonest(test, user, answer, at);
      if (!isHeld) return;
    }
    throw new Error('more calls than this test is made for');
  });
});

/** Opens a form where nothing is known of the user, so that no limit is met. */
async function openAgain(
  test: TestApp,
  title: string,
  user: TestUser,
): Promise<readonly [browser: Visit, form: string]> {
  test.tampered.lose();
  test.clock.advanceSeconds(60);
  const browser = await enter(test, user);
  return [browser, await openForm(title, browser)];
}

const CALLS = ['find', 'put', 'swap', 'remove', 'removeAll', 'list'].map(
  (name) => `records.${name}` as StoreCall,
);

/** Holds the call of this number from now on. */
function holdAt(
  { tampered }: TestApp,
  held: number,
): { readonly reached: Promise<void>; readonly release: () => void } {
  let count = 0;
  let release = (): void => undefined;
  let reach = (): void => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const mischief: Mischief = (work) => {
    count += 1;
    if (count - 1 !== held) return undefined;
    reach();
    return released.then(work);
  };
  for (const call of [...CALLS, 'endAll' as const]) tampered.tamper(call, mischief);
  return {
    reached,
    release: () => {
      tampered.heal();
      release();
    },
  };
}

describe('the form of recovery codes', () => {
  it.each([
    ['no name', undefined],
    ['an empty name', ''],
    ['a list of names', ['a', 'b']],
    ['a name that is too long', 'x'.repeat(101)],
    ['a very long name', 'x'.repeat(90_000)],
  ])('with %s makes none, and is not an error', async (_title, form) => {
    const test = await apps.start();
    const browser = await enter(test, ALICE);
    const answer = await submit(browser, 'recovery-codes', { form });
    expect([answer.status, readCodes(answer)]).toEqual([409, []]);
    expect(await test.recoveryCodes.count(ALICE.id)).toBe(0);
    expect(test.errors).toEqual([]);
  });

  it('of another user makes codes of the one who is logged in', async () => {
    const test = await apps.start();
    const [alice, bob] = [await enter(test, ALICE), await enter(test, BOB)];
    const form = await openForm('', alice);
    const made = readCodes(await submit(bob, 'recovery-codes', { form }));
    expect(await letsIn(test, BOB, made[0])).toBe(true);
    expect(readCodes(await submit(alice, 'recovery-codes', { form }))).toHaveLength(10);
  });
});
