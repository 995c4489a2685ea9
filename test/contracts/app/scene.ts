import type { Answer } from './answer';
import type { AppDescription, AppSimulator, AppUser, GuardedPage, RunningApp } from './description';
import { AppFactError, NotApplicable } from './failure';
import type { HoleName } from './holes';
import { Transport } from './transport';

/** Hands out the users in turn, so that one fact's limits are not the next one's. */
export function turnOf(users: readonly AppUser[]): () => AppUser {
  let next = 0;
  return () => {
    const user = users[next % users.length];
    next += 1;
    if (user === undefined) throw new TypeError('users must have two users at least');
    return user;
  };
}

/** What a fact is checked with: the app that runs, its browsers, and what has happened so far. */
export class Scene {
  readonly transport: Transport;
  readonly guarded: readonly GuardedPage[];
  /** One line for each request. */
  readonly done: string[] = [];
  /** Every answer, in their order. */
  readonly answers: Answer[] = [];
  /** Whether a form of this app has hidden fields. */
  hasHiddenFields = false;
  readonly #known: AppUser[] = [];
  #browsers = 0;

  constructor(
    readonly app: AppDescription,
    { baseUrl }: RunningApp,
    private readonly nextUser: () => AppUser,
  ) {
    this.transport = new Transport(baseUrl);
    this.guarded = app.guarded.map((page) => (typeof page === 'string' ? { path: page } : page));
  }

  get simulator(): AppSimulator {
    const { simulator } = this.app;
    return typeof simulator === 'function' ? simulator() : simulator;
  }

  get origin(): string {
    return this.transport.origin;
  }

  /** A user who has not been in this scene. */
  user(): AppUser {
    const user = this.nextUser();
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

  /** Ends the fact: a hole was found. */
  fail(hole: HoleName, finding: string): never {
    throw new AppFactError({ hole, finding, done: this.done });
  }

  /** Ends the fact: what it needs did not come about. */
  giveUp(reason: string): never {
    throw new AppFactError({ hole: null, finding: reason, done: this.done });
  }

  /** Ends the fact: this app gives it nothing to judge. */
  skip(reason: string): never {
    throw new NotApplicable(reason);
  }

  close(): void {
    this.transport.close();
    this.simulator.clearFaults();
  }
}
