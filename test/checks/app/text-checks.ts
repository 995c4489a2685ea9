import { type Answer, readPath, readWords } from './answer';
import { type Body, Browser, toForm } from './browser';
import { expectClosed } from './closed';
import type { AppRequest, AppUser } from './description';
import { check, type CheckOutline } from './check';
import type { Scene } from './scene';

/** More than any setting of the package allows: five for a login, ten in ten minutes for a user. */
const RESENDS = 6;
const LOGINS = 12;

/** Names of fields with which apps take a number or a list of recipients. */
const NUMBER_FIELDS = ['phone', 'mobile', 'number', 'phoneNumber', 'phone_number', 'to', 'tel'];

/** Checks to whom messages are sent, when and how often. */
export const textChecks: readonly CheckOutline[] = [
  check(
    'the right password sends one code, and the code opens the guarded pages',
    ['no-code', 'code-opens-nothing', 'open-after-password', 'texts-not-limited'],
    async (scene) => {
      const user = scene.user();
      const browser = new Browser(scene);
      const texts = scene.watchTexts(user.phone);
      await browser.givePassword(user);
      const code =
        texts().at(-1)?.pin ??
        scene.fail('no-code', 'No message is sent after the right password.');
      if (texts().length > 1)
        scene.fail('texts-not-limited', `One password sends ${texts().length} messages.`);
      const closed = await browser.tryToFinish(code);
      if (closed !== undefined)
        scene.fail('code-opens-nothing', `${scene.nameOf(closed)}: closed after the right code.`);
      const [first, ...others] = scene.leftOut;
      if (first !== undefined)
        scene.giveUp(`${[first, ...others].join(', ')}: closed after the right code, and left out`);
    },
  ),

  check('a wrong password sends no message', ['text-after-wrong-password'], async (scene) => {
    const user = scene.user();
    const browser = new Browser(scene);
    const texts = scene.watchTexts(user.phone);
    for (const password of [`${scene.app.login.password(user)}x`, ''])
      await browser.giveAsPassword(user, password, {}, { label: 'wrong password' });
    if (texts().length > 0)
      scene.fail('text-after-wrong-password', 'A message is sent after a wrong password.');
    await expectClosed(scene, browser, 'text-after-wrong-password', 'after a wrong password');
  }),

  check(
    'the request does not choose the number to which the code is sent',
    ['text-to-any-number'],
    async (scene) => {
      const user = scene.user();
      const fields = Object.fromEntries(NUMBER_FIELDS.map((name) => [name, ATTACKER]));
      const texts = scene.watchTexts(ATTACKER);
      const ownTexts = scene.watchTexts(user.phone);
      const browser = new Browser(scene);
      const query = new URLSearchParams(fields).toString();
      await browser.givePassword(user, fields, { query, label: 'right password, another number' });
      const { resend } = scene.app;
      if (resend !== undefined)
        await browser.submit(resend, fields, { query, label: 'resend, another number' });
      if (texts().length > 0)
        scene.fail('text-to-any-number', 'The message goes to a number that the request names.');
      const code = ownTexts().at(-1)?.pin ?? scene.giveUp('no message went out after the password');
      await browser.finishLogin(code);
    },
  ),

  check(
    'not every repeated resend sends a message',
    ['texts-not-limited'],
    async (scene) => {
      const user = scene.user();
      const browser = new Browser(scene);
      const code = await browser.startLogin(user);
      const texts = scene.watchTexts(user.phone);
      for (let time = 0; time < RESENDS; time += 1)
        await browser.submitFor(scene.app.resend ?? { path: '' }, user, 'resend');
      if (texts().length >= RESENDS)
        scene.fail('texts-not-limited', `${RESENDS} requests send ${texts().length} messages.`);
      if (texts().length === 0) await browser.finishLogin(code);
    },
    { needs: ['resend'] },
  ),

  check('not every repeated password sends a message', ['texts-not-limited'], async (scene) => {
    const user = scene.user();
    const texts = scene.watchTexts(user.phone);
    const browser = new Browser(scene);
    const code = await browser.startLogin(user);
    for (let time = 1; time < LOGINS; time += 1) await new Browser(scene).givePassword(user);
    if (texts().length >= LOGINS)
      scene.fail('texts-not-limited', `${LOGINS} logins send ${texts().length} messages.`);
    if (texts().length === 1) await browser.finishLogin(code);
  }),

  check(
    'a form of another site cannot request another code',
    ['text-by-another-site'],
    async (scene) => {
      const resend = scene.app.resend ?? { path: '' };
      const { browser, code, honest, path } = await askTooSoon(scene, resend);
      for (const body of FORGED) {
        // The answer may begin another session, which must not affect the next step.
        const victim = browser.copy();
        const forged = await effectOf(scene, victim, () => victim.submitFromElsewhere(path, body));
        if (forged === honest)
          scene.fail('text-by-another-site', `${path} accepts a form of another site.`);
      }
      await browser.finishLogin(code);
    },
    { needs: ['resend'] },
  ),

  check(
    'a link cannot request another code',
    ['text-by-link'],
    async (scene) => {
      const resend = scene.app.resend ?? { path: '' };
      const { browser, code, honest, path } = await askTooSoon(scene, resend);
      const victim = browser.copy();
      const followed = await effectOf(scene, victim, () => followLink(victim, path));
      if (followed === honest) scene.fail('text-by-link', `${path} acts on a link.`);
      await browser.finishLogin(code);
    },
    { needs: ['resend'] },
  ),

  check(
    'a form of another site cannot begin a step-up',
    ['text-by-another-site'],
    async (scene) => {
      const { browser, user, texts } = await logInToStepUp(scene);
      const path = scene.pathOf(scene.app.stepUp ?? { path: '' }, user);
      for (const body of FORGED) await browser.copy().submitFromElsewhere(path, body);
      if (texts().length > 0)
        scene.fail('text-by-another-site', `${path} accepts a form of another site.`);
      // Check the description: the app's own page does send a code.
      await browser.finishStepUp(user, await browser.startStepUp(user));
    },
    { needs: ['stepUp'] },
  ),

  check(
    'a link cannot begin a step-up',
    ['text-by-link'],
    async (scene) => {
      const { browser, user, texts } = await logInToStepUp(scene);
      const path = scene.pathOf(scene.app.stepUp ?? { path: '' }, user);
      await followLink(browser.copy(), path);
      if (texts().length > 0) scene.fail('text-by-link', `${path} acts on a link.`);
      // Check the description: the app's own page does send a code.
      await browser.finishStepUp(user, await browser.startStepUp(user));
    },
    { needs: ['stepUp'] },
  ),

  check(
    'a new number gets a code only after the second factor',
    ['number-by-password'],
    async (scene) => {
      const { phone = '', field = 'phone', ...asked } = scene.app.newNumber ?? { path: '' };
      const user = scene.user();
      const texts = scene.watchTexts(phone);
      const browser = new Browser(scene);
      const code = await browser.startLogin(user);
      for (const each of [new Browser(scene), browser])
        await each.submit(asked, { [field]: phone }, { label: 'new number' });
      if (texts().length > 0)
        scene.fail('number-by-password', 'A new number gets a code after the password alone.');
      await browser.finishLogin(code);
      await browser.submit(asked, { [field]: phone }, { label: 'new number' });
      scene.desk.noteBegun(user);
      if (texts().length === 0)
        scene.giveUp('the new number gets no code even after the second factor');
    },
    { needs: ['newNumber'] },
  ),
];

/** A valid US number that no user has. */
const ATTACKER = '+12125550199';

/** Bodies that a form on another site can send without asking the app first. */
const FORGED: readonly Body[] = [toForm({ a: '1' }), { type: 'text/plain', text: '{"a":"1"}' }];

async function followLink(browser: Browser, path: string): Promise<Answer> {
  return browser.get(path, { origin: 'cross-site-link', label: 'link on another site' });
}

/**
 * Requests another code before the gap is over, and returns the visible effect. Ends the check if a
 * stranger sees the same.
 */
async function askTooSoon(
  scene: Scene,
  resend: AppRequest,
): Promise<{ browser: Browser; code: string; honest: string; path: string }> {
  const user = scene.user();
  const browser = new Browser(scene);
  const code = await browser.startLogin(user);
  const honest = await effectOf(scene, browser, () => browser.submitFor(resend, user, 'resend'));
  const stranger = new Browser(scene);
  const refused = await effectOf(scene, stranger, () =>
    stranger.submitFor(resend, user, 'resend without a login'),
  );
  if (honest === refused) scene.skip('a stranger who requests another code gets the same answer');
  return { browser, code, honest, path: scene.pathOf(resend, user) };
}

/** Returns what a user sees after a request: the answer, and the page to which it redirects. */
async function effectOf(
  { origin }: Scene,
  browser: Browser,
  act: () => Promise<Answer>,
): Promise<string> {
  const answer = await act();
  const path = readPath(answer.location, origin);
  const shown = path === null ? answer : await browser.get(path);
  return [answer.status, path, shown.status, readWords(shown)].join(' ');
}

async function logInToStepUp(scene: Scene): Promise<{
  browser: Browser;
  user: AppUser;
  texts: () => readonly { readonly pin: string }[];
}> {
  const user = scene.user();
  const browser = new Browser(scene);
  await browser.logIn(user);
  return { browser, user, texts: scene.watchTexts(user.phone) };
}
