import { type Answer, isPage, leadsAway, readJson, readPath, readWords } from './answer';
import { type Body, Browser, toForm, toJson } from './browser';
import { expectClosed, wrongCodeFor } from './closed';
import type { AppRequest, AppUser, Fields } from './description';
import { check, type CheckOutline } from './check';
import type { Scene } from './scene';

const OTHER_HOST = 'other-site.example';
const OTHER_SITES = [`https://${OTHER_HOST}/`, `//${OTHER_HOST}/`, `/\\${OTHER_HOST}/`] as const;
/** Names of fields with which apps take the page to go to after the login. */
const RETURN_FIELDS = [
  ...['returnTo', 'return_to', 'returnUrl', 'return_url', 'return', 'next', 'continue', 'goto'],
  ...['redirect', 'redirectTo', 'redirect_to', 'redirectUrl', 'redirect_uri', 'url', 'target'],
  ...['dest', 'destination', 'back', 'from', 'r', 'callback', 'successRedirect'],
];
const GUESSES = 5;
/** The shortest secret to look for: a shorter one may be a word on the page. */
const SHORTEST_SECRET = 8;

/** Checks what answers show, and where they redirect. */
export const answerChecks: readonly CheckOutline[] = [
  check('no answer shows the code', ['code-in-answer'], async (scene) => {
    const code = await walk(scene);
    if (findIn(scene.answers, patternOf(code)))
      scene.fail('code-in-answer', 'An answer shows the code.');
  }),

  check(
    'no answer shows the number before the code was given',
    ['number-in-answer'],
    async (scene) => {
      const user = scene.user();
      const browser = new Browser(scene);
      const code = await browser.startLogin(user);
      await openPageOfCode(scene, browser);
      await browser.giveCode(wrongCodeFor(code), 'wrong code');
      await openPageOfCode(scene, browser);
      if (findIn(scene.answers, numberPattern(user.phone)))
        scene.fail('number-in-answer', 'An answer shows the whole number before the code.');
      await browser.finishLogin(code);
    },
  ),

  check('no answer shows a secret', ['secret-in-answer'], async (scene) => {
    const user = scene.user();
    await new Browser(scene).get(scene.app.login.page ?? scene.app.login.path);
    // A demonstration may show its password on the login page, so leave that page out.
    const shown = scene.answers.map(toText).join('\n');
    await walk(scene, user);
    await expectNoSecret(scene, user, shown);
  }),

  check(
    'no answer shows a code, a number or a secret while the gateway fails',
    ['code-in-answer', 'number-in-answer', 'secret-in-answer'],
    async (scene) => {
      const { simulator } = scene;
      const [user, other] = [scene.user(), scene.user()];
      const browser = new Browser(scene);
      const code = await browser.startLogin(user);
      simulator.failNext('validate', 'html-502');
      await browser.giveCode(code, 'right code, which the gateway does not check');
      simulator.failNext('generate', 'html-502');
      const second = new Browser(scene);
      await second.givePassword(other);
      await openPageOfCode(scene, second);
      if (findIn(scene.answers, patternOf(code)))
        scene.fail('code-in-answer', 'An answer shows the code while the gateway fails.');
      if ([user, other].some(({ phone }) => findIn(scene.answers, numberPattern(phone))))
        scene.fail('number-in-answer', 'An answer shows the number while the gateway fails.');
      await expectNoSecret(scene, user, '');
    },
  ),

  check(
    'the request leads to no other site after the login',
    ['redirect-to-other-site'],
    async (scene) => {
      const { returnTo = [], login, code: codeRequest } = scene.app;
      for (const target of OTHER_SITES) {
        const user = scene.user();
        const names = [...RETURN_FIELDS, ...returnTo];
        const fields = Object.fromEntries(names.map((name) => [name, target]));
        const query = `?${new URLSearchParams(fields).toString()}`;
        const browser = new Browser(scene);
        const texts = scene.watchTexts(user.phone);
        await browser.get((login.page ?? login.path) + query, { label: 'another site to go to' });
        await browser.givePassword(user, fields, { query: query.slice(1) });
        await browser.get((codeRequest.page ?? codeRequest.path) + query);
        const code = texts().at(-1)?.pin ?? scene.giveUp('no message went out after the password');
        await browser.giveCode(code, 'right code, another site to go to', fields);
        expectToStay(scene);
        if ((await browser.findClosed()) !== undefined)
          scene.giveUp('a guarded page stays closed after the right code');
      }
    },
  ),

  check(
    'an unusual address that was requested before leads to no other site',
    ['redirect-to-other-site'],
    async (scene) => {
      const browser = new Browser(scene);
      for (const path of scene.guarded.map((page) => scene.pathOf(page)))
        for (const odd of [`//${OTHER_HOST}${path}`, `/\\${OTHER_HOST}${path}`, `//${OTHER_HOST}`])
          await browser.get(odd);
      const code = await browser.startLogin(scene.user());
      await browser.finishLogin(code);
      expectToStay(scene);
    },
  ),

  check(
    'no header of the request decides to which host an answer leads',
    ['redirect-by-host'],
    async (scene) => {
      const headers = {
        'X-Forwarded-Host': OTHER_HOST,
        'X-Host': OTHER_HOST,
        'X-Forwarded-Server': OTHER_HOST,
        Forwarded: `host=${OTHER_HOST}`,
        Referer: `https://${OTHER_HOST}/`,
      };
      const user = scene.user();
      const browser = new Browser(scene);
      await browser.findOpen({ headers, label: 'another host' });
      const texts = scene.watchTexts(user.phone);
      await browser.givePassword(user, {}, { headers, label: 'right password, another host' });
      const { field = 'pin', ...asked } = scene.app.code;
      const code = texts().at(-1)?.pin;
      const extras = { headers, label: 'a code, another host' };
      await browser.submit(asked, { [field]: code ?? '000000' }, extras);
      const away = scene.answers.find((answer) => leadsTo(answer, OTHER_HOST));
      if (away !== undefined)
        scene.fail('redirect-by-host', 'A header of the request decides where the answer leads.');
      if (code === undefined) scene.giveUp('no message went out after the right password');
    },
  ),

  check('a wrong code is explained', ['refusal-without-notice'], async (scene) => {
    const browser = new Browser(scene);
    const code = await browser.startLogin(scene.user());
    const before = await openPageOfCode(scene, browser);
    const answer = await browser.giveCode(wrongCodeFor(code), 'wrong code');
    await expectNotice(scene, browser, { before, answer }, 'A wrong code');
    await browser.finishLogin(code);
  }),

  check('the end of all attempts is explained', ['refusal-without-notice'], async (scene) => {
    const browser = new Browser(scene);
    const code = await browser.startLogin(scene.user());
    const before = await openPageOfCode(scene, browser);
    for (let guess = 1; guess < GUESSES; guess += 1)
      await browser.giveCode(wrongCodeFor(code), `wrong code ${guess}`);
    const answer = await browser.giveCode(wrongCodeFor(code), `wrong code ${GUESSES}`);
    await expectNotice(scene, browser, { before, answer }, 'The last wrong code');
  }),

  check(
    'a resend that is refused as too soon is explained',
    ['refusal-without-notice'],
    async (scene) => {
      const user = scene.user();
      const browser = new Browser(scene);
      const code = await browser.startLogin(user);
      const before = await openPageOfCode(scene, browser);
      const answer = await browser.submitFor(scene.app.resend ?? { path: '' }, user, 'resend');
      await expectNotice(
        scene,
        browser,
        { before, answer },
        'A resend that was requested too soon',
      );
      await browser.finishLogin(code);
    },
    { needs: ['resend'] },
  ),

  check(
    'a malformed code causes no server error',
    ['open-after-wrong-code', 'odd-body-fails'],
    async (scene) => {
      const browser = new Browser(scene);
      const code = await browser.startLogin(scene.user());
      const { field = 'pin', ...asked } = scene.app.code;
      await sendOddBodies(scene, browser, asked, [field]);
      await expectClosed(scene, browser, 'open-after-wrong-code', 'after a malformed code');
      // Each of these codes may have counted as a wrong one, so finish the login.
      await browser.giveCode(code, 'right code');
    },
  ),

  check(
    'a malformed password causes no server error',
    ['open-page', 'odd-body-fails'],
    async (scene) => {
      const browser = new Browser(scene);
      const { fields: { username = 'username', password = 'password' } = {}, ...asked } =
        scene.app.login;
      await sendOddBodies(scene, browser, asked, [username, password]);
      await expectClosed(scene, browser, 'open-page', 'after a malformed password');
    },
  ),

  check(
    'a wrong password does not reveal whether the user exists',
    ['tells-user-names'],
    async (scene) => {
      const user = scene.user();
      const nobody = { ...user, name: nameOfNobody(user.name) };
      const password = `${scene.app.login.password(user)}x`;
      const shown: string[] = [];
      for (const { name } of [user, nobody]) {
        const browser = new Browser(scene);
        const answer = await browser.giveAsPassword(
          { ...user, name },
          password,
          {},
          {
            label: name === user.name ? 'wrong password' : 'no such user',
          },
        );
        const path = readPath(answer.location, scene.origin);
        const landing = path === null ? answer : await browser.get(answer.location ?? path);
        shown.push([answer.status, path, readWords(landing).replaceAll(name, '')].join(' '));
      }
      if (shown[0] !== shown[1])
        scene.fail(
          'tells-user-names',
          'The answer to an unknown name differs from that to a known one.',
        );
    },
  ),
];

/** Logs in with a wrong code first, opens every page, and returns the code. */
async function walk(scene: Scene, user = scene.user()): Promise<string> {
  const browser = new Browser(scene);
  const code = await browser.startLogin(user);
  await openPageOfCode(scene, browser);
  await browser.giveCode(wrongCodeFor(code), 'wrong code');
  await openPageOfCode(scene, browser);
  await browser.finishLogin(code);
  const { stepUp, logout } = scene.app;
  if (stepUp !== undefined) await browser.finishStepUp(user, await browser.startStepUp(user));
  if (logout !== undefined) await browser.submitFor(logout, user, 'logout');
  return code;
}

/** Opens the page that asks for the code, if there is one. */
async function openPageOfCode({ app, origin }: Scene, browser: Browser): Promise<Answer> {
  const answer = await browser.get(app.code.page ?? app.code.path);
  const path = readPath(answer.location, origin);
  return path === null ? answer : browser.get(path);
}

function toText({ headers, body }: Answer): string {
  return `${JSON.stringify(headers)}\n${body}`;
}

function findIn(answers: readonly Answer[], pattern: RegExp): boolean {
  return answers.some((answer) => pattern.test(toText(answer)));
}

/**
 * Returns a pattern that matches a string only on its own: digits inside of a longer word are not a
 * code.
 */
function patternOf(text: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${escape(text)}(?![\\p{L}\\p{N}])`, 'u');
}

/** Returns a pattern for the last nine digits with any separators. */
function numberPattern(phone: string): RegExp {
  return new RegExp(Array.from(phone.slice(-9)).join('[\\s().-]*'));
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

async function expectNoSecret(scene: Scene, user: AppUser, shownBefore: string): Promise<void> {
  const { app, answers } = scene;
  const passwords = [app.login.password(user), scene.simulator.password].filter(
    (text) => text.length >= SHORTEST_SECRET && !shownBefore.includes(text),
  );
  const secrets = [...passwords, ...(app.secrets ?? [])];
  if (answers.some((answer) => secrets.some((secret) => toText(answer).includes(secret))))
    scene.fail('secret-in-answer', 'An answer shows a secret.');
  return Promise.resolve();
}

/** Returns whether an answer leads to a host, by a redirect or a field of its JSON. */
function leadsTo(answer: Answer, host: string): boolean {
  const json = readJson(answer);
  const members = typeof json === 'object' && json !== null ? Object.values(json) : [];
  return [answer.location, answer.headers.refresh, ...members].some(
    (value) =>
      typeof value === 'string' &&
      /^[\d;\s]*(?:url=)?(?:https?:)?[\\/]{2}/i.test(value) &&
      value.includes(host),
  );
}

function expectToStay(scene: Scene): void {
  const isAway = (answer: Answer): boolean =>
    leadsAway(answer, scene.origin) || leadsTo(answer, OTHER_HOST);
  if (scene.answers.some(isAway))
    scene.fail('redirect-to-other-site', 'The login leads to another site.');
}

/**
 * Expects that a refusal shows a script its error, and a person something that the page did not
 * show before.
 */
async function expectNotice(
  scene: Scene,
  browser: Browser,
  { before, answer }: { before: Answer; answer: Answer },
  what: string,
): Promise<void> {
  const path = readPath(answer.location, scene.origin);
  if (path === null && !isPage(answer)) {
    const json = readJson(answer);
    const isTold = typeof json === 'object' && json !== null && Object.keys(json).length > 0;
    if (answer.status >= 400 && isTold) return;
    scene.fail('refusal-without-notice', `The answer shows no error: ${what}.`);
  }
  const landing = path === null ? answer : await browser.get(answer.location ?? path);
  if (landing.status === 404) scene.skip('the app has no page to which a refusal leads');
  const known = [before, ...(path === null ? [] : [await browser.get(path)])].map(readWords);
  if (known.includes(readWords(landing)))
    scene.fail(
      'refusal-without-notice',
      `The page after the refusal does not explain it: ${what}.`,
    );
}

/**
 * Returns malformed bodies: JSON instead of forms, forms instead of JSON, and values of wrong types
 * in both.
 */
function oddBodies(names: readonly string[]): readonly ((hidden: Fields) => Body)[] {
  const all = <Value>(value: Value, suffix = ''): Readonly<Record<string, Value>> =>
    Object.fromEntries(names.map((name) => [name + suffix, value]));
  const values: readonly unknown[] = [{ $gt: '' }, ['1', '2'], 7, null, true];
  return [
    ...values.map((value) => (hidden: Fields) => toJson({ ...hidden, ...all(value) })),
    () => toJson([]),
    (hidden) => toForm(hidden),
    (hidden) => toForm({ ...hidden, ...all('1', '[]') }),
    (hidden) => toForm({ ...hidden, ...all('1', '[a]') }),
    () => ({ type: 'text/plain', text: 'a' }),
    () => ({ type: 'application/octet-stream', text: 'a' }),
  ];
}

async function sendOddBodies(
  scene: Scene,
  browser: Browser,
  asked: AppRequest,
  names: readonly string[],
): Promise<void> {
  for (const makeBody of oddBodies(names)) {
    const { type } = makeBody({});
    const { status } = await browser.submit(asked, {}, { makeBody, label: `odd ${type}` });
    if (status >= 500)
      scene.fail('odd-body-fails', `A malformed request body causes status ${status}.`);
  }
}

/** Returns a name of the same form that no user has. */
function nameOfNobody(name: string): string {
  return /^\+?\d+$/.test(name) ? `${name.slice(0, -3)}000` : `nobody-${name}`;
}
