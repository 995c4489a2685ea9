import type { AppDescription } from './description';
import { NotApplicable } from './failure';
import type { HoleName } from './holes';
import { Scene, type UserDesk } from './scene';

/** What became of a fact that did not fail. */
export type FactResult =
  | { readonly outcome: 'holds' }
  /** Nothing was judged: that is no pass. */
  | { readonly outcome: 'not-applicable'; readonly reason: string };

/** One fact about an app. */
export interface AppFact {
  /** In the present tense; one that is not applicable says so at its end. */
  readonly title: string;
  /** The holes that it finds. */
  readonly holes: readonly HoleName[];
  /** Why the fact cannot be asked of this app; null when it can. */
  readonly notApplicable: string | null;
  /**
   * Attacks the app.
   * @throws {AppFactError} when the fact does not hold, or could not be judged.
   */
  readonly run: () => Promise<FactResult>;
}

/** Members of a description that it may lack. */
type Part = {
  [Name in keyof AppDescription]-?: undefined extends AppDescription[Name] ? Name : never;
}[keyof AppDescription];

/** A fact before it knows an app. */
export interface FactOutline {
  readonly title: string;
  readonly holes: readonly HoleName[];
  /** What must be described. */
  readonly needs: readonly Part[];
  /** The app answers with a token in place of a session. */
  readonly isOfSessions?: boolean;
  readonly check: (scene: Scene) => Promise<void>;
}

/** Outlines a fact that can be asked of every app that is described so far. */
export function fact(
  title: string,
  holes: readonly HoleName[],
  check: FactOutline['check'],
  { needs = [], isOfSessions = false }: Partial<Pick<FactOutline, 'needs' | 'isOfSessions'>> = {},
): FactOutline {
  return { title, holes, needs, isOfSessions, check };
}

/** Makes the fact about one app. */
export function toFact(
  { title, holes, needs, isOfSessions, check }: FactOutline,
  app: AppDescription,
  desk: UserDesk,
): AppFact {
  const notApplicable = findReason(app, needs, isOfSessions === true);
  return {
    title: notApplicable === null ? title : `${title} (not applicable: ${notApplicable})`,
    holes,
    notApplicable,
    run: async () =>
      notApplicable === null
        ? run(app, desk, check)
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

async function run(
  app: AppDescription,
  desk: UserDesk,
  check: FactOutline['check'],
): Promise<FactResult> {
  const running = await app.start();
  try {
    const scene = new Scene(app, running, desk);
    try {
      await check(scene);
      return { outcome: 'holds' };
    } finally {
      scene.close();
    }
  } catch (error) {
    if (!(error instanceof NotApplicable)) throw error;
    return { outcome: 'not-applicable', reason: error.message };
  } finally {
    await running.close();
  }
}
