import type { AppDescription } from './description';
import { AppCheckError, NotApplicable } from './failure';
import type { HoleName } from './holes';
import { failureOf, learn } from './learn';
import type { LearnedLogin } from './refusals';
import { Scene, type UserDesk } from './scene';

/** The result of a check that did not fail. */
export type AppCheckResult =
  | { readonly outcome: 'passed' }
  /** The check had nothing to check, so it has not passed. */
  | { readonly outcome: 'not-applicable'; readonly reason: string };

export interface AppCheck {
  /** In the present tense. A check that is not applicable says so at the end. */
  readonly title: string;
  /** The holes that this check can find. */
  readonly holes: readonly HoleName[];
  /** Why the check does not apply to this app. Null if it does. */
  readonly notApplicable: string | null;
  /**
   * Attacks the app.
   * @throws {AppCheckError} if the check fails or is inconclusive.
   */
  readonly run: () => Promise<AppCheckResult>;
}

/** Optional fields of a description. */
type Part = {
  [Name in keyof AppDescription]-?: undefined extends AppDescription[Name] ? Name : never;
}[keyof AppDescription];

/** A check that is not bound to an app yet. */
export interface CheckOutline {
  readonly title: string;
  readonly holes: readonly HoleName[];
  /** The fields of the description that the check needs. */
  readonly needs: readonly Part[];
  /** True if the check needs a session, and so does not apply to apps with tokens. */
  readonly isOfSessions?: boolean;
  readonly attack: (scene: Scene) => Promise<void>;
}

/** Outlines a check that applies to every described app. */
export function check(
  title: string,
  holes: readonly HoleName[],
  attack: CheckOutline['attack'],
  { needs = [], isOfSessions = false }: Partial<Pick<CheckOutline, 'needs' | 'isOfSessions'>> = {},
): CheckOutline {
  return { title, holes, needs, isOfSessions, attack };
}

/** The state that all checks of one app share. */
export class SharedCase {
  #learned: Promise<LearnedLogin> | null = null;

  constructor(
    readonly app: AppDescription,
    readonly desk: UserDesk,
  ) {}

  /**
   * Logs in once, before the first check.
   * @throws {AppCheckError} the same error each time, without trying again.
   */
  learn(): Promise<LearnedLogin> {
    this.#learned ??= this.use(null, learn).catch((error: unknown) => {
      // Do not remember other errors: the app may answer in the next check.
      if (!(error instanceof AppCheckError)) this.#learned = null;
      throw error;
    });
    return this.#learned;
  }

  /** Starts the app, uses it, and ends it. */
  async use<Result>(
    learned: LearnedLogin | null,
    act: (scene: Scene) => Promise<Result>,
  ): Promise<Result> {
    const running = await this.app.start();
    try {
      const scene = new Scene(this.app, running, this.desk, learned);
      try {
        return await act(scene);
      } finally {
        scene.close();
      }
    } finally {
      await running.close();
    }
  }
}

/** Binds a check to an app. */
export function toCheck(outline: CheckOutline, shared: SharedCase): AppCheck {
  const { title, holes, needs, isOfSessions } = outline;
  const notApplicable = findReason(shared.app, needs, isOfSessions === true);
  return {
    title: notApplicable === null ? title : `${title} (not applicable: ${notApplicable})`,
    holes,
    notApplicable,
    run: async () =>
      notApplicable === null
        ? run(outline, shared)
        : { outcome: 'not-applicable', reason: notApplicable },
  };
}

function findReason(
  app: AppDescription,
  needs: readonly Part[],
  isOfSessions: boolean,
): string | null {
  const missing = needs.filter((name) => app[name] === undefined);
  if (missing.length > 0) return `the description has no ${missing.join(', no ')}`;
  return isOfSessions && app.token !== undefined ? 'the app keeps no session after the code' : null;
}

async function run({ holes, attack }: CheckOutline, shared: SharedCase): Promise<AppCheckResult> {
  try {
    const learned = await shared.learn().catch((error: unknown) => {
      throw error instanceof AppCheckError ? failureOf(error, holes) : error;
    });
    await shared.use(learned, attack);
    return { outcome: 'passed' };
  } catch (error) {
    if (!(error instanceof NotApplicable)) throw error;
    return { outcome: 'not-applicable', reason: error.message };
  }
}
