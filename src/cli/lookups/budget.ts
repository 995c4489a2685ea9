/** Money that may be spent, in millionths: held before a lookup, settled after it. */
export class Budget {
  readonly #limit: number;
  #spent = 0;
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get spent(): number {
    return this.#spent;
  }

  /** Holds an amount; false when it would go beyond the budget. */
  hold(micros: number): boolean {
    if (this.#spent + this.#held + micros > this.#limit) return false;
    this.#held += micros;
    return true;
  }

  /** What was held has cost so much in the end. */
  settle(held: number, cost: number): void {
    this.#held -= held;
    this.#spent += cost;
  }
}
