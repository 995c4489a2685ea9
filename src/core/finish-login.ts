import { StoreError } from '../errors';
import type { PendingLogins } from '../stores/pending-logins';
import type { FinishOptions, FinishResult } from '../stores/store';
import type { PreparedSuccess } from './context';
import type { PreparedPut, WrittenSuccess } from './feature';
import { repeatUntilDone } from './repeat';

/**
 * Ends a pending login, once, with all that the success changes. Null: it is over, another request
 * has finished it, or the login that it replaces has ended; then nothing has changed. Null also
 * after another request has used a record that the success rests on; then all is taken back.
 * @throws {StoreError} `ERR_STORE`: no user is in. With `hasRefused` nothing was written, and the
 * login is still pending. Otherwise the answer is lost: the login ends, and what was written is
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
  if (!finished.isFinished) return null;

  const written = toWritten(puts, replaces, finished);
  if (standsAll(puts, finished)) return written;
  await written.undo();
  return null;
}

/** Returns whether a success may have been written, or may still be. */
export function isFinishLost(error: unknown): error is StoreError {
  return error instanceof StoreError && !error.hasRefused;
}

/** Makes one success of several that are written together. */
export function joinWritten(...written: readonly WrittenSuccess[]): WrittenSuccess {
  return {
    done: () => runAll(written.map(({ done }) => done)),
    undo: () => runAll(written.map(({ undo }) => undo)),
  };
}

/** A record that the store has left out is neither done nor undone. */
function toWritten(
  puts: readonly PreparedPut[],
  replaces: PreparedSuccess['replaces'],
  { results, replaced }: Extract<FinishResult, { readonly isFinished: true }>,
): WrittenSuccess {
  const written = puts.flatMap((prepared, index) => {
    const result = results[index];
    if (result?.isPut !== true) return [];
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

function standsAll(
  puts: readonly PreparedPut[],
  { results }: Extract<FinishResult, { readonly isFinished: true }>,
): boolean {
  return puts.every(({ stands }, index) => {
    const result = results[index];
    return stands === undefined || (result !== undefined && stands(result));
  });
}

/** Returns whether a record takes the place of the one that must still be there. */
function takesPlace({ put }: PreparedPut, replaces: PreparedSuccess['replaces']): boolean {
  return put.kind === replaces?.kind && put.owner === replaces.owner;
}

/** The success is written: a feature that throws here changes nothing, and the others go on. */
async function runAll(calls: readonly (() => Promise<void> | void)[]): Promise<void> {
  await Promise.allSettled(calls.map(async (call) => call()));
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
