import type { AppDescription } from './description';
import { NotApplicable } from './failure';
import type { HoleName } from './holes';
import { Scene, type UserDesk } from './scene';

/** What became of a check that did not fail. */
export type AppCheckResult =
  | { readonly outcome: 'passed' }
  /** Nothing was checked: that is no pass. */
  | { readonly outcome: 'not-applicable'; readonly reason: string };

/** One check of an app. */
export interface AppCheck {
  /** In the present tense; one that is not applicable says so at its end. */
  readonly title: string;
  /** The holes that it finds. */
  readonly holes: readonly HoleName[];
  /** Why the check cannot be run on this app; null when it can. */
  readonly notApplicable: string | null;
  /**
   * Attacks the app.
   * @throws {AppCheckError} when the check fails, or is inconclusive.
   */
  readonly run: () => Promise<AppCheckResult>;
}

/** Members of a description that it may lack. */
type Part = {
  [Name in keyof AppDescription]-?: undefined extends AppDescription[Name] ? Name : never;
}[keyof AppDescription];

/** A check before it knows an app. */
export interface CheckOutline {
  readonly title: string;
  readonly holes: readonly HoleName[];
  /** What must be described. */
  readonly needs: readonly Part[];
  /** The app answers with a token in place of a session. */
  readonly isOfSessions?: boolean;
  readonly attack: (scene: Scene) => Promise<void>;
}

/** Outlines a check that can be run on every app that is described so far. */
export function check(
  title: string,
  holes: readonly HoleName[],
  attack: CheckOutline['attack'],
  { needs = [], isOfSessions = false }: Partial<Pick<CheckOutline, 'needs' | 'isOfSessions'>> = {},
): CheckOutline {
  return { title, holes, needs, isOfSessions, attack };
}

/** Makes the check of one app. */
export function toCheck(
  { title, holes, needs, isOfSessions, attack }: CheckOutline,
  app: AppDescription,
  desk: UserDesk,
): AppCheck {
  const notApplicable = findReason(app, needs, isOfSessions === true);
  return {
    title: notApplicable === null ? title : `${title} (not applicable: ${notApplicable})`,
    holes,
    notApplicable,
    run: async () =>
      notApplicable === null
        ? run(app, desk, attack)
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
  attack: CheckOutline['attack'],
): Promise<AppCheckResult> {
  const running = await app.start();
  try {
    const scene = new Scene(app, running, desk);
    try {
      await attack(scene);
      return { outcome: 'passed' };
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
