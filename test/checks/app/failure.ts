import { HOLES, type HoleName } from './holes';

/** What a failed check tells. It holds no code, number, password, name or cookie. */
interface Failure {
  /** The hole; null when the check is inconclusive. */
  readonly hole: HoleName | null;
  /** One sentence: what was found, or why the check is inconclusive. */
  readonly finding: string;
  /** What was done and what came back, one line for each request. */
  readonly done: readonly string[];
  /** The guarded pages that are open. Default: none, the hole is elsewhere. */
  readonly pages?: readonly string[];
}

const INCONCLUSIVE = 'docs/test-your-own-app.md#when-a-check-is-inconclusive';
const LINES = 16;

/** A check that fails, or that is inconclusive. */
export class AppCheckError extends Error {
  override readonly name = 'AppCheckError';
  /** The hole that was found; null when the check is inconclusive. */
  readonly hole: HoleName | null;
  /** One sentence. */
  readonly finding: string;
  /** What was done and what came back, one line for each request. */
  readonly done: readonly string[];
  /** The guarded pages that are open, such as `/account` and `POST /transfer`. */
  readonly pages: readonly string[];
  /** The page of the documentation that fixes it: a path below the root of the package. */
  readonly page: string;

  constructor({ hole, finding, done, pages = [] }: Failure) {
    const page = hole === null ? INCONCLUSIVE : HOLES[hole].page;
    const shown = done.length > LINES ? ['…', ...done.slice(-LINES)] : done;
    const lines = shown.map((line) => `  ${line}`);
    const trail = lines.length === 0 ? [] : ['What was done, and what came back:', ...lines];
    super([`${hole ?? 'inconclusive'}: ${finding}`, ...trail, `How to fix it: ${page}`].join('\n'));
    this.hole = hole;
    this.finding = finding;
    this.done = done;
    this.pages = pages;
    this.page = page;
  }
}

/** Ends a check that turns out not to apply. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}
