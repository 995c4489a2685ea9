import { HOLES, type HoleName } from './holes';

/** The report of a failed check. It contains no code, number, password, name or cookie. */
interface Failure {
  /** The hole. Null if the check is inconclusive. */
  readonly hole: HoleName | null;
  /** One sentence: the finding, or why the check is inconclusive. */
  readonly finding: string;
  /** The requests and answers, one line each. */
  readonly done: readonly string[];
  /** The guarded pages that are open. Default: none. */
  readonly pages?: readonly string[];
}

const INCONCLUSIVE = 'docs/test-your-own-app.md#when-a-check-is-inconclusive';
const LINES = 16;

/** The error of a check that fails or is inconclusive. */
export class AppCheckError extends Error {
  override readonly name = 'AppCheckError';
  /** The hole that was found. Null if the check is inconclusive. */
  readonly hole: HoleName | null;
  /** The finding in one sentence. */
  readonly finding: string;
  /** The requests and answers, one line each. */
  readonly done: readonly string[];
  /** The guarded pages that are open, such as `/account` and `POST /transfer`. */
  readonly pages: readonly string[];
  /**
   * The page of the documentation that says how to fix it: a path below the root of the package.
   */
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
