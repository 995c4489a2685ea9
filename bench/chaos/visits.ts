import type { Answer, Browser } from '../../test/reliability/support/browser';

/** One visitor of the app: a browser, a user, and a way to the app's processes. */
export interface Visitor {
  readonly browser: Browser;
  readonly userId: string;
  /** Any of the processes: no two requests need to meet the same one. */
  readonly url: () => string;
  /** The newest code on the user's phone. */
  readonly code: () => string;
}

/** What came of a visit. `wrong`: something that must never happen, in words. */
export interface VisitResult {
  readonly answers: readonly Answer[];
  readonly wrong: string | null;
}

export type Visit = (visitor: Visitor) => Promise<VisitResult>;

/**
 * Answers that say yes, no, or that something is broken for now. All else is wrong. 500 is the
 * app's own: while Redis is away, express-session cannot read its sessions.
 */
const ALLOWED = new Set([200, 400, 401, 403, 429, 500, 502, 503, 504]);

const isIn = (
  { status }: Answer | undefined = { status: 0, body: {}, retryAfter: undefined },
): boolean => status === 200;

/** Password, code, account. */
const honest: Visit = async (visitor) => {
  const { browser, url } = visitor;
  const sent = await start(visitor);
  if (!isIn(sent)) return judge([sent]);
  const entered = await browser.enter(url(), visitor.code());
  const account = await browser.get(url(), '/account');
  // Let in by one process, known to all.
  const isLost = isIn(entered) && account.status === 403;
  return judge([sent, entered, account], isLost ? 'a login was lost between two processes' : null);
};

/** A code that is wrong, then the right one. */
const careless: Visit = async (visitor) => {
  const { browser, url } = visitor;
  const sent = await start(visitor);
  const wrong = await browser.enter(url(), notThe(visitor.code()));
  const right = await browser.enter(url(), visitor.code());
  return judge([sent, wrong, right], isIn(wrong) ? 'a wrong code was taken' : null);
};

/** The right code twice at the same moment. */
const impatient: Visit = async (visitor) => {
  const { browser, url } = visitor;
  const sent = await start(visitor);
  const twin = browser.copy();
  const code = visitor.code();
  const both = await Promise.all([browser.enter(url(), code), twin.enter(url(), code)]);
  // One of them is told that the other has used the code: 409, `already-verified`.
  const others = both.filter(({ status }) => status !== 409);
  const isWrong = both.every(isIn) || others.length === 0;
  return judge([sent, ...others], isWrong ? 'one code let two in, or was used by none' : null);
};

/** Ten guesses at once, then the right code. */
const guesser: Visit = async (visitor) => {
  const { browser, url } = visitor;
  const sent = await start(visitor);
  const guess = notThe(visitor.code());
  const guesses = await Promise.all(
    Array.from({ length: 10 }, () => browser.copy().enter(url(), guess)),
  );
  const late = await browser.enter(url(), visitor.code());
  const isWrong = guesses.some(isIn) || (isIn(late) && guesses.filter(wasJudged).length >= 5);
  return judge([sent, ...guesses, late], isWrong ? 'guessing led in' : null);
};

/** Calls it off, then tries the code all the same. */
const canceller: Visit = async (visitor) => {
  const { browser, url } = visitor;
  const sent = await start(visitor);
  const before = browser.copy();
  const cancelled = await browser.post(url(), '/login/cancel');
  const late = await before.enter(url(), visitor.code());
  const isWrong = isIn(cancelled) && isIn(late);
  return judge([sent, cancelled, late], isWrong ? 'a code worked after it was called off' : null);
};

/** Asks for a code and goes away. */
const leaver: Visit = async (visitor) => judge([await start(visitor)]);

/** Ways to behave, as often as they come up. */
export const VISITS: readonly Visit[] = [
  ...[honest, honest, honest, honest, honest, honest],
  ...[careless, impatient, guesser, canceller, leaver],
];

function start({ browser, url, userId }: Visitor): Promise<Answer> {
  return browser.logIn(url(), userId);
}

function notThe(code: string): string {
  return code === '000000' ? '111111' : '000000';
}

/** True when the answer says that the guess was counted. */
function wasJudged({ status, body }: Answer): boolean {
  return status === 401 && body.error === 'invalid-code';
}

function judge(answers: readonly Answer[], wrong: string | null = null): VisitResult {
  const odd = answers.find(({ status }) => !ALLOWED.has(status));
  return {
    answers,
    wrong: wrong ?? (odd === undefined ? null : `an answer with status ${odd.status}`),
  };
}
