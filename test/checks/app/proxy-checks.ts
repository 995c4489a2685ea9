import { type Answer, readJson, readPath } from './answer';
import { Browser } from './browser';
import type { AppUser } from './description';
import { check, type CheckOutline } from './check';
import type { Scene } from './scene';

/** More logins without a text than a user may begin from one address by default: 20. */
const LOGINS = 24;
const CLIENT = '198.51.100.7';
const OTHER_CLIENT = '203.0.113.9';

/**
 * Which address counts, told by a limit: a user may begin so many logins without a text from each
 * address.
 */
export const proxyChecks: readonly CheckOutline[] = [
  check(
    'clients do not choose the address by which they are limited',
    ['address-by-client'],
    async (scene) => {
      const user = scene.user();
      const { hops = scene.app.proxy === undefined ? 0 : 1 } = scene.app.proxy ?? {};
      // The proxies add the client's own address behind whatever the client has sent.
      const added = Array.from({ length: hops }, (_, hop) =>
        hop === 0 ? CLIENT : `10.0.0.${hop}`,
      );
      const forged = (login: number): string => [`192.0.2.${login}`, ...added].join(', ');
      const isLimited = await repeatLogin(scene, user, (login) => ({
        'X-Forwarded-For': forged(login),
      }));
      if (isLimited) return;
      if (!(await repeatLogin(scene, scene.user(), () => ({}))))
        scene.skip(`no answer to ${LOGINS} logins from one address shows a limit`);
      scene.fail('address-by-client', 'An address that the client makes up evades the limit.');
    },
  ),

  check(
    'clients behind the proxy have addresses of their own',
    ['one-address-for-all'],
    (scene) => expectOwnAddresses(scene, (address) => address),
    { needs: ['proxy'] },
  ),

  check(
    'clients behind a proxy that writes their port have addresses of their own',
    ['one-address-for-all'],
    (scene) => expectOwnAddresses(scene, (address, login) => `${address}:${40_000 + login}`),
    { needs: ['proxy'] },
  ),
];

/** @param spell Returns what the proxy writes of a client. */
async function expectOwnAddresses(
  scene: Scene,
  spell: (address: string, login: number) => string,
): Promise<void> {
  const user = scene.user();
  const isLimited = await repeatLogin(
    scene,
    user,
    () => ({}),
    (login) => spell(CLIENT, login),
  );
  if (!isLimited) scene.skip(`no answer to ${LOGINS} logins from one address shows a limit`);
  const free = await new Browser(scene, spell(OTHER_CLIENT, 0)).givePassword(user);
  const limited = await new Browser(scene, spell(CLIENT, 0)).givePassword(user);
  if (kindOf(scene, free) === kindOf(scene, limited))
    scene.fail('one-address-for-all', 'A limit of one client holds for another one too.');
}

/** Begins logins, each in a new browser. Resolves to whether they are limited in the end. */
async function repeatLogin(
  scene: Scene,
  user: AppUser,
  headersOf: (login: number) => Readonly<Record<string, string>>,
  addressOf: (login: number) => string = () => CLIENT,
): Promise<boolean> {
  const texts = scene.watchTexts(user.phone);
  let waiting: string | undefined;
  for (let login = 1; login <= LOGINS; login += 1) {
    const extras = { headers: headersOf(login), label: `password, ${login}` };
    const answer = await new Browser(scene, addressOf(login)).givePassword(user, {}, extras);
    if (texts().length === 0) scene.giveUp('no message went out after the right password');
    // The first has its text; the second waits for one, as all do until there are too many.
    if (login === 2) waiting = kindOf(scene, answer);
    if (login > 2 && kindOf(scene, answer) !== waiting) return true;
  }
  return false;
}

/** Tells a login that waits from one that was refused, whatever the numbers in the answer are. */
function kindOf({ origin }: Scene, answer: Answer): string {
  const json = JSON.stringify(readJson(answer) ?? null).replaceAll(/\d+/g, '#');
  return [answer.status, readPath(answer.location, origin), json].join(' ');
}
