/** Holds a call of a callback until the test lets it go: a slow request without a clock. */
export interface Gate {
  /** Awaited inside the callback. Goes through at once unless a hold waits for it. */
  pass(): Promise<void>;
  /** The next call stops. `arrived` resolves when it has; `release` lets it go on. */
  holdNext(): Hold;
}

export interface Hold {
  arrived: Promise<void>;
  release(): void;
}

export function createGate(): Gate {
  const waiting: { arrive: () => void; released: Promise<void> }[] = [];
  return {
    async pass() {
      const held = waiting.shift();
      held?.arrive();
      await held?.released;
    },
    holdNext() {
      const arrived = createSignal();
      const released = createSignal();
      waiting.push({ arrive: arrived.give, released: released.given });
      return { arrived: arrived.given, release: released.give };
    },
  };
}

function createSignal(): { given: Promise<void>; give: () => void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}
