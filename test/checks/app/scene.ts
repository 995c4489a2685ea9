import { type Answer, showPath } from './answer';
import type {
  AppDescription,
  AppRequest,
  AppSimulator,
  AppUser,
  GuardedPage,
  RunningApp,
} from './description';
import { AppCheckError, NotApplicable } from './failure';
import type { HoleName } from './holes';
import type { LearnedLogin } from './refusals';
import { Refusals } from './refusals';
import { Transport } from './transport';

/**
 * Hands out the users. Who has begun a login and not finished it has to wait for the next text, so
 * they come last: that matters where the app goes on between checks.
 */
export class UserDesk {
  readonly #waiting = new Set<string>();
  #next = 0;

  constructor(private readonly users: readonly AppUser[]) {}

  /** @param known Those who are in the scene already. */
  take(known: readonly AppUser[]): AppUser {
    const { users } = this;
    const turn = [...users.slice(this.#next), ...users.slice(0, this.#next)];
    const isNew = (user: AppUser): boolean => known.every(({ name }) => name !== user.name);
    const user =
      turn.find((each) => isNew(each) && !this.#waiting.has(each.name)) ??
      turn.find(isNew) ??
      turn[0];
    if (user === undefined) throw new TypeError('users must have two users at least');
    this.#next = (users.indexOf(user) + 1) % users.length;
    return user;
  }

  noteBegun({ name }: AppUser): void {
    this.#waiting.add(name);
  }

  noteFinished({ name }: AppUser): void {
    this.#waiting.delete(name);
  }
}

/** What a check works with: the app that runs, its browsers, and what has happened so far. */
export class Scene {
  readonly transport: Transport;
  /** What the checks ask for: all that is described, but for pages that stay closed. */
  readonly guarded: readonly GuardedPage[];
  readonly refusals: Refusals;
  /** The pages that stay closed after the right code. */
  readonly leftOut: readonly string[];
  /** One line for each request. */
  readonly done: string[] = [];
  /** Every answer, in their order. */
  readonly answers: Answer[] = [];
  /** Whether a form of this app has hidden fields. */
  hasHiddenFields = false;
  readonly #known: AppUser[] = [];
  #browsers = 0;

  /** @param learned What one login has shown before; null in that login. */
  constructor(
    readonly app: AppDescription,
    { baseUrl }: RunningApp,
    readonly desk: UserDesk,
    learned: LearnedLogin | null,
  ) {
    this.transport = new Transport(baseUrl);
    this.refusals = learned?.refusals ?? new Refusals(app, []);
    this.leftOut = learned?.leftOut ?? [];
    this.guarded = learned?.refusals.known.map(({ page }) => page) ?? app.guarded.map(toPage);
  }

  get simulator(): AppSimulator {
    const { simulator } = this.app;
    return typeof simulator === 'function' ? simulator() : simulator;
  }

  get origin(): string {
    return this.transport.origin;
  }

  /** A user who has not been in this scene, where there are enough. */
  user(): AppUser {
    const user = this.desk.take(this.#known);
    this.#known.push(user);
    return user;
  }

  /** Returns what a report calls a user, without the name. */
  labelOf({ name }: AppUser): string {
    const place = this.#known.findIndex((user) => user.name === name);
    return place < 0 ? 'another user' : `user ${place + 1}`;
  }

  /** Returns the name of another browser, for the report. */
  nameBrowser(): string {
    this.#browsers += 1;
    return `browser ${this.#browsers}`;
  }

  /** Returns the texts to a number from now on. */
  watchTexts(phone: string): () => readonly { readonly pin: string }[] {
    const last = this.simulator.outbox.at(-1);
    return () => {
      const { outbox } = this.simulator;
      // Where the outbox has dropped it, all that it holds came later.
      const from = last === undefined ? 0 : outbox.lastIndexOf(last) + 1;
      return outbox.slice(from).filter(({ mobile }) => mobile === phone);
    };
  }

  /** Returns the path of a request for a user. Default: the first one. */
  pathOf({ path }: Pick<AppRequest, 'path'>, user: AppUser | null = null): string {
    if (typeof path === 'string') return path;
    const [first] = this.app.users;
    const known = user ?? first;
    return known === undefined ? '/' : path(known);
  }

  /** Returns what a report calls a guarded page. */
  nameOf(page: GuardedPage): string {
    const { method = 'GET' } = page;
    const path = this.show(this.pathOf(page));
    return method === 'GET' ? path : `${method} ${path}`;
  }

  /** Returns a path for the report: without its query, a user, and what may be a token. */
  show(path: string): string {
    const { users } = this.app;
    const isOfUser = (part: string): boolean =>
      users.some(({ name, phone }) => [name, phone].includes(decode(part)));
    const shown = showPath(path).split('/');
    return shown.map((part) => (isOfUser(part) ? '{user}' : part)).join('/');
  }

  /**
   * Ends the check: a hole was found.
   * @param pages The guarded pages that are open.
   */
  fail(hole: HoleName, finding: string, pages: readonly GuardedPage[] = []): never {
    const names = pages.map((page) => this.nameOf(page));
    throw new AppCheckError({ hole, finding: showPaths(finding), done: this.done, pages: names });
  }

  /** Ends the check: what it needs did not come about. */
  giveUp(reason: string): never {
    throw new AppCheckError({ hole: null, finding: showPaths(reason), done: this.done });
  }

  /** Ends the check: this app gives it nothing to check. */
  skip(reason: string): never {
    throw new NotApplicable(reason);
  }

  close(): void {
    this.transport.close();
    this.simulator.clearFaults();
  }
}

export function toPage(page: string | GuardedPage): GuardedPage {
  return typeof page === 'string' ? { path: page } : page;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // An odd spelling of a path, such as `%`.
  }
}

function showPaths(sentence: string): string {
  return sentence.replaceAll(/(?<!\S)\/\S*/g, showPath);
}
