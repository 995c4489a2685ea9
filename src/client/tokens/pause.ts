/** A wait that can be ended early; several may run at once. */
export class Pause {
  readonly #waiting = new Map<NodeJS.Timeout, () => void>();

  wait(ms: number): Promise<void> {
    if (ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake(timer), ms);
      this.#waiting.set(timer, resolve);
    });
  }

  /** Ends every wait now. */
  end(): void {
    for (const timer of this.#waiting.keys()) this.#wake(timer);
  }

  #wake(timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.#waiting.get(timer)?.();
    this.#waiting.delete(timer);
  }
}
