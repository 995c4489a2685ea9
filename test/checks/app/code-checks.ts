import { Browser } from './browser';
import { expectClosed, wrongCodeFor } from './closed';
import { check, type CheckOutline } from './check';

const GUESSES = 5;
/** Longer than any code is valid. */
const HOUR_SECONDS = 3_600;

/** Checks for how many guesses, for whom and for how long a code is valid. */
export const codeChecks: readonly CheckOutline[] = [
  check(
    'after five wrong codes the right one opens nothing',
    ['guesses-not-counted'],
    async (scene) => {
      const browser = new Browser(scene);
      const code = await browser.startLogin(scene.user());
      for (let guess = 1; guess <= GUESSES; guess += 1)
        await browser.giveCode(wrongCodeFor(code), `wrong code ${guess}`);
      await browser.giveCode(code, 'right code');
      await expectClosed(scene, browser, 'guesses-not-counted', 'after five wrong codes');
    },
  ),

  check('a code is valid once', ['code-twice', 'session-kept-at-code'], async (scene) => {
    const user = scene.user();
    const browser = new Browser(scene);
    const code = await browser.startLogin(user);
    const second = browser.copy();
    await browser.finishLogin(code);
    // Check first that it is not open already: then the code did not open it.
    await expectClosed(scene, second, 'session-kept-at-code', 'to the session from before it');
    await second.giveCode(code, 'right code, once more');
    await expectClosed(scene, second, 'code-twice', 'when the code is given a second time');
    const next = new Browser(scene);
    const texts = scene.watchTexts(user.phone);
    await next.givePassword(user);
    await next.giveCode(code, 'code of the login before');
    await expectClosed(scene, next, 'code-twice', 'by the code of the login before');
    const another = texts().at(-1)?.pin;
    if (another !== undefined) await next.tryToFinish(another);
  }),

  check('a code opens nothing without a password', ['code-without-password'], async (scene) => {
    const browser = new Browser(scene);
    const code = await browser.startLogin(scene.user());
    const other = new Browser(scene);
    await other.giveCode(code, 'right code, without a password');
    await expectClosed(scene, other, 'code-without-password', 'by the code alone');
    await browser.finishLogin(code);
  }),

  check('the code of one login passes no other login', ['code-of-another-login'], async (scene) => {
    const [first, second] = [new Browser(scene), new Browser(scene)];
    const code = await first.startLogin(scene.user());
    const codeOfSecond = await second.startLogin(scene.user());
    if (code === codeOfSecond) scene.giveUp('both logins got the same code');
    await first.giveCode(codeOfSecond, 'code of the other login');
    await expectClosed(scene, first, 'code-of-another-login', 'by the code of another login');
    await first.finishLogin(code);
    await second.finishLogin(codeOfSecond);
  }),

  check(
    'a code that the gateway has let expire opens nothing',
    ['code-out-of-date'],
    async (scene) => {
      const browser = new Browser(scene);
      const code = await browser.startLogin(scene.user());
      scene.simulator.advanceSeconds(HOUR_SECONDS);
      await browser.giveCode(code, 'right code, after an hour');
      await expectClosed(scene, browser, 'code-out-of-date', 'by a code that has expired');
    },
  ),

  check(
    'a login that was cancelled cannot be completed',
    ['code-after-cancel'],
    async (scene) => {
      const user = scene.user();
      const browser = new Browser(scene);
      const code = await browser.startLogin(user);
      const copy = browser.copy();
      await browser.submitFor(scene.app.cancel ?? { path: '' }, user, 'cancel');
      for (const each of [browser, copy]) {
        await each.giveCode(code, 'right code, after cancel');
        await expectClosed(scene, each, 'code-after-cancel', 'after the login was cancelled');
      }
    },
    { needs: ['cancel'] },
  ),
];
