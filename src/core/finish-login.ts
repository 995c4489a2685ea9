import { StoreError } from '../errors';
import type { PendingLogins } from '../stores/pending-logins';
import type { FinishOptions, FinishResult } from '../stores/store';
import type { PreparedSuccess } from './context';
import type { PreparedPut, WrittenSuccess } from './feature';
import { repeatUntilDone } from './repeat';

/**
 * Ends a pending login, once, with all changes of the success. Returns null, with nothing changed,
 * if the login has expired, another request has finished it, the login that it replaces has ended,
 * or another request has changed a record that the success depends on.
 * @throws {StoreError} `ERR_STORE`: no user is let in. With `hasRefused` nothing was written, and
 * the login is still pending. Otherwise the answer is lost: the login ends, and what was written is
 * taken back.
 */
export async function finishLogin(
  pendingLogins: PendingLogins,
  pendingId: string,
  { puts, replaces }: PreparedSuccess,
  options: Omit<FinishOptions, 'puts' | 'replaces'>,
): Promise<WrittenSuccess | null> {
  const writes = puts.map(({ put }) => put);
  const finished = await pendingLogins
    .finish(pendingId, { ...options, puts: writes, replaces })
    .catch(async (error: unknown) => {
      if (isFinishLost(error)) await takeBack(pendingLogins, pendingId, puts);
      throw error;
    });
  return finished.isFinished ? toWritten(puts, replaces, finished) : null;
}

/** Returns whether a success may have been written, or may still be written. */
export function isFinishLost(error: unknown): error is StoreError {
  return error instanceof StoreError && !error.hasRefused;
}

/** Joins successes that are written together into one. */
export function joinWritten(...written: readonly WrittenSuccess[]): WrittenSuccess {
  return {
    done: () => runAll(written.map(({ done }) => done)),
    undo: () => runAll(written.map(({ undo }) => undo)),
  };
}

/**
 * Joins the records that were written. A record that the store has left out is neither done nor
 * undone.
 */
function toWritten(
  puts: readonly PreparedPut[],
  replaces: PreparedSuccess['replaces'],
  { results, replaced }: Extract<FinishResult, { readonly isFinished: true }>,
): WrittenSuccess {
  const written = puts.flatMap((prepared, index) => {
    const result = results[index];
    if (result?.isPut !== true) return [];
    prepared.written?.();
    const isNext = takesPlace(prepared, replaces);
    return [{ prepared, result: isNext ? { ...result, replaced } : result }];
  });

  return {
    done: () =>
      runAll(
        written.map(
          ({ prepared, result }) =>
            () =>
              prepared.done(result),
        ),
      ),
    undo: () =>
      runAll(
        written.map(
          ({ prepared, result }) =>
            () =>
              prepared.undo(result),
        ),
      ),
  };
}

/** Returns whether a record replaces the one that must still exist. */
function takesPlace({ put }: PreparedPut, replaces: PreparedSuccess['replaces']): boolean {
  return put.kind === replaces?.kind && put.owner === replaces.owner;
}

/**
 * Calls all functions. The success is written, so an error in one changes nothing and the others
 * still run.
 */
async function runAll(calls: readonly (() => Promise<void> | void)[]): Promise<void> {
  await Promise.allSettled(calls.map(async (call) => call()));
}

/**
 * Ends the login first, so that a `finish` which arrives late changes nothing. Then removes the
 * records that could let someone in. If the first tries fail, the rest is done after the request.
 */
async function takeBack(
  pendingLogins: PendingLogins,
  pendingId: string,
  puts: readonly PreparedPut[],
): Promise<void> {
  for (const { lost } of puts) lost?.();
  const end = repeatUntilDone(() => pendingLogins.end(pendingId));
  const undone = end.last.then(() =>
    runAll(
      puts.map(
        ({ undo }) =>
          () =>
            undo(null),
      ),
    ),
  );
  if (await end.first) await undone;
}
