import { StoreError } from '../errors';
import type { PendingLogins } from '../stores/pending-logins';
import type { FinishOptions } from '../stores/store';
import type { PreparedPut, PreparedSuccess } from './context';
import { repeatUntilDone } from './repeat';

/**
 * Ends a pending login, once, with all that the success changes. False: it is over, another request
 * has finished it, or the login that it replaces has ended; then nothing has changed.
 * @throws {StoreError} `ERR_STORE`: no user is in. With `hasRefused` nothing was written, and the
 * login is still pending. Otherwise the answer is lost: the login ends, and what was written is
 * taken out again.
 */
export async function finishLogin(
  pendingLogins: PendingLogins,
  pendingId: string,
  { puts, replaces }: PreparedSuccess,
  options: Omit<FinishOptions, 'puts' | 'replaces'>,
): Promise<boolean> {
  const writes = puts.map(({ put }) => put);
  const result = await pendingLogins
    .finish(pendingId, { ...options, puts: writes, replaces })
    .catch(async (error: unknown) => {
      if (isFinishLost(error)) await takeBack(pendingLogins, pendingId, puts);
      throw error;
    });
  if (!result.isFinished) return false;
  const { results } = result;
  // A browser that the store has left out gets no cookie.
  const written = puts.flatMap(({ done }, index) => {
    const { isPut = true, gone = [] } = results[index] ?? {};
    return isPut ? [async () => done(gone)] : [];
  });
  await Promise.all(written.map((tell) => tell()));
  return true;
}

/** Returns whether a success may have been written, or may still be. */
export function isFinishLost(error: unknown): error is StoreError {
  return error instanceof StoreError && !error.hasRefused;
}

/**
 * First ends the login, so that a `finish` which arrives late changes nothing, then takes out what
 * lets in. What the first tries have not done is done after the request.
 */
async function takeBack(
  pendingLogins: PendingLogins,
  pendingId: string,
  puts: readonly PreparedPut[],
): Promise<void> {
  const end = repeatUntilDone(() => pendingLogins.end(pendingId));
  const undone = end.last.then(() => Promise.all(puts.map(async ({ undo }) => undo?.())));
  if (await end.first) await undone;
}
