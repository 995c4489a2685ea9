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
 * Hands out the users. A user who has begun a login and not finished it must wait for the next
 * message. If the app keeps running between checks, such users come last.
 */
export class UserDesk {
  readonly #waiting = new Set<string>();
  #next = 0;

  constructor(private readonly users: readonly AppUser[]) {}

  /** @param known The users that the scene has already. */
  take(known: readonly AppUser[]): AppUser {
    const { users } = this;
    const turn = [...users.slice(this.#next), ...users.slice(0, this.#next)];
    const isNew = (user: AppUser): boolean => known.every(({ name }) => name !== user.name);
    const user =
      turn.find((each) => isNew(each) && !this.#waiting.has(each.name)) ??
      turn.find(isNew) ??
      turn[0];
    if (user === undefined) throw new TypeError('users must have at least two users');
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

/** The state of a check: the running app, its browsers, and what has happened so far. */
export class Scene {
  readonly transport: Transport;
  /** The pages that the checks request: all described ones, except those that stay closed. */
  readonly guarded: readonly GuardedPage[];
  readonly refusals: Refusals;
  /** The pages that stay closed after the right code. */
  readonly leftOut: readonly string[];
  /** The steps so far, one line for each request. */
  readonly done: string[] = [];
  /** Every answer, in order. */
  readonly answers: Answer[] = [];
  /** Whether a form of this app has hidden fields. */
  hasHiddenFields = false;
  readonly #known: AppUser[] = [];
  #browsers = 0;

  /** @param learned What one login showed before. Null in that login. */
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

  /** Returns a user who is not in this scene yet, if there are enough. */
  user(): AppUser {
    const user = this.desk.take(this.#known);
    this.#known.push(user);
    return user;
  }

  /** Returns the name of a user for the report, without the real name. */
  labelOf({ name }: AppUser): string {
    const place = this.#known.findIndex((user) => user.name === name);
    return place < 0 ? 'another user' : `user ${place + 1}`;
  }

  /** Returns the name of another browser, for the report. */
  nameBrowser(): string {
    this.#browsers += 1;
    return `browser ${this.#browsers}`;
  }

  /** Watches the messages to a number. The returned function returns those since then. */
  watchTexts(phone: string): () => readonly { readonly pin: string }[] {
    const last = this.simulator.outbox.at(-1);
    return () => {
      const { outbox } = this.simulator;
      // If the outbox has dropped the last message, all messages in it came later.
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

  /** Returns the name of a guarded page for the report. */
  nameOf(page: GuardedPage): string {
    const { method = 'GET' } = page;
    const path = this.show(this.pathOf(page));
    return method === 'GET' ? path : `${method} ${path}`;
  }

  /** Returns a path for the report, without its query, a user and anything that may be a token. */
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

  /** Ends the check: a condition for it was not met. */
  giveUp(reason: string): never {
    throw new AppCheckError({ hole: null, finding: showPaths(reason), done: this.done });
  }

  /** Ends the check: it does not apply to this app. */
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
    return part; // Invalid percent-encoding in a path, such as `%`.
  }
}

function showPaths(sentence: string): string {
  return sentence.replaceAll(/(?<!\S)\/\S*/g, showPath);
}
