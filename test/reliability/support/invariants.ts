import { OTHER_BROWSERS } from '../../../src/limits/buckets';
import { limitTable } from '../../support/limit-table';
import type { TestUser } from '../../support/test-users';
import type { Pass } from './app';
import type { StateView, Viewer } from './state-view';
import type { Witness } from './witness';

const MOST_JUDGEMENTS = 5;
const EMPTY: StateView = { counters: new Map(), texts: new Set(), immortal: [] };

/** What a check is told. */
export interface Since {
  /** All that were let in so far. */
  readonly passes: readonly Pass[];
  /** True when the store has lost its data since the last check. */
  readonly isLost?: boolean;
}

/**
 * What must hold whatever fails, checked against the gateway's own record and what rests in the
 * store.
 */
export class Invariants {
  readonly #witness: Witness;
  readonly #viewer: Viewer;
  readonly #phones: ReadonlyMap<string, string | null>;
  #before = EMPTY;
  #passesBefore = 0;
  readonly #validatedBefore = new Set<string>();
  /** Generate calls that were charged to a store that lost its data since. */
  #generatesBefore = 0;

  constructor(
    witness: Witness,
    viewer: Viewer,
    { users }: { readonly users: readonly TestUser[] },
  ) {
    this.#witness = witness;
    this.#viewer = viewer;
    this.#phones = new Map(users.map(({ id, phone }) => [id, phone]));
  }

  /** What does not hold, in words; nothing when all is well. */
  async findBreaches({ passes, isLost = false }: Since): Promise<string[]> {
    const view = await this.#viewer.look();
    this.#witness.readOutbox();
    const newPasses = passes.slice(this.#passesBefore).map(({ userId }) => userId);
    const mayFall = this.#keysClearedBy([...newPasses, ...this.#consumed()], this.#before);
    if (isLost) this.#generatesBefore = this.#witness.generates - countCharged(view);
    const breaches = [
      ...this.#judgements(),
      ...this.#entries(passes),
      ...this.#sends(view),
      ...(isLost ? this.#leftovers(view) : this.#falls(view, mayFall)),
      ...view.immortal.map((key) => `${key} stays for ever`),
    ];
    this.#before = view;
    this.#passesBefore = passes.length;
    for (const otpId of this.#witness.validated) this.#validatedBefore.add(otpId);
    return breaches;
  }

  /** Users whose right code was consumed, whether they came in or the store failed after it. */
  #consumed(): string[] {
    const consumed = [...this.#witness.validated].filter((id) => !this.#validatedBefore.has(id));
    const mobiles = new Set(consumed.map((otpId) => this.#witness.mobiles.get(otpId)));
    return [...this.#phones]
      .filter(([, phone]) => mobiles.has(phone ?? ''))
      .map(([userId]) => userId);
  }

  #judgements(): string[] {
    const tooMany = Array.from(this.#witness.judged).filter(([, count]) => count > MOST_JUDGEMENTS);
    return tooMany.map(([id, count]) => `${id} was put to the gateway ${count} times`);
  }

  #entries(passes: readonly Pass[]): string[] {
    const seen = new Set<string>();
    return passes.flatMap((pass) => {
      const { otpId, userId } = pass;
      const isTwice = seen.has(otpId);
      seen.add(otpId);
      if (this.#witness.proves(pass, this.#phones.get(userId)) && !isTwice) return [];
      return [`${userId} came in with ${otpId} ${isTwice ? 'a second time' : 'without proof'}`];
    });
  }

  #sends(view: StateView): string[] {
    const charged = countCharged(view);
    const sent = this.#witness.generates - this.#generatesBefore;
    return sent <= charged ? [] : [`${sent} codes were made, ${charged} sends were charged`];
  }

  #falls({ counters }: StateView, mayFall: ReadonlySet<string>): string[] {
    return (
      Array.from(this.#before.counters)
        // A success clears the logins that its user has begun without a text. Their keys name nobody.
        .filter(
          ([key]) => !mayFall.has(key) && !(mayFall.size > 0 && key.startsWith('without-text:')),
        )
        .filter(([key, count]) => (counters.get(key) ?? 0) < count)
        .map(([key, count]) => `${key} fell from ${count} to ${counters.get(key) ?? 0}`)
    );
  }

  /** A store that lost its counters must have lost every live text with them. */
  #leftovers({ texts }: StateView): string[] {
    return Array.from(this.#before.texts)
      .filter((otpId) => texts.has(otpId))
      .map((otpId) => `${otpId} lives on without its counters`);
  }

  /** Which of the user's browsers a pass was in, only the app knows. */
  #keysClearedBy(users: readonly string[], { counters }: StateView): ReadonlySet<string> {
    const known = Array.from(
      counters.keys(),
      (key) => /^sends:gap:([^:]+):/.exec(key)?.[1] ?? OTHER_BROWSERS,
    );
    const buckets = Array.from(new Set([OTHER_BROWSERS, ...known]));
    const limits = limitTable();
    return new Set(
      users.flatMap((user) =>
        buckets.flatMap((bucket) => limits.keysClearedBySuccess({ user, bucket })),
      ),
    );
  }
}

/** The texts of all users' days. In an outage, lost ones leave the sends in all, but never these. */
function countCharged({ counters }: StateView): number {
  return Array.from(counters)
    .filter(([key]) => key.startsWith('sends:all:'))
    .reduce((sum, [, count]) => sum + count, 0);
}
