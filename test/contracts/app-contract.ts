import { answerFacts } from './app/answer-facts';
import { codeFacts } from './app/code-facts';
import type { AppDescription } from './app/description';
import { type AppFact, toFact } from './app/fact';
import { loginFacts } from './app/login-facts';
import { pageFacts } from './app/page-facts';
import { proxyFacts } from './app/proxy-facts';
import { UserDesk } from './app/scene';
import { sessionFacts } from './app/session-facts';
import { textFacts } from './app/text-facts';

export type {
  AppDescription,
  AppRequest,
  AppSimulator,
  AppUser,
  CsrfToken,
  Fields,
  GuardedPage,
  RunningApp,
} from './app/description';
export type { AppFact, FactResult } from './app/fact';
export { AppFactError } from './app/failure';
export { HOLES, type Hole, type HoleName } from './app/holes';
export { isLoopbackUrl } from './app/transport';

/**
 * The facts that hold for every app with this package, for any test runner. They attack the app by
 * requests alone, on loopback addresses alone, with the simulator as its gateway:
 *
 * ```ts
 * for (const { title, notApplicable, run } of appFacts(app)) {
 *   (notApplicable === null ? test : test.skip)(title, run);
 * }
 * ```
 *
 * A fact that does not hold rejects with an `AppFactError`: it names the hole, says what was done
 * and what came back, and which page of the documentation mends it. Run the facts one after another.
 * @throws {TypeError} for a description without two users or without a guarded page.
 */
export function appFacts(app: AppDescription): readonly AppFact[] {
  if (app.users.length < 2) throw new TypeError('appFacts: users must have two users at least');
  if (app.guarded.length === 0) throw new TypeError('appFacts: guarded must have a page at least');
  const desk = new UserDesk(app.users);
  const outlines = [
    ...textFacts,
    ...pageFacts,
    ...codeFacts,
    ...sessionFacts,
    ...loginFacts,
    ...answerFacts,
    ...proxyFacts,
  ];
  return outlines.map((outline) => toFact(outline, app, desk));
}
