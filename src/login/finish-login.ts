import type { PendingLogins } from '../stores/pending-logins';
import type { FinishOptions } from '../stores/store';
import type { PreparedSuccess } from './context';

/**
 * Ends a pending login, once, with all that the success changes. False: it is over, another request
 * has finished it, or the login that it replaces has ended; then nothing has changed.
 * @throws {StoreError} `ERR_STORE`: nobody is in, whatever was written.
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
      // The answer may be lost, and the success written: what lets in is taken out again.
      await Promise.all(puts.map(async ({ undo }) => undo?.()));
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
