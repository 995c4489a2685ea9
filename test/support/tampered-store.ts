import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import type { TestClock } from './clock';

/** The store calls of the login, by the names that errors and events use. */
export const STORE_CALLS = [
  'begin',
  'claim',
  'find',
  'consume',
  'discard',
  'discardAll',
  'charge',
  'clear',
  'lock',
] as const;
export type StoreCall = (typeof STORE_CALLS)[number];

/** What a store call does in place of its work. */
export type Mischief = () => unknown;

export const throwing = (): Promise<never> =>
  Promise.reject(new Error('canary: the store says something secret'));
export const hanging: Mischief = () => new Promise(() => undefined);
export const answering =
  (answer: unknown): Mischief =>
  () =>
    Promise.resolve(answer);

/** A memory store whose calls are recorded, and go wrong on demand. */
export interface TamperedStore {
  readonly store: SmsOtpStore;
  /** Each call that arrived, with what it was given and what it will have answered. */
  readonly calls: {
    readonly call: StoreCall;
    readonly given: readonly unknown[];
    readonly answer: unknown;
  }[];
  /** Lets a call go wrong until `heal`. */
  tamper(call: StoreCall, mischief: Mischief): void;
  heal(): void;
  /** Loses everything, as a restart does. */
  lose(): void;
}

export function tamperedStore(clock: TestClock): TamperedStore {
  const fresh = (): SmsOtpStore => memoryStore({ now: () => clock.now() });
  const calls: TamperedStore['calls'] = [];
  const mischiefs = new Map<StoreCall, Mischief>();
  let current = fresh();

  function wrap<Part extends object>(part: () => Part): Part {
    const get = (_target: object, name: string): unknown => {
      return (...given: unknown[]): unknown => {
        // Only the names of the contract are ever asked for.
        const call = name as StoreCall;
        const method = Reflect.get(part(), name) as (...args: unknown[]) => unknown;
        const answer = mischiefs.get(call)?.call(undefined) ?? method(...given);
        calls.push({ call, given, answer });
        return answer;
      };
    };
    // Each member is looked up in the store of the moment.
    return new Proxy({}, { get }) as Part;
  }

  return {
    store: {
      challenges: wrap(() => current.challenges),
      counters: wrap(() => current.counters),
      tokens: {
        read: (account) => current.tokens.read(account),
        renew: (account, seen, renew) => current.tokens.renew(account, seen, renew),
      },
    },
    calls,
    tamper: (call, mischief) => void mischiefs.set(call, mischief),
    heal: () => mischiefs.clear(),
    lose: () => {
      current = fresh();
    },
  };
}
