import { type Answer, readJson, readPath } from './answer';
import { Browser } from './browser';
import type { AppUser } from './description';
import { check, type CheckOutline } from './check';
import type { Scene } from './scene';

/** More logins without a message than the default limit of 20 for a user and an address. */
const LOGINS = 24;
const CLIENT = '198.51.100.7';
const OTHER_CLIENT = '203.0.113.9';

/**
 * Checks which address counts, by a limit: how many logins without a message a user may begin from
 * each address.
 */
export const proxyChecks: readonly CheckOutline[] = [
  check(
    'clients do not choose the address by which they are limited',
    ['address-by-client'],
    async (scene) => {
      const user = scene.user();
      const { hops = scene.app.proxy === undefined ? 0 : 1 } = scene.app.proxy ?? {};
      // The proxies append the client's own address to what the client has sent.
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
      scene.fail('address-by-client', 'An address that the client invents evades the limit.');
    },
  ),

  check(
    'clients behind the proxy have their own addresses',
    ['one-address-for-all'],
    (scene) => expectOwnAddresses(scene, (address) => address),
    { needs: ['proxy'] },
  ),

  check(
    'clients behind a proxy that writes their port have their own addresses',
    ['one-address-for-all'],
    (scene) => expectOwnAddresses(scene, (address, login) => `${address}:${40_000 + login}`),
    { needs: ['proxy'] },
  ),
];

/** @param spell Returns what the proxy writes for a client. */
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
    scene.fail('one-address-for-all', 'The limit of one client applies to another one too.');
}

/** Begins logins, each in a new browser. Resolves to whether they are limited at the end. */
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
    if (texts().length === 0) scene.giveUp('no text went out after the right password');
    // The first login has its message. The second waits for one, as do all others until there are
    // too many.
    if (login === 2) waiting = kindOf(scene, answer);
    if (login > 2 && kindOf(scene, answer) !== waiting) return true;
  }
  return false;
}

/**
 * Returns the kind of an answer, to tell a login that waits from a refused one. Ignores numbers in
 * it.
 */
function kindOf({ origin }: Scene, answer: Answer): string {
  const json = JSON.stringify(readJson(answer) ?? null).replaceAll(/\d+/g, '#');
  return [answer.status, readPath(answer.location, origin), json].join(' ');
}
