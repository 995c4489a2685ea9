import { readFileSync } from 'node:fs';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Without the places that are right, which take longer to describe than to find. */
const RUN_AXE = "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)";

/** What axe finds on a page, by rule, with the places. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const violations = await page.evaluate<axe.Result[]>(RUN_AXE);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${page.url()} ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** What is too small for a thumb, below 44 pixels, or does not fit the width of the window. */
export async function findTightSpots(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const targets = document.querySelectorAll(
      'button, input:not([type=hidden]), select, summary, .button, nav a, .languages a');
    const tight = [...targets]
      .filter((target) => target.checkVisibility())
      .filter((target) => target.getBoundingClientRect().height < 44);
    const { scrollWidth, clientWidth } = document.documentElement;
    const excess = scrollWidth > clientWidth ? [scrollWidth - clientWidth + ' pixels too wide'] : [];
    return [...tight.map((target) => target.outerHTML), ...excess];
  })()`);
}

/** Opens what is folded away, then looks at everything. */
export async function findFlaws(page: Page): Promise<string[]> {
  await page.evaluate(
    `document.querySelectorAll('details').forEach((details) => { details.open = true; })`,
  );
  return [...(await findBarriers(page)), ...(await findTightSpots(page))];
}
