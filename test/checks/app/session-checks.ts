import { Browser } from './browser';
import { expectClosed } from './closed';
import type { Cookie } from './cookies';
import { check, type CheckOutline } from './check';
import { type KnownPage, Refusals } from './refusals';
import { type Scene, toPage } from './scene';
import { visitAll } from './visit-all';

/** Checks of the session: its id, and the flags of its cookie. */
export const sessionChecks: readonly CheckOutline[] = [
  check('the right password renews the session', ['session-kept-at-password'], async (scene) => {
    const user = scene.user();
    const browser = new Browser(scene);
    const { login } = scene.app;
    await browser.get(login.page ?? login.path);
    await browser.giveAsPassword(user, 'not the password', {}, { label: 'wrong password' });
    const before = browser.session?.value;
    const code = await browser.startLogin(user);
    // Without a session before, no attacker can have known its id.
    if (before !== undefined && before === sessionOf(scene, browser).value)
      scene.fail('session-kept-at-password', 'The session kept its id from before the password.');
    await browser.finishLogin(code);
  }),

  check(
    'the right code renews the session',
    ['session-kept-at-code'],
    async (scene) => {
      const browser = new Browser(scene);
      const code = await browser.startLogin(scene.user());
      const before = sessionOf(scene, browser).value;
      await browser.finishLogin(code);
      if (before === sessionOf(scene, browser).value)
        scene.fail('session-kept-at-code', 'The session kept its id from before the code.');
    },
    { isOfSessions: true },
  ),

  check(
    'a session that was copied before the code opens nothing after it',
    ['session-kept-at-code'],
    async (scene) => {
      const browser = new Browser(scene);
      const code = await browser.startLogin(scene.user());
      const thief = browser.copy();
      await browser.finishLogin(code);
      await expectClosed(scene, thief, 'session-kept-at-code', 'to the session from before it');
    },
    { isOfSessions: true },
  ),

  check(
    'a session that was copied before a step-up opens nothing after it',
    ['session-kept-at-step-up'],
    async (scene) => {
      const user = scene.user();
      const browser = new Browser(scene);
      await browser.logIn(user);
      const thief = browser.copy();
      const code = await browser.startStepUp(user);
      await browser.finishStepUp(user, code);
      await expectClosed(scene, thief, 'session-kept-at-step-up', 'to the session from before it');
    },
    { needs: ['stepUp'], isOfSessions: true },
  ),

  check(
    'what needs a step-up stays closed without one',
    ['step-up-not-asked'],
    async (scene) => {
      const { protects, passTime } = scene.app.stepUp ?? {};
      if (protects === undefined) return scene.skip('the description has no stepUp.protects');
      const user = scene.user();
      const browser = new Browser(scene);
      await browser.logIn(user);
      await passTime?.();
      const pages = protects.map(toPage);
      const before = await visitAll(browser, pages);
      await browser.finishStepUp(user, await browser.startStepUp(user));
      const after = await visitAll(browser, pages);
      const stranger = await visitAll(new Browser(scene), pages);
      const open = pages.filter((page) => {
        const answers = { stranger: stranger(page), waiting: before(page), member: after(page) };
        const known: KnownPage = { page, ...answers, origin: scene.origin };
        if (scene.refusals.staysClosed(known))
          scene.giveUp(`${scene.nameOf(page)} stays closed after the step-up`);
        return new Refusals(scene.app, [known]).isOpen(page, known.waiting, scene.origin);
      });
      if (open.length > 0)
        scene.fail('step-up-not-asked', 'A page opens without the step-up that it needs.', open);
    },
    { needs: ['stepUp'] },
  ),

  check('scripts cannot read the session cookie', ['cookie-for-scripts'], async (scene) => {
    const cookie = await findSessionCookie(scene);
    if (!cookie.isHttpOnly) scene.fail('cookie-for-scripts', 'The cookie is not HttpOnly.');
  }),

  check('the session cookie has SameSite', ['cookie-for-other-sites'], async (scene) => {
    const { sameSite } = await findSessionCookie(scene);
    if (sameSite === null) scene.fail('cookie-for-other-sites', 'The cookie has no SameSite.');
  }),

  check(
    'the session cookie is sent over https only',
    ['cookie-over-http'],
    async (scene) => {
      if (scene.app.proxy?.https !== true)
        scene.skip('the description has no proxy that takes https');
      const cookie = await findSessionCookie(scene);
      if (!cookie.isSecure) scene.fail('cookie-over-http', 'The cookie is not Secure.');
    },
    { needs: ['proxy'] },
  ),
];

async function findSessionCookie(scene: Scene): Promise<Cookie> {
  const browser = new Browser(scene);
  const code = await browser.startLogin(scene.user());
  const cookie = sessionOf(scene, browser);
  await browser.finishLogin(code);
  return cookie;
}

function sessionOf(scene: Scene, { session }: Browser): Cookie {
  return session ?? scene.giveUp('no cookie of a session is found: give its name, sessionCookie');
}
