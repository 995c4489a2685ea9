/** The most answers that a process keeps. */
const MOST_ANSWERS = 10_000;

/** A question to the store that has not been answered yet. */
interface OpenQuestion {
  readonly answer: Promise<boolean>;
  /** Whether the login has ended meanwhile: then the answer is not kept. */
  isOutdated: boolean;
}

/** The logins that this process has found active, and when. */
export class CheckedLogins {
  /** Ordered by time, the oldest first. */
  readonly #checkedAt = new Map<string, number>();
  readonly #questions = new Map<string, OpenQuestion>();

  /**
   * Keeps answers for a while.
   * @param everyMs How long an answer is relied on. 0: no answer is kept.
   */
  constructor(private readonly everyMs: number) {}

  /**
   * Returns whether a login was found active recently enough. Allocates nothing: guards call it on
   * every request.
   */
  isChecked(loginId: string, atMs: number): boolean {
    const seenMs = this.#checkedAt.get(loginId);
    return seenMs !== undefined && atMs >= seenMs && atMs - seenMs < this.everyMs;
  }

  /**
   * Asks the store. Requests that come meanwhile share its answer, unless no answers are kept.
   * @param ask Calls its argument to learn whether the login has ended meanwhile.
   */
  askOnce(
    loginId: string,
    ask: (isOutdated?: () => boolean) => Promise<boolean>,
  ): Promise<boolean> {
    if (this.everyMs === 0) return ask();
    const open = this.#questions.get(loginId);
    if (open !== undefined) return open.answer;

    const answer = ask(() => question.isOutdated);
    const question: OpenQuestion = { answer, isOutdated: false };
    this.#questions.set(loginId, question);
    const done = (): void => {
      if (this.#questions.get(loginId) === question) this.#questions.delete(loginId);
    };
    answer.then(done, done);
    return answer;
  }

  /** Notes that a login was found active. */
  keep(loginId: string, atMs: number): void {
    if (this.everyMs === 0) return;
    this.#checkedAt.delete(loginId);
    const [oldest] = this.#checkedAt.keys();
    if (this.#checkedAt.size >= MOST_ANSWERS && oldest !== undefined)
      this.#checkedAt.delete(oldest);
    this.#checkedAt.set(loginId, atMs);
  }

  forget(loginId: string): void {
    this.#checkedAt.delete(loginId);
    const open = this.#questions.get(loginId);
    if (open === undefined) return;
    open.isOutdated = true;
    this.#questions.delete(loginId);
  }

  /** Forgets all answers, when it is not known which logins have ended. */
  forgetAll(): void {
    for (const loginId of [...this.#checkedAt.keys(), ...this.#questions.keys()])
      this.forget(loginId);
  }
}
