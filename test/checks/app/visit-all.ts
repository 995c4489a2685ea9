import type { Answer } from './answer';
import type { Browser } from './browser';
import type { GuardedPage } from './description';

/** Requests pages one after another. Returns a function that returns the answer of each. */
export async function visitAll(
  browser: Browser,
  pages: readonly GuardedPage[],
): Promise<(page: GuardedPage) => Answer> {
  const answers = new Map<GuardedPage, Answer>();
  for (const page of pages) answers.set(page, await browser.visit(page));
  return (page) => {
    const answer = answers.get(page);
    if (answer === undefined) throw new TypeError('the page was not requested');
    return answer;
  };
}
