import { Browser, type Extras } from './browser';
import type { GuardedPage } from './description';
import type { HoleName } from './holes';
import type { Scene } from './scene';

/** A code of the same length that differs in its last digit. */
export function wrongCodeFor(code: string): string {
  return code.slice(0, -1) + String((Number(code.slice(-1)) + 1) % 10);
}

interface Wider {
  readonly hole: HoleName;
  readonly when: string;
  readonly reach: (browser: Browser, scene: Scene) => Promise<unknown>;
}

/** Holes that explain many others, the widest first. */
const WIDER: readonly Wider[] = [
  { hole: 'open-page', when: 'to a stranger', reach: () => Promise.resolve() },
  {
    hole: 'open-after-password',
    when: 'after the password alone',
    reach: async (browser, scene) => browser.givePassword(scene.user()),
  },
  {
    hole: 'open-after-wrong-code',
    when: 'after a wrong code',
    reach: async (browser, scene) => {
      const user = scene.user();
      const texts = scene.watchTexts(user.phone);
      await browser.givePassword(user);
      await browser.giveCode(wrongCodeFor(texts().at(-1)?.pin ?? '000000'), 'wrong code');
    },
  },
];

/**
 * Ends the check when a guarded page is open to a browser. A page that is open to strangers is open
 * after everything else as well, so the widest hole is named that explains it.
 */
export async function expectClosed(
  scene: Scene,
  browser: Browser,
  hole: HoleName,
  when: string,
  extras?: Extras & Pick<GuardedPage, 'shows'>,
): Promise<void> {
  const open = await browser.findOpen(extras);
  if (open === undefined) return;
  const wider = await findWider(scene, open, hole);
  scene.fail(wider?.hole ?? hole, `${open.path} opens ${wider?.when ?? when}.`);
}

async function findWider(
  scene: Scene,
  page: GuardedPage,
  hole: HoleName,
): Promise<Wider | undefined> {
  for (const wider of WIDER) {
    if (wider.hole === hole) return undefined;
    const browser = new Browser(scene);
    await wider.reach(browser, scene);
    if (browser.isOpen(page, await browser.visit(page))) return wider;
  }
  return undefined;
}
