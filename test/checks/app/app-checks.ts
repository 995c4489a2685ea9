import { answerChecks } from './answer-checks';
import { codeChecks } from './code-checks';
import type { AppDescription } from './description';
import { type AppCheck, SharedCase, toCheck } from './check';
import { loginChecks } from './login-checks';
import { pageChecks } from './page-checks';
import { proxyChecks } from './proxy-checks';
import { requestChecks } from './request-checks';
import { UserDesk } from './scene';
import { sessionChecks } from './session-checks';
import { textChecks } from './text-checks';

export type {
  AppDescription,
  AppRequest,
  AppSimulator,
  AppUser,
  CsrfToken,
  Fields,
  GuardedPage,
  RunningApp,
  TokenPlace,
} from './description';
export type { AppCheck, AppCheckResult } from './check';
export { AppCheckError } from './failure';
export { HOLES, type Hole, type HoleName } from './holes';
export { isLoopbackUrl } from './transport';

/**
 * The checks that every app with this package must pass, for any test runner. They attack the app
 * only by requests, only on loopback addresses, with the simulator as its gateway:
 *
 * ```ts
 * for (const { title, notApplicable, run } of appChecks(app)) {
 *   (notApplicable === null ? test : test.skip)(title, run);
 * }
 * ```
 *
 * A check that fails rejects with an `AppCheckError`. It names the hole, the requests and the
 * answers, and the page of the documentation that says how to fix it. Run the checks one after
 * another.
 * @throws {TypeError} for a description without two users or without a guarded page.
 */
export function appChecks(app: AppDescription): readonly AppCheck[] {
  if (app.users.length < 2) throw new TypeError('appChecks: users must have at least two users');
  if (app.guarded.length === 0)
    throw new TypeError('appChecks: guarded must have at least one page');
  const shared = new SharedCase(app, new UserDesk(app.users));
  const outlines = [
    ...textChecks,
    ...pageChecks,
    ...requestChecks,
    ...codeChecks,
    ...sessionChecks,
    ...loginChecks,
    ...answerChecks,
    ...proxyChecks,
  ];
  return outlines.map((outline) => toCheck(outline, shared));
}
