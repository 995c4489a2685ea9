import { cores } from './kept-cores';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Feature } from '../../src/core/feature';
import { STORE_CALLS, type StoreCall, type TamperedStore, throwing } from './tampered-store';

/** Returns the features of the app that was started last, as `createSmsOtp` has made them. */
export function findFeatures(): readonly Feature[] {
  return cores.at(-1)?.features ?? [];
}

/** What goes wrong in one call of a feature. */
export type Fault =
  | { readonly kind: 'throws' }
  /** The call answers this, and does nothing. */
  | { readonly kind: 'answers'; readonly answer: unknown }
  /** The call begins only after everything else that can run has run. */
  | { readonly kind: 'slow' }
  /** This call of the store fails while the call of the feature uses it. */
  | { readonly kind: 'store'; readonly operation: string };

/**
 * How the store ends a `finish`. `refused`: it has written nothing. `lost`: it has written, and its
 * answer is lost. `nothing`: another request has ended all logins of Alice before.
 */
export type FinishFault = 'refused' | 'lost' | 'nothing';

/** The calls of an app's features, watched from now on, and disturbed on demand. */
export interface WatchedFeatures {
  /** The calls that the features have, and those that their answers have brought. */
  readonly known: ReadonlySet<string>;
  /** Those that were called. */
  readonly called: Set<string>;
  /** The calls of the store that each has used: those inside it count too. */
  readonly used: Map<string, Set<string>>;
  /** Lets one call go wrong from now on. */
  disturb(call: string, fault: Fault): void;
  /** Lets each `finish` end so from now on. */
  breakFinish(fault: FinishFault): void;
  /** Returns how often it went wrong, and lets nothing go wrong any more. */
  calm(): number;
}

/** What a feature's call throws. */
const ACCIDENT = new Error('canary: the feature has failed');

type Call = (...given: unknown[]) => unknown;

/** Not a call of the seam: a part of `logins.onSuccess`. */
const INNER = 'logins.sessions.write';

/** These are called once, while `createSmsOtp` runs, or return what belongs to the gateway. */
const WITH_FOREIGN_ANSWER = /\.(members|reserve|createOptions|exportUser)$/;

/** Watches every call of some features. A call that an answer brings, such as `undo`, is one too. */
export function watchFeatures(
  features: readonly Feature[],
  tampered: TamperedStore,
): WatchedFeatures {
  const running = new AsyncLocalStorage<readonly string[]>();
  const watched = { known: new Set<string>(), called: new Set<string>() };
  const used = new Map<string, Set<string>>();
  let plan: { readonly call: string; readonly fault: Fault } | undefined;
  let finish: FinishFault | undefined;
  let hits = 0;

  watchStore(tampered, (operation, work) => {
    const within = running.getStore() ?? [];
    for (const call of within) used.set(call, (used.get(call) ?? new Set()).add(operation));
    const isHit =
      plan?.fault.kind === 'store' &&
      plan.fault.operation === operation &&
      within.includes(plan.call);
    const ending = operation === 'finish' ? finish : undefined;
    if (isHit || (plan === undefined && ending !== undefined)) hits += 1;
    if (isHit) return throwing();
    return ending && endFinish(ending, tampered, work);
  });

  for (const feature of features) watchAll(feature.name, feature);

  return {
    ...watched,
    used,
    disturb(call, fault) {
      plan = { call, fault };
      hits = 0;
    },
    breakFinish(fault) {
      finish = fault;
    },
    calm() {
      plan = finish = undefined;
      return hits;
    },
  };

  /** Watches the functions of an object, and of the objects and lists in it. */
  function watchAll(name: string, owner: object): void {
    for (const [key, value] of Object.entries(owner)) {
      const call = /^\d+$/.test(key) ? name : `${name}.${nameOf(key, value)}`;
      if (call === INNER) continue;
      if (typeof value === 'function') Reflect.set(owner, key, watch(call, value as Call));
      else if (Array.isArray(value)) for (const one of value) watchOne(call, one);
      else if (isPlain(value)) watchAll(call, value);
    }
  }

  function watchOne(call: string, one: unknown): void {
    if (!isPlain(one)) return;
    const { method } = one as { readonly method?: string };
    watchAll(method === undefined ? call : `${call}.${method}`, one);
  }

  function watch(call: string, original: Call): Call {
    watched.known.add(call);
    return (...given) => {
      watched.called.add(call);
      const stack = [...(running.getStore() ?? []), call];
      const work = (): unknown => running.run(stack, () => original(...given));
      return watchAnswer(call, run(call, work));
    };
  }

  function run(call: string, work: () => unknown): unknown {
    if (plan?.call !== call || plan.fault.kind === 'store') return work();
    hits += 1;
    if (plan.fault.kind === 'throws') throw ACCIDENT;
    if (plan.fault.kind === 'answers') return plan.fault.answer;
    return new Promise(setImmediate).then(() => new Promise(setImmediate)).then(work);
  }

  function watchAnswer(call: string, answer: unknown): unknown {
    if (WITH_FOREIGN_ANSWER.test(call)) return answer;
    if (answer instanceof Promise) return answer.then((later) => watchAnswer(call, later));
    return copyWatched(call, answer);
  }

  /** Copies what an answer brings, because some answers are constants. */
  function copyWatched(call: string, answer: unknown): unknown {
    if (Array.isArray(answer)) return answer.map((one) => copyWatched(call, one) as object);
    if (!isPlain(answer)) return answer;
    const copied = Object.entries(answer).map(([key, value]: [string, unknown]) => {
      if (key === 'user' || key === 'put') return [key, value];
      if (typeof value === 'function') return [key, watch(`${call}.${key}`, value as Call)];
      return [key, key === 'puts' ? copyWatched(`${call}.${key}`, value) : value];
    });
    return Object.fromEntries(copied) as object;
  }
}

/** A challenge is part of its factor. */
function nameOf(key: string, value: unknown): string {
  return key === 'factors' && Array.isArray(value) ? 'factor' : key;
}

function isPlain(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

const RECORD_CALLS = ['put', 'find', 'swap', 'list', 'remove', 'removeAll'] as const;

/** Lets `tell` take the place of each call of a store; undefined: the call does its work. */
function watchStore(
  tampered: TamperedStore,
  tell: (operation: string, work: () => Promise<unknown>) => Promise<unknown> | undefined,
): void {
  const calls: StoreCall[] = [
    ...STORE_CALLS,
    ...RECORD_CALLS.map((call) => `records.${call}` as const),
  ];
  for (const call of calls)
    tampered.tamper(call, (work, first) => {
      const { kind = '' } = (first ?? {}) as { readonly kind?: string };
      return tell(call.startsWith('records.') ? `${call} ${kind}` : call, work);
    });
}

async function endFinish(
  fault: FinishFault,
  { store }: TamperedStore,
  work: () => Promise<unknown>,
): Promise<unknown> {
  if (fault === 'refused') throw new Error("READONLY You can't write against a read only replica.");
  if (fault === 'lost') return work().then(throwing);
  await store.pendingLogins.endAll('alice');
  return work();
}
