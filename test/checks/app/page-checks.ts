import { readWords } from './answer';
import { Browser } from './browser';
import { expectClosed, wrongCodeFor } from './closed';
import type { AppUser, GuardedPage } from './description';
import { check, type CheckOutline } from './check';
import { isFine } from './refusals';
import type { Scene } from './scene';

/** Checks to whom the guarded pages must stay closed, and to what kinds of requests. */
export const pageChecks: readonly CheckOutline[] = [
  check('guarded pages are closed to strangers', ['open-page'], async (scene) => {
    await expectClosed(scene, new Browser(scene), 'open-page', 'to a stranger');
  }),

  check(
    'guarded pages are closed under other spellings of their addresses',
    ['open-by-spelling'],
    async (scene) => {
      const stranger = new Browser(scene);
      const nowhere = await stranger.get(NOWHERE);
      for (const page of pagesToOpen(scene)) {
        const path = scene.pathOf(page);
        const refused = await stranger.get(path);
        // A single-page app answers every address with its page. Others show their login page
        // there.
        const known = [nowhere, refused].map(readWords);
        for (const spelling of spellingsOf(path)) {
          const answer = await stranger.get(spelling);
          const isShown = isFine(answer.status) && stranger.isOpen(page, answer);
          if (isShown && !known.includes(readWords(answer)))
            scene.fail('open-by-spelling', `${path} opens under another spelling.`, [page]);
        }
        const head = await stranger.head(path);
        if (head.status < 300 && nowhere.status >= 300 && refused.status >= 300)
          scene.fail('open-by-spelling', `${path} opens to HEAD.`, [page]);
      }
    },
  ),

  check(
    'guarded pages are closed to scripts and to clients of any type',
    ['open-by-accept'],
    async (scene) => {
      const stranger = new Browser(scene);
      for (const headers of CLIENTS) {
        const label = `Accept: ${headers.Accept}`;
        await expectClosed(scene, stranger, 'open-by-accept', 'to a request with other headers', {
          headers,
          label,
        });
      }
    },
  ),

  check(
    'guarded pages are closed after the password alone',
    ['open-after-password'],
    async (scene) => {
      const browser = new Browser(scene);
      const code = await browser.startLogin(scene.user());
      await expectClosed(scene, browser, 'open-after-password', 'after the password alone');
      await browser.finishLogin(code);
    },
  ),

  check('guarded pages are closed after a wrong code', ['open-after-wrong-code'], async (scene) => {
    const browser = new Browser(scene);
    const code = await browser.startLogin(scene.user());
    for (const wrong of wrongCodesFor(code)) {
      await browser.giveCode(wrong, 'wrong code');
      await expectClosed(scene, browser, 'open-after-wrong-code', 'after a wrong code');
    }
    await browser.finishLogin(code);
  }),

  check(
    "one user's code opens nothing after another user's password",
    ['open-by-another-mark'],
    async (scene) => {
      const browser = new Browser(scene);
      await browser.logIn(scene.user());
      const code = await browser.startLogin(scene.user());
      await expectClosed(
        scene,
        browser,
        'open-by-another-mark',
        "after the second user's password",
      );
      await browser.finishLogin(code);
    },
    { isOfSessions: true },
  ),

  check(
    'guarded pages are closed while the gateway cannot check the code',
    ['open-when-gateway-fails'],
    async (scene) => {
      const browser = new Browser(scene);
      const code = await browser.startLogin(scene.user());
      for (const fault of [{ kind: 'error', code: 2121 }, 'html-502'] as const) {
        scene.simulator.failNext('validate', fault);
        await browser.giveCode(code, 'right code, which the gateway does not check');
        await expectClosed(scene, browser, 'open-when-gateway-fails', 'while the gateway fails');
      }
    },
  ),

  check(
    'guarded pages are closed when no message can be sent',
    ['open-when-no-text'],
    async (scene) => {
      scene.simulator.failNext('generate', 'html-502');
      const browser = await givePasswordAlone(scene, scene.user());
      await expectClosed(scene, browser, 'open-when-no-text', 'although no message could be sent');
    },
  ),

  check(
    'guarded pages are closed to a user who has no number',
    ['open-without-number'],
    async (scene) => {
      const user = { name: scene.app.userWithoutNumber ?? '', phone: '' };
      const browser = await givePasswordAlone(scene, user);
      await expectClosed(scene, browser, 'open-without-number', 'to a user who has no number');
    },
    { needs: ['userWithoutNumber'] },
  ),
];

async function givePasswordAlone(scene: Scene, user: AppUser): Promise<Browser> {
  const browser = new Browser(scene);
  await browser.givePassword(user);
  return browser;
}

/**
 * Returns a wrong code and some malformed ones: four in all, so that the right one may be the
 * fifth.
 */
function wrongCodesFor(code: string): readonly string[] {
  return [wrongCodeFor(code), '', `${code}0`, code.slice(1)];
}

/** An address that no app has. */
const NOWHERE = '/no-such-page-a7f3';

/** Returns the guarded pages that a GET opens. */
function pagesToOpen({ guarded }: Scene): readonly GuardedPage[] {
  return guarded.filter(({ method = 'GET' }) => method === 'GET');
}

function spellingsOf(path: string): readonly string[] {
  const [address = '/', query] = path.split('?');
  const rest = query === undefined ? '' : `?${query}`;
  const last = address.replace(/\/$/, '').slice(-1);
  const encoded = `%${last.charCodeAt(0).toString(16)}`;
  const spellings =
    address === '/'
      ? ['//', '/?a', '/./']
      : [
          address.toUpperCase(),
          address.endsWith('/') ? address.slice(0, -1) : `${address}/`,
          `/${address}`,
          `/.${address}`,
          `/a/..${address}`,
          address.replace(/.$/, encoded),
          `${address}?a`,
        ];
  return spellings.map((spelling) => spelling + (spelling.includes('?') ? '' : rest));
}

const CLIENTS = [
  {
    Accept: 'application/json',
    'X-Requested-With': 'XMLHttpRequest',
    'Sec-Fetch-Mode': 'cors',
    'Sec-Fetch-Dest': 'empty',
  },
  { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate' },
  { Accept: '*/*', 'User-Agent': 'curl/8.5.0' },
] as const;
