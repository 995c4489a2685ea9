import { readPath } from './answer';
import { Browser, fieldsFor } from './browser';
import { expectClosed } from './closed';
import type { AppRequest, AppUser, GuardedPage } from './description';
import { check, type CheckOutline } from './check';
import type { Scene } from './scene';

/** Checks how a login ends, and what else may replace it. */
export const loginChecks: readonly CheckOutline[] = [
  check(
    'a logout closes the guarded pages',
    ['open-after-logout'],
    async (scene) => {
      const user = scene.user();
      const browser = new Browser(scene);
      await browser.logIn(user);
      await browser.submitFor(described(scene.app.logout), user, 'logout');
      await expectClosed(scene, browser, 'open-after-logout', 'after the logout');
    },
    { needs: ['logout'], isOfSessions: true },
  ),

  check(
    'a session that was copied before the logout opens nothing after it',
    ['open-by-copied-session'],
    async (scene) => {
      const user = scene.user();
      const browser = new Browser(scene);
      await browser.logIn(user);
      const thief = browser.copy();
      await browser.submitFor(described(scene.app.logout), user, 'logout');
      await expectClosed(scene, thief, 'open-by-copied-session', 'to a copy of the session');
    },
    { needs: ['logout'], isOfSessions: true },
  ),

  check(
    'a link on another site logs no one out',
    ['logout-by-get'],
    async (scene) => {
      const user = scene.user();
      const browser = new Browser(scene);
      await browser.logIn(user);
      const logout = described(scene.app.logout);
      const path = scene.pathOf(logout, user);
      const link = { origin: 'cross-site-link', label: 'link on another site' } as const;
      await browser.submit({ method: 'GET', path }, await fieldsFor(logout, user), link);
      if ((await browser.findOpen()) === undefined)
        scene.fail('logout-by-get', `${scene.show(path)} obeys a link.`);
    },
    { needs: ['logout'], isOfSessions: true },
  ),

  check(
    'a password reset opens no guarded page',
    ['open-after-reset'],
    async (scene) => {
      const browser = new Browser(scene);
      await resetPassword(scene, browser, scene.user());
      await expectClosed(scene, browser, 'open-after-reset', 'after a password reset');
    },
    { needs: ['passwordReset'] },
  ),

  check(
    'a password reset ends the logins from before it',
    ['login-outlives-reset'],
    async (scene) => {
      if (scene.app.passwordReset?.keepsLogins === true)
        scene.skip('the description says that logins continue');
      const user = scene.user();
      const browser = new Browser(scene);
      await browser.logIn(user);
      await resetPassword(scene, new Browser(scene), user);
      await expectClosed(scene, browser, 'login-outlives-reset', 'after a password reset');
    },
    { needs: ['passwordReset'] },
  ),

  check(
    'no other way in opens a guarded page',
    ['open-by-another-way'],
    async (scene) => {
      for (const { requests, token } of scene.app.otherWaysIn ?? []) {
        const user = scene.user();
        const browser = new Browser(scene);
        browser.tokenPlace = token ?? scene.app.token;
        for (const request of requests) {
          scene.desk.noteBegun(user);
          const { status } = await browser.submitFor(request, user, 'another way in');
          if ([404, 405].includes(status) || status >= 500)
            scene.giveUp(`another way in was answered with ${status}`);
          await expectClosed(scene, browser, 'open-by-another-way', 'by another way in');
        }
      }
    },
    { needs: ['otherWaysIn'] },
  ),

  check(
    'a login that was ended elsewhere leads to a page',
    ['refusal-leads-nowhere'],
    async (scene) => {
      const { logout, passwordReset } = scene.app;
      const endsByReset = passwordReset !== undefined && passwordReset.keepsLogins !== true;
      if (!endsByReset && logout === undefined)
        scene.skip('the description has no logout, and no passwordReset that ends logins');
      const user = scene.user();
      const browser = new Browser(scene);
      await browser.logIn(user);
      if (endsByReset) await resetPassword(scene, new Browser(scene), user);
      else await browser.copy().submitFor(described(logout), user, 'logout elsewhere');
      for (const page of scene.guarded) await expectToArrive(scene, browser, page);
    },
    { isOfSessions: true },
  ),

  check(
    'a remember-me cookie opens nothing without a code',
    ['open-by-remember-me'],
    async (scene) => {
      const user = scene.user();
      const browser = new Browser(scene);
      const before = new Set(browser.cookies.map(({ name }) => name));
      await browser.logIn(user, rememberMe(scene).fields);
      browser.dropSession();
      if (
        browser.cookies.every(({ name }) => before.has(name) || name.startsWith('__Host-sms-otp'))
      )
        scene.giveUp('no answer set a cookie that could replace the password');
      await expectNotRemembered(scene, browser, user, 'by the cookie of a remembered login');
    },
    { needs: ['rememberMe'] },
  ),

  check(
    'a remember-me cookie from before the code opens nothing',
    ['open-by-remember-me'],
    async (scene) => {
      const user = scene.user();
      const browser = new Browser(scene);
      const code = await browser.startLogin(user, rememberMe(scene).fields);
      const owner = browser.copy();
      browser.dropSession();
      await expectNotRemembered(scene, browser, user, 'by a cookie that came before the code');
      await owner.tryToFinish(code);
    },
    { needs: ['rememberMe'] },
  ),

  check(
    '"log in as" opens no guarded page of the other user',
    ['open-by-log-in-as'],
    async (scene) => {
      const { by, request, shows } = described(scene.app.logInAs);
      const browser = new Browser(scene);
      const user = scene.user();
      await browser.logIn(by);
      const answer = await browser.submitFor(request, user, '"log in as"');
      if (answer.status >= 400) scene.giveUp('"log in as" was refused');
      const isOf = { shows: shows?.(user) };
      await expectClosed(scene, browser, 'open-by-log-in-as', 'after "log in as"', isOf);
    },
    { needs: ['logInAs'] },
  ),

  check(
    '"log in as" opens nothing after the password alone',
    ['open-by-log-in-as'],
    async (scene) => {
      const { by, request } = described(scene.app.logInAs);
      const browser = new Browser(scene);
      const code = await browser.startLogin(by);
      const owner = browser.copy();
      await browser.submitFor(request, scene.user(), '"log in as"');
      await expectClosed(scene, browser, 'open-by-log-in-as', 'after a password and "log in as"');
      await owner.tryToFinish(code);
    },
    { needs: ['logInAs'] },
  ),

  check(
    "a trusted device's cookie opens nothing without a password",
    ['open-by-trusted-device'],
    async (scene) => {
      const user = scene.user();
      const browser = await trustDevice(scene, user);
      await expectClosed(scene, browser, 'open-by-trusted-device', "by the device's cookie alone");
      await browser.givePassword(user);
      // A page may require a more recent second factor than a trusted device has.
      if ((await browser.findOpen()) === undefined)
        scene.giveUp('the device is not trusted: its user needs a code');
    },
    { needs: ['trustedDevice'] },
  ),

  check(
    'a trusted device is trusted for its own user only',
    ['open-by-trusted-device'],
    async (scene) => {
      const browser = await trustDevice(scene, scene.user());
      const code = await browser.startLogin(scene.user());
      await expectClosed(scene, browser, 'open-by-trusted-device', 'to another user of the device');
      await browser.tryToFinish(code);
    },
    { needs: ['trustedDevice'] },
  ),
];

/** Returns a field of the description that the check needs. Without it the check is not run. */
function described<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError('a field of the description is missing');
  return value;
}

function rememberMe(scene: Scene): NonNullable<Scene['app']['rememberMe']> {
  return described(scene.app.rememberMe);
}

async function resetPassword(scene: Scene, browser: Browser, user: AppUser): Promise<void> {
  const { requests } = described(scene.app.passwordReset);
  for (const request of requests) {
    const answer = await browser.submitFor(request, user, 'password reset');
    if (answer.status >= 400) scene.giveUp('the password reset was refused');
  }
}

/** The most redirects to follow, more than any app needs. Browsers follow 20. */
const MOST_REDIRECTS = 8;

/** Follows the redirects of a refusal, as a browser does. */
async function expectToArrive(scene: Scene, browser: Browser, page: GuardedPage): Promise<void> {
  if ((page.method ?? 'GET') !== 'GET') return;
  let answer = await browser.visit(page);
  // A script gets an answer without a redirect. A page may say itself that the login has ended.
  if (answer.location === null) return;
  for (let step = 0; step < MOST_REDIRECTS; step += 1) {
    if (answer.location === null || readPath(answer.location, scene.origin) === null) break;
    const { pathname, search } = new URL(answer.location, scene.origin);
    answer = await browser.get(pathname + search);
  }
  if (answer.status === 404) scene.skip('the app has no page where a refusal leads');
  if ((answer.status >= 300 && answer.status < 400) || answer.status >= 500)
    scene.fail(
      'refusal-leads-nowhere',
      `The redirects from ${scene.nameOf(page)} end with ${answer.status}.`,
      [page],
    );
}

/** Expects that a browser's other cookies, without its session, open nothing. */
async function expectNotRemembered(
  scene: Scene,
  browser: Browser,
  user: AppUser,
  how: string,
): Promise<void> {
  const { request } = rememberMe(scene);
  const requests: (AppRequest | undefined)[] = [undefined, request];
  for (const asked of requests) {
    if (asked !== undefined) await browser.submitFor(asked, user, 'remembered login');
    await expectClosed(scene, browser, 'open-by-remember-me', how);
  }
}

/** Returns a browser with the cookie of a trusted device and without a session. */
async function trustDevice(scene: Scene, user: AppUser): Promise<Browser> {
  const browser = new Browser(scene);
  await browser.logIn(user, described(scene.app.trustedDevice).fields);
  browser.dropSession();
  return browser;
}
