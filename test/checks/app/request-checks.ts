import { type Answer, readWords } from './answer';
import { Browser, type Extras } from './browser';
import { expectClosed, wrongCodeFor } from './closed';
import { type GuardedPage, listRequests } from './description';
import { check, type CheckOutline } from './check';
import { isFine } from './refusals';
import type { Scene } from './scene';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const OTHER_ORIGIN = 'https://other-site.example';
/** Codes that apps under test often accept. */
const CODES_OF_TESTERS = ['000000', '123456'] as const;
/** Names of switches with which apps turn a check off for their own tests. */
const ON = [
  ...['test', 'tests', 'testing', 'e2e', 'debug', 'dev', 'development', 'preview', 'demo'],
  ...['skip', 'skip2fa', 'skipMfa', 'skip_mfa', 'skipOtp', 'bypass', 'bypass2fa', 'no2fa'],
  ...['admin', 'internal', 'cypress', 'playwright', 'ci'],
];
const OFF = ['mfa', 'otp', '2fa', 'twoFactor', 'secondFactor', 'auth'];
const HEADERS = [
  ...['X-Test', 'X-E2E', 'X-Debug', 'X-Testing', 'X-Skip-2fa', 'X-Skip-Mfa', 'X-Bypass'],
  ...['X-Cypress', 'X-Playwright', 'X-Internal', 'X-Internal-Request'],
];
const SWITCHES: readonly Readonly<Record<'on' | 'off', string>>[] = [
  { on: '1', off: '0' },
  { on: 'true', off: 'false' },
];

/** Checks with requests that the pages of the app do not make. */
export const requestChecks: readonly CheckOutline[] = [
  check('guarded addresses are closed to other methods', ['open-by-method'], async (scene) => {
    const stranger = new Browser(scene);
    await expectNoOtherMethod(scene, stranger);
    const browser = new Browser(scene);
    const code = await browser.startLogin(scene.user());
    await expectNoOtherMethod(scene, browser);
    await browser.finishLogin(code);
  }),

  check('no switch for tests opens a guarded page', ['open-by-switch'], async (scene) => {
    for (const { on, off } of SWITCHES) {
      const fields = { ...toFields(ON, on), ...toFields(OFF, off) };
      const query = new URLSearchParams(fields).toString();
      const label = `switches for tests: ${on}`;
      const headers = toFields(HEADERS, on);
      await expectNoSwitch(scene, new Browser(scene), [
        { query, label },
        { headers, label },
      ]);

      const user = scene.user();
      const browser = new Browser(scene);
      const texts = scene.watchTexts(user.phone);
      await browser.givePassword(user, fields, { query, headers, label });
      await expectNoSwitch(scene, browser, [{}, { query, headers, label }]);
      const code = texts().at(-1)?.pin;
      // A strict app refuses unknown fields.
      if (code === undefined) continue;
      await giveCodesOfTesters(scene, browser, { code, fields, extras: { query, headers } });
      await browser.tryToFinish(code);
    }
  }),

  check(
    'other sites cannot read guarded pages',
    ['readable-by-other-sites'],
    async (scene) => {
      for (const origin of [OTHER_ORIGIN, 'null']) {
        const extras = { headers: { Origin: origin }, label: `asked by ${origin}` };
        const pages = await findMember(scene, extras, (_page, { headers }) => {
          const isLetIn = headers['access-control-allow-origin'] === origin;
          return isLetIn && headers['access-control-allow-credentials'] === 'true';
        });
        if (pages.length > 0)
          scene.fail('readable-by-other-sites', 'CORS allows every origin, with cookies.', pages);
      }
    },
    { isOfSessions: true },
  ),

  check('no shared cache keeps a guarded page', ['kept-by-caches'], async (scene) => {
    const pages = await findMember(scene, {}, isKept);
    if (pages.length > 0)
      scene.fail('kept-by-caches', '`Cache-Control` lets shared caches keep the page.', pages);
  }),
];

const toFields = (names: readonly string[], value: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, value]));

/** Returns the pages whose answers to a logged-in user are wrong. */
async function findMember(
  scene: Scene,
  extras: Extras,
  isWrong: (page: GuardedPage, answer: Answer) => boolean,
): Promise<readonly GuardedPage[]> {
  const browser = new Browser(scene);
  await browser.logIn(scene.user());
  const pages: GuardedPage[] = [];
  for (const page of scene.guarded)
    if (isWrong(page, await browser.visit(page, extras))) pages.push(page);
  return pages;
}

async function expectNoSwitch(
  scene: Scene,
  browser: Browser,
  all: readonly Extras[],
): Promise<void> {
  for (const extras of all)
    await expectClosed(scene, browser, 'open-by-switch', 'by a switch for tests', extras);
}

/** Sends codes that only an app under test would accept, with its switches on. */
async function giveCodesOfTesters(
  scene: Scene,
  browser: Browser,
  given: {
    readonly code: string;
    readonly fields: Readonly<Record<string, string>>;
    readonly extras: Extras;
  },
): Promise<void> {
  const { field = 'pin', ...asked } = scene.app.code;
  for (const code of CODES_OF_TESTERS) {
    const wrong = code === given.code ? wrongCodeFor(code) : code;
    const extras = { ...given.extras, label: 'a test code' };
    await browser.submit(asked, { ...given.fields, [field]: wrong }, extras);
    await expectClosed(scene, browser, 'open-by-switch', 'by a test code');
  }
}

/** Requests each guarded address with the methods that are not described. */
async function expectNoOtherMethod(scene: Scene, browser: Browser): Promise<void> {
  const { refusals, origin } = scene;
  // Leave out open pages: they are open to any method, and reported elsewhere.
  const closed = refusals.known.filter(
    ({ page, stranger }) => !refusals.isOpen(page, stranger, origin),
  );
  for (const { page } of closed) {
    const described = methodsOf(scene, page);
    for (const method of METHODS.filter((each) => !described.includes(each))) {
      const request = { ...page, method };
      const answer = await browser.visit(request);
      const nowhere = await browser.visit({ ...request, path: NOWHERE });
      if (isOpenBy(scene, request, answer) && !isAlike(answer, nowhere))
        scene.fail('open-by-method', `${scene.nameOf(page)} opens by ${method}.`, [page]);
    }
  }
}

/** An address that no app has. */
const NOWHERE = '/no-such-page-a7f3';

const addressOf = (path: string): string => path.split('?')[0] ?? path;

function isAlike(one: Answer, other: Answer): boolean {
  return one.status === other.status && readWords(one) === readWords(other);
}

/** Returns the methods that the description has for the address of a page, guarded or not. */
function methodsOf(scene: Scene, page: GuardedPage): readonly string[] {
  const path = addressOf(scene.pathOf(page));
  return listRequests(scene.app).flatMap(({ method = 'POST', ...request }) =>
    addressOf(scene.pathOf(request)) === path ? method : [],
  );
}

/** Returns whether an answer to another method performs the page's action or shows it. */
function isOpenBy(scene: Scene, request: GuardedPage, answer: Answer): boolean {
  const { method, shows } = request;
  if (method !== 'GET')
    return isFine(answer.status) || scene.refusals.isForward(answer, scene.origin);
  if (!isFine(answer.status)) return false;
  if (shows !== undefined) return answer.body.includes(shows);
  const known = scene.refusals.known.find(({ page }) => page.path === request.path);
  const words = wordsOf(scene, answer);
  return words !== '' && known !== undefined && words === wordsOf(scene, known.member);
}

/** Returns the words that a reader sees, without those that depend on the user. */
function wordsOf({ app }: Scene, answer: Answer): string {
  return app.users.reduce((words, { name }) => words.replaceAll(name, '#'), readWords(answer));
}

/**
 * Returns whether a cache may keep an answer. A page that must be requested each time passes the
 * guard each time.
 */
function isKept({ method = 'GET' }: GuardedPage, { status, headers }: Answer): boolean {
  if (method !== 'GET' || !isFine(status)) return false;
  const rules = headers['cache-control'] ?? '';
  if (/\b(no-store|no-cache|private)\b/i.test(rules)) return false;
  const [, age] = /\bs-maxage=(\d+)/i.exec(rules) ?? /\bmax-age=(\d+)/i.exec(rules) ?? [];
  return age === undefined ? /\bpublic\b/i.test(rules) : Number(age) > 0;
}
