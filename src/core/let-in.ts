import type { BegunPending, Core } from './context';
import type { Success, WrittenSuccess } from './feature';
import { finishLogin, joinWritten } from './finish-login';
import type { LetIn, SendRequest } from './send-result';
import { askFeatures } from './success';
import { toUserIdText } from './users';
import type { Visit } from './visit';

/** Returns why a user needs no code at a login. Null: a code is needed. */
export async function findLetIn(
  core: Core,
  { user, visit }: SendRequest,
  begun: BegunPending,
): Promise<LetIn | null> {
  if (!(await visit.isRequired(user)))
    return { kind: 'let-in', user, proof: null, at: core.now(), puts: [], begun };

  // Ask the features only if the user needs a code.
  const { pending } = begun.state;
  for (const feature of core.features) {
    if (feature.letsIn === undefined) continue;
    const letIn = await feature.letsIn({ user, pending }, visit);
    if (letIn !== null) return { kind: 'let-in', ...letIn, begun };
  }
  return null;
}

/** A user who is let in without a code once the session is saved. */
export interface FinishedLetIn {
  readonly written: WrittenSuccess;
  /** What the session keeps. */
  readonly kept: object;
}

/**
 * Ends the pending login of a user who needs no code. Returns null, and does not end it, if a
 * feature refuses, or if something that ends all logins of the user has ended it before.
 * @throws {StoreError} `ERR_STORE`
 */
export async function finishLetIn(
  core: Core,
  { user, proof, at, puts, begun }: LetIn,
  visit: Visit,
): Promise<FinishedLetIn | null> {
  const { pending, sends } = begun.state;
  const { userId } = toUserIdText(core.getUserId(user));
  const { bucket } = pending;
  const whose = { user, userId, pending, sends, bucket, at };
  const success: Success = { ...whose, proof, factor: null, otp: null, isKept: true };
  const joined = await askFeatures(core, success, visit);
  if ('reason' in joined) return null;

  const prepared = { ...joined, puts: [...joined.puts, ...puts] };
  const written = await finishLogin(core, pending.pendingId, prepared, NO_CODE);
  if (written === null) return null;

  const told = { done: joined.tellDone, undo: () => Promise.resolve() };
  return { written: joinWritten(core.warn, written, told), kept: joined.kept };
}

/**
 * What a login without a code changes besides. A form that is submitted twice joins its login: both
 * requests finish it, each for its own session.
 */
const NO_CODE = { leavesMark: true, acceptsPassed: true, clears: [], charges: [] };
