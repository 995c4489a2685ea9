import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds on a page, by rule, with the places. */
async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
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
  await page.evaluate(`document.querySelectorAll('details').forEach((details) => { details.open = true; })`);
  return [...(await findBarriers(page)), ...(await findTightSpots(page))];
}
