import { randomUUID } from 'node:crypto';
import { memoryStore } from '../../src/stores/memory/memory-store';
import type { RenewedToken, SmsOtpStore, TokenStore } from '../../src/stores/store';

/** A call that has changed something. */
export interface LoggedCall {
  readonly id: string;
  readonly atMs: number;
  /** Its part and its name, such as `counters.charge`. */
  readonly call: string;
  readonly given: readonly unknown[];
}

/** Where all processes keep the calls. */
export interface CallLog {
  read(): Promise<readonly LoggedCall[]>;
  write(calls: readonly LoggedCall[]): Promise<void>;
  /** Works while no other process does. */
  lock<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Calls that change nothing. */
const READS = ['pendingLogins.find', 'pendingLogins.findNewest', 'records.find', 'records.list'];

/**
 * A store that keeps the calls made so far, and reads them before each call. Its own calls are
 * made one after the other; those of other processes wait for it only where it takes the lock.
 */
export function logStore(
  log: CallLog,
  now: () => number,
  isLocked: (call: string) => boolean,
): SmsOtpStore {
  let last: Promise<unknown> = Promise.resolve();
  let replica = createReplica();

  function inOrder<Result>(call: string, work: () => Promise<Result>): Promise<Result> {
    const next = last.then(() => (isLocked(call) ? log.lock(work) : work()));
    last = next.catch(() => undefined);
    return next;
  }

  /** @param toLogged Returns what is logged of the call; null: it has changed nothing. */
  async function make(
    call: string,
    given: readonly unknown[],
    toLogged: () => readonly unknown[] | null = () => (READS.includes(call) ? null : given),
  ): Promise<unknown> {
    const calls = await log.read();
    // Another process has written over what this one has seen.
    if (!replica.isOf(calls)) replica = createReplica();
    for (const one of calls.slice(replica.made)) await replica.make(one);

    const made = { id: randomUUID(), atMs: now(), call, given };
    try {
      const answer = await replica.make(made, READS.includes(call));
      const logged = toLogged();
      if (logged !== null) await log.write([...calls, { ...made, given: logged }]);
      return answer;
    } catch (error) {
      replica = createReplica();
      throw error;
    }
  }

  const part = <Name extends keyof SmsOtpStore>(name: Name, calls: readonly string[]) => {
    const made = calls.map((one) => {
      const call = `${name}.${one}`;
      return [one, (...given: unknown[]) => inOrder(call, () => make(call, given))] as const;
    });
    // The named calls are all that the part has.
    return Object.fromEntries(made) as unknown as SmsOtpStore[Name];
  };

  // It answers what `renew` answers.
  const renew: TokenStore['renew'] = (account, seen, work) =>
    inOrder('tokens.renew', () => {
      let renewed: RenewedToken | undefined;
      const given = [
        account,
        seen,
        async (): Promise<RenewedToken> => (renewed = await work(null)),
      ];
      return make('tokens.renew', given, () =>
        renewed === undefined ? null : [account, seen, renewed],
      );
    }) as ReturnType<TokenStore['renew']>;

  return {
    pendingLogins: part('pendingLogins', [
      ...['begin', 'attach', 'claim', 'find', 'findNewest', 'end', 'endAll'],
    ]),
    counters: part('counters', ['charge', 'clear', 'unlock']),
    records: part('records', ['put', 'find', 'swap', 'list', 'remove', 'removeAll']),
    tokens: { read: () => Promise.reject(new Error('no race reads a token')), renew },
    finish: (...given) =>
      inOrder('finish', () => make('finish', given)) as ReturnType<SmsOtpStore['finish']>,
  };
}

/** A store in memory in which logged calls are made again. */
function createReplica() {
  let nowMs = 0;
  const store = memoryStore({ now: () => nowMs });
  const ids: string[] = [];

  return {
    get made(): number {
      return ids.length;
    },
    isOf: (calls: readonly LoggedCall[]): boolean =>
      ids.length === 0 || calls[ids.length - 1]?.id === ids.at(-1),
    make({ id, atMs, call, given }: LoggedCall, isRead = false): Promise<unknown> {
      nowMs = atMs;
      if (!isRead) ids.push(id);
      const [part = '', name] = call.split('.');
      const callee = name === undefined ? store : (Reflect.get(store, part) as object);
      // A renewal that was made has its token in place of its work.
      const isRenewed = name === 'renew' && typeof given[2] !== 'function';
      const passed = isRenewed ? [given[0], given[1], () => Promise.resolve(given[2])] : given;
      const made = Reflect.get(callee, name ?? part) as (...given: unknown[]) => Promise<unknown>;
      return made.apply(callee, [...passed]);
    },
  };
}
