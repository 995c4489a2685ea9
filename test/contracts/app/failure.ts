import { HOLES, type HoleName } from './holes';

/** What a failed fact tells. It holds no code, number, password, name or cookie. */
interface Failure {
  /** The hole; null when the fact could not be judged. */
  readonly hole: HoleName | null;
  /** One sentence: what was found, or why nothing could be judged. */
  readonly finding: string;
  /** What was done and what came back, one line for each request. */
  readonly done: readonly string[];
}

const NOT_JUDGED = 'docs/test-your-own-app.md#when-a-fact-cannot-be-judged';
const LINES = 16;

/** A fact that does not hold, or could not be judged. */
export class AppFactError extends Error {
  override readonly name = 'AppFactError';
  /** The hole that was found; null when the fact could not be judged. */
  readonly hole: HoleName | null;
  /** One sentence. */
  readonly finding: string;
  /** What was done and what came back, one line for each request. */
  readonly done: readonly string[];
  /** The page of the documentation that mends it: a path below the root of the package. */
  readonly page: string;

  constructor({ hole, finding, done }: Failure) {
    const page = hole === null ? NOT_JUDGED : HOLES[hole].page;
    const shown = done.length > LINES ? ['…', ...done.slice(-LINES)] : done;
    const lines = shown.map((line) => `  ${line}`);
    const trail = lines.length === 0 ? [] : ['What was done, and what came back:', ...lines];
    super([`${hole ?? 'not judged'}: ${finding}`, ...trail, `How to mend it: ${page}`].join('\n'));
    this.hole = hole;
    this.finding = finding;
    this.done = done;
    this.page = page;
  }
}

/** Ends a fact that turns out not to apply. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}
