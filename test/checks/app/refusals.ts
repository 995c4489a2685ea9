import type { Answer } from './answer';
import { readPath } from './answer';
import type { AppDescription, GuardedPage } from './description';

/** An answer without its body: the status, and the path of its redirect. */
export interface Signature {
  readonly status: number;
  /** Null if the answer does not redirect, or redirects away from the site. */
  readonly path: string | null;
}

/** The answers of one guarded page before all checks. */
export interface KnownPage {
  readonly page: GuardedPage;
  /** The answer to a browser that has sent nothing. */
  readonly stranger: Answer;
  /** The answer to a browser that has sent the right password and no code. */
  readonly waiting: Answer;
  /** The answer to a browser that has sent the right code. */
  readonly member: Answer;
  /** The origin of the app that answered. Its port may differ in the next check. */
  readonly origin: string;
}

export function signatureOf({ status, location }: Answer, origin: string): Signature {
  return { status, path: readPath(location, origin) };
}

export function isSame(one: Signature, other: Signature): boolean {
  return one.status === other.status && one.path === other.path;
}

export const isFine = (status: number): boolean => status >= 200 && status < 300;
const isRedirect = (status: number): boolean => status >= 300 && status < 400;
/** Returns whether a status refuses any caller, or refuses for now. */
const isRefusal = (status: number): boolean => [401, 403, 405, 429].includes(status);

interface Learned {
  readonly stranger: Signature;
  readonly member: Signature;
}

/**
 * Tells whether an answer opens a guarded page. It does unless it is the refusal that a stranger
 * gets. All pages were requested once as a stranger, and once as a user who had entered the right
 * code.
 */
export class Refusals {
  readonly #pages: ReadonlyMap<GuardedPage, Learned>;
  /** The paths to which users without access are redirected. */
  readonly #paths: ReadonlySet<string>;

  constructor(
    app: AppDescription,
    readonly known: readonly KnownPage[],
  ) {
    const learned = known.map((one) => ({
      page: one.page,
      stranger: signatureOf(one.stranger, one.origin),
      waiting: signatureOf(one.waiting, one.origin),
      member: signatureOf(one.member, one.origin),
    }));
    const refused = learned.flatMap(({ stranger, waiting, member }) =>
      [stranger, waiting].filter((each) => !isSame(each, member)).map(({ path }) => path),
    );
    this.#pages = new Map(learned.map((one) => [one.page, one]));
    this.#paths = new Set([...refused, ...pathsOfLogin(app)].filter((path) => path !== null));
  }

  /** Returns whether a page stays closed to a user who has entered the right code. */
  staysClosed({ page, stranger, member, origin }: KnownPage): boolean {
    const { method = 'GET', shows } = page;
    if (shows !== undefined) return !showsIt(page, member);

    const seen = signatureOf(member, origin);
    const isAlike = isSame(seen, signatureOf(stranger, origin));
    if (isFine(seen.status)) return false;
    if (seen.status >= 500 || isRefusal(seen.status)) return true;
    if (!isRedirect(seen.status)) return isAlike;
    return (method === 'GET' && seen.path !== null) || this.leadsToRefusal(seen);
  }

  /**
   * Returns whether an answer to the request for a guarded page shows the page or performs its
   * action.
   */
  isOpen(page: GuardedPage, answer: Answer, origin: string): boolean {
    if (page.shows !== undefined) return showsIt(page, answer);
    const learned = this.#pages.get(page);
    if (learned === undefined) return isFine(answer.status);

    const seen = signatureOf(answer, origin);
    if (isSame(seen, learned.member)) return true;
    if (isSame(seen, learned.stranger)) return false;
    if (isFine(seen.status)) return true;
    // The page to which a form redirects may differ each time: `/orders/17`.
    return [seen, learned.member].every(({ status }) => isRedirect(status)) && this.#goesOn(seen);
  }

  /** Returns whether an answer refuses a guarded page. A missing record is no refusal. */
  isRefused(page: GuardedPage, answer: Answer, origin: string): boolean {
    if (this.isOpen(page, answer, origin)) return false;
    const { status } = answer;
    if (status < 400 || status >= 500 || isRefusal(status) || page.shows !== undefined) return true;
    const learned = this.#pages.get(page);
    return learned === undefined || isSame(signatureOf(answer, origin), learned.stranger);
  }

  /** Returns whether a redirect leads where users without access are sent. */
  leadsToRefusal({ path }: Signature): boolean {
    return path !== null && this.#paths.has(path);
  }

  /** Returns whether a redirect stays on the site and leads to no page of the login. */
  isForward(answer: Answer, origin: string): boolean {
    return isRedirect(answer.status) && this.#goesOn(signatureOf(answer, origin));
  }

  #goesOn(seen: Signature): boolean {
    return seen.path !== null && !this.leadsToRefusal(seen);
  }
}

function showsIt({ shows }: GuardedPage, { status, body }: Answer): boolean {
  return isFine(status) && (shows === undefined || body.includes(shows));
}

/** Returns the described pages on the way into the app. A refusal may redirect to any of them. */
function pathsOfLogin({ login, code, stepUp }: AppDescription): readonly string[] {
  const requests = [login, code, stepUp, stepUp?.code];
  const paths = requests.flatMap((request) => [request?.path, request?.page]);
  return paths.flatMap((path) => (typeof path === 'string' ? (path.split('?')[0] ?? path) : []));
}

/** What one login showed before all checks. */
export interface LearnedLogin {
  readonly refusals: Refusals;
  /** Pages that stay closed after the right code. The checks leave them out. */
  readonly leftOut: readonly string[];
}
