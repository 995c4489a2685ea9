import { StoreError, type Warn } from '../errors';
import type { PendingLogins } from '../stores/pending-logins';
import type { FinishOptions, FinishResult } from '../stores/store';
import type { PreparedSuccess } from './context';
import type { PreparedPut, WrittenSuccess } from './feature';
import { callAll } from './follow-up';
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
  core: FinishParts,
  pendingId: string,
  { puts, replaces }: PreparedSuccess,
  options: Omit<FinishOptions, 'puts' | 'replaces'>,
): Promise<WrittenSuccess | null> {
  const writes = puts.map(({ put }) => put);
  const finished = await core.store.pendingLogins
    .finish(pendingId, { ...options, puts: writes, replaces })
    .catch(async (error: unknown) => {
      if (isFinishLost(error)) await takeBack(core, pendingId, puts);
      throw error;
    });
  return finished.isFinished ? toWritten(core.warn, puts, replaces, finished) : null;
}

/** Where a success is written, and where its failures are reported. */
interface FinishParts {
  readonly store: { readonly pendingLogins: Pick<PendingLogins, 'finish' | 'end'> };
  readonly warn: Warn;
}

/** Returns whether a success may have been written, or may still be written. */
export function isFinishLost(error: unknown): error is StoreError {
  return error instanceof StoreError && !error.hasRefused;
}

/** Joins successes, or records of one, that are written together. */
export function joinWritten(warn: Warn, ...written: readonly WrittenSuccess[]): WrittenSuccess {
  const done = written.map((one) => () => one.done());
  const undo = written.map((one) => () => one.undo());
  return { done: () => callAll(warn, done), undo: () => callAll(warn, undo) };
}

/**
 * Joins the records that were written. A record that the store has left out is neither done nor
 * undone.
 */
function toWritten(
  warn: Warn,
  puts: readonly PreparedPut[],
  replaces: PreparedSuccess['replaces'],
  { results, replaced }: Extract<FinishResult, { readonly isFinished: true }>,
): WrittenSuccess {
  const written = puts.flatMap((prepared, index) => {
    const result = results[index];
    if (result?.isPut !== true) return [];
    prepared.written?.();
    const own = takesPlace(prepared, replaces) ? { ...result, replaced } : result;
    return [{ done: async () => prepared.done(own), undo: () => prepared.undo(own) }];
  });
  return joinWritten(warn, ...written);
}

/** Returns whether a record replaces the one that must still exist. */
function takesPlace({ put }: PreparedPut, replaces: PreparedSuccess['replaces']): boolean {
  return put.kind === replaces?.kind && put.owner === replaces.owner;
}

/**
 * Ends the login first, so that a `finish` which arrives late changes nothing. Then removes the
 * records that could let someone in. If the first tries fail, the rest is done after the request.
 */
async function takeBack(
  { store, warn }: FinishParts,
  pendingId: string,
  puts: readonly PreparedPut[],
): Promise<void> {
  for (const { lost } of puts) lost?.();
  const end = repeatUntilDone(() => store.pendingLogins.end(pendingId));
  const undo = puts.map((prepared) => () => prepared.undo(null));
  const undone = end.last.then(() => callAll(warn, undo));
  if (await end.first) await undone;
}
