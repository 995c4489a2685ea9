import type { PutResult } from '../stores/store';
import type { PreparedPut } from './feature';
import type { CookieValue, Visit } from './visit';

/** A prepared record with a cookie. */
export interface PreparedCookie extends Omit<PreparedPut, 'done'> {
  /** Returns the new value of the cookie. */
  readonly done: (result: PutResult) => Promise<CookieValue>;
}

/**
 * Returns a prepared record whose cookie is set once the session is saved. If the cookie can no
 * longer be set by then, the record is taken back.
 */
export function withCookie(
  { cookies }: Pick<Visit, 'cookies'>,
  name: string,
  prepared: PreparedCookie,
): PreparedPut {
  return {
    ...prepared,
    async done(result) {
      if (!cookies.canSet()) return prepared.undo(result);
      cookies.set(name, await prepared.done(result));
    },
  };
}
