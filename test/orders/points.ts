import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * How a call goes wrong. `fail`: it is not done; `lost`: it is done, and the caller gets an error
 * all the same; `crash`: it is done, and its request never goes on.
 */
export const MISHAPS = ['fail', 'lost', 'crash'] as const;
export type Mishap = (typeof MISHAPS)[number];

/**
 * Something that a call reads or writes. Two calls that share nothing, or only read it, may change
 * places.
 */
export interface Touch {
  readonly key: string;
  readonly writes: boolean;
}

/** What is known of a call outside of the library. */
export interface Asked {
  readonly request: string;
  /** Who makes the request: one after the other, where it is not the only one. */
  readonly actor: string;
  /** The request and the call, such as `resend:session.get`; unique among the calls that wait. */
  readonly label: string;
  readonly touches: readonly Touch[];
}

/** A call that has arrived and waits for its turn. */
export interface Point extends Asked {
  /** Does the call as one step, or lets it go wrong. */
  proceed(mishap: Mishap | undefined): void;
}

/** A call that may have to wait for its turn. */
export interface Call<Result> {
  readonly name: string;
  readonly touches: readonly Touch[];
  readonly work: () => Result | Promise<Result>;
  /** Returns the error that the caller gets. */
  readonly toError: (mishap: 'fail' | 'lost') => Error;
}

export const reads = (key: string): Touch => ({ key, writes: false });
export const writes = (key: string): Touch => ({ key, writes: true });

/** Returns whether two calls have the same effect in either order. */
export function areIndependent(one: Pick<Asked, 'actor' | 'touches'>, other: typeof one): boolean {
  if (one.actor === other.actor) return false;
  return one.touches.every((touch) =>
    other.touches.every(
      ({ key, writes: isWrite }) => touch.key !== key || !(touch.writes || isWrite),
    ),
  );
}

/**
 * The scheduling points. While it is on, each call of a request waits until the explorer lets it go
 * on; which request a call belongs to is known from the asynchronous context.
 */
export class Points {
  private readonly context = new AsyncLocalStorage<Pick<Asked, 'request' | 'actor'>>();
  private readonly numbers = new Map<string, number>();
  /** Told when a request never goes on. */
  private readonly droppers = new Map<string, () => void>();
  private waiting: Point[] = [];
  private isOn = false;
  private underWay = 0;

  /** Forgets the calls of the order before: those that wait there never go on. */
  reset(): void {
    this.waiting = [];
    this.numbers.clear();
    this.droppers.clear();
    this.isOn = false;
  }

  /** Returns a function that lets ids go on from here: `reset` forgets which there were. */
  keepNumbers(): () => void {
    const kept = [...this.numbers];
    return () => kept.forEach(([name, number]) => this.numbers.set(name, number));
  }

  start(): void {
    this.isOn = true;
  }

  stop(): void {
    this.isOn = false;
  }

  /**
   * Runs something as a part of this request. Resolves to what it resolves to, or to null where the
   * request was dropped.
   */
  run<Result>(
    request: string,
    work: () => Promise<Result>,
    actor = request,
  ): Promise<Result | null> {
    const dropped = new Promise<null>((resolve) => this.droppers.set(request, () => resolve(null)));
    return Promise.race([this.context.run({ request, actor }, work), dropped]);
  }

  /** The request whose code runs now. */
  get request(): string {
    return this.context.getStore()?.request ?? 'before';
  }

  /**
   * Returns an id that is the same in every run in which this request has come as far:
   * `otp:<request>.1.` is the first.
   */
  nextId(kind: string): string {
    const name = `${kind}:${this.request}`;
    const number = (this.numbers.get(name) ?? 0) + 1;
    this.numbers.set(name, number);
    return `${name}.${number}.`;
  }

  /** Does a call when its turn comes. */
  call<Result>({ name, touches, work, toError }: Call<Result>): Promise<Result> {
    const context = this.context.getStore();
    if (!this.isOn || context === undefined) return Promise.resolve().then(work);
    const { request } = context;
    return new Promise((resolve, reject) => {
      const proceed = (mishap: Mishap | undefined): void => {
        if (mishap === 'fail') return reject(toError(mishap));
        const done = Promise.resolve().then(work);
        this.underWay += 1;
        const end = (): void => void (this.underWay -= 1);
        done.then(end, end);
        if (mishap === undefined) done.then(resolve, reject);
        else if (mishap === 'lost') done.then(() => reject(toError(mishap)), reject);
        else done.catch(() => undefined);
      };
      const label = this.toLabel(`${request}:${name}`);
      this.waiting.push({ ...context, label, touches, proceed });
    });
  }

  /** Whether a call is being done: a store on a network takes its time. */
  get isBusy(): boolean {
    return this.underWay > 0;
  }

  /** The calls that wait, oldest first. */
  list(): readonly Point[] {
    return this.waiting;
  }

  /** Takes a call out of the list. */
  take(point: Point): void {
    this.waiting = this.waiting.filter((other) => other !== point);
  }

  /** Takes all calls of a request out of the list: it never goes on. */
  drop(request: string): void {
    this.waiting = this.waiting.filter((point) => point.request !== request);
    this.droppers.get(request)?.();
  }

  private toLabel(label: string): string {
    const same = this.waiting.filter((point) => point.label.split('#')[0] === label).length;
    return same === 0 ? label : `${label}#${same + 1}`;
  }
}
