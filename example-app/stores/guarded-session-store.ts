import { Store, type SessionData } from 'express-session';
import { SessionStoreError } from '../session';
import { toFailureCode } from './failure-code';

/** The same as the library's timeout for its own store. */
const TIMEOUT_MS = 2_000;

type Done<Result = never> = (error?: unknown, result?: Result | null) => void;

/** A session store with a timeout, whose failures the error page answers with 503. */
export class GuardedSessionStore extends Store {
  readonly #store: Store;

  constructor(store: Store) {
    super();
    this.#store = store;
  }

  override get(id: string, done: Done<SessionData>): void {
    this.#store.get(id, inTime(done));
  }

  override set(id: string, session: SessionData, done?: Done): void {
    this.#store.set(id, session, inTime(done));
  }

  override touch(id: string, session: SessionData, done?: Done): void {
    this.#store.touch?.(id, session, inTime(done));
  }

  override destroy(id: string, done?: Done): void {
    this.#store.destroy(id, inTime(done));
  }
}

/** Passes on the first result, or a timeout. */
function inTime<Result>(done: Done<Result> | undefined): Done<Result> {
  let isOver = false;
  const timer = setTimeout(() => finish(new SessionStoreError('no answer in time')), TIMEOUT_MS);

  function finish(error: unknown, result?: Result | null): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    done?.(error, result);
  }

  return (error, result) => finish(error ? new SessionStoreError(toFailureCode(error)) : null, result);
}
