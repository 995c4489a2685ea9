import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import type { TestClock } from './clock';

/** The store calls of the login, by the names that errors and events use. */
export const STORE_CALLS = [
  'begin',
  'attach',
  'claim',
  'find',
  'end',
  'endAll',
  'finish',
  'charge',
  'clear',
  'unlock',
] as const;

type Parts = SmsOtpStore;
export type StoreCall = (typeof STORE_CALLS)[number] | `records.${keyof SmsOtpStore['records']}`;

/**
 * What a store call does in place of its work, or around it. Where it gives undefined, the call
 * does its work all the same.
 */
export type Mischief = (work: () => Promise<unknown>, ...given: readonly unknown[]) => unknown;

export const throwing = (): Promise<never> =>
  Promise.reject(new Error('canary: the store says something secret'));
export const hanging = (): Promise<never> => new Promise(() => undefined);
export const answering = (answer: unknown) => (): Promise<unknown> => Promise.resolve(answer);
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
  const fresh = (): Parts => memoryStore({ now: () => clock.now() });
  const calls: TamperedStore['calls'] = [];
  const mischiefs = new Map<StoreCall, Mischief>();
  let current = fresh();

  /** @param find Looks the part up in the store of the moment. */
  function wrap<Part extends object>(prefix: string, find: () => Part): Part {
    const get = (_target: object, name: string): unknown => {
      return (...given: unknown[]): unknown => {
        // Only the names of the contract are ever asked for.
        const call = `${prefix}${name}` as StoreCall;
        const method = Reflect.get(find(), name) as (...args: unknown[]) => Promise<unknown>;
        const work = (): Promise<unknown> => method(...given);
        const answer = mischiefs.get(call)?.(work, ...given) ?? work();
        calls.push({ call, given, answer });
        return answer;
      };
    };
    return new Proxy({}, { get }) as Part;
  }

  const whole = wrap('', () => current);
  return {
    store: {
      pendingLogins: wrap('', () => current.pendingLogins),
      counters: wrap('', () => current.counters),
      records: wrap('records.', () => current.records),
      finish: (pendingId, options) => whole.finish(pendingId, options),
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
