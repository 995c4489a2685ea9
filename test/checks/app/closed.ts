import { Browser, type Extras } from './browser';
import type { GuardedPage } from './description';
import type { HoleName } from './holes';
import type { Scene } from './scene';

/** Returns a code of the same length that differs in its last digit. */
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
 * Ends the check if a guarded page is open to a browser. A page that is open to strangers is open
 * after everything else too, so the error names the widest hole that explains all open pages. No
 * other hole is hidden: a page that it does not explain is reported with the hole of this check.
 */
export async function expectClosed(
  scene: Scene,
  browser: Browser,
  hole: HoleName,
  when: string,
  extras?: Extras & Pick<GuardedPage, 'shows'>,
): Promise<void> {
  let open = await browser.findAllOpen(extras);
  for (const wider of WIDER) {
    if (open.length === 0 || wider.hole === hole) break;
    const explained = await findExplained(scene, open, wider);
    if (explained.length === open.length) failOpen(scene, wider, explained);
    open = open.filter((page) => !explained.includes(page));
  }
  if (open.length > 0) failOpen(scene, { hole, when }, open);
}

function failOpen(
  scene: Scene,
  { hole, when }: Pick<Wider, 'hole' | 'when'>,
  pages: readonly GuardedPage[],
): never {
  const [first = '', ...others] = pages.map((page) => scene.nameOf(page));
  const more = others.length === 0 ? '' : ` Open, too: ${others.join(', ')}.`;
  return scene.fail(hole, `${first} opens ${when}.${more}`, pages);
}

/** Returns the open pages that a wider hole opens as well. */
async function findExplained(
  scene: Scene,
  open: readonly GuardedPage[],
  wider: Wider,
): Promise<readonly GuardedPage[]> {
  const browser = new Browser(scene);
  await wider.reach(browser, scene);
  const explained: GuardedPage[] = [];
  for (const page of open)
    if (browser.isOpen(page, await browser.visit(page))) explained.push(page);
  return explained;
}
