import type { Answer } from './answer';
import type { Browser } from './browser';
import type { GuardedPage } from './description';

/** Asks for pages one after another. Returns what gives the answer to each. */
export async function visitAll(
  browser: Browser,
  pages: readonly GuardedPage[],
): Promise<(page: GuardedPage) => Answer> {
  const answers = new Map<GuardedPage, Answer>();
  for (const page of pages) answers.set(page, await browser.visit(page));
  return (page) => {
    const answer = answers.get(page);
    if (answer === undefined) throw new TypeError('the page was not asked for');
    return answer;
  };
}
