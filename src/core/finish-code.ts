import { provenCounter } from '../limits/table';
import type { Method } from '../method';
import type { FinishOptions, Purpose, SentOtp, Transaction } from '../stores/store';
import { countryOf } from './addresses';
import type { RightCode } from './check-code';
import type { Core } from './context';
import type { Success, WrittenSuccess } from './feature';
import { finishLogin, isFinishLost, joinWritten } from './finish-login';
import { callAll } from './follow-up';
import { type Checker, type Ended, isSent, refuse, type Refused } from './refuse-code';
import { askFeatures, type JoinedSuccess } from './success';
import type { Visit } from './visit';

/**
 * Finishes a pending login after a right code. One step of the store makes all changes of the
 * success.
 */
export async function finishCode(
  checker: Checker,
  request: ConfirmedRequest,
  code: RightCode,
): Promise<Passed | Ended> {
  const { core, factor } = checker;
  const { pendingId } = code.pending;
  const verified = toVerified(code, factor.method, core.now());
  // 6 Ask the app, the session and the features
  const prepared = await prepare(checker, request, code, verified);
  if (prepared.kind !== 'prepared') return prepared;

  // 7 Finish, once
  try {
    const change = toFinishOptions(checker, code);
    const written = await finishLogin(core, pendingId, prepared, change);
    return written === null
      ? await toUnused(core, code)
      : toPassed(checker, code, verified, written, prepared);
  } catch (error) {
    return isFinishLost(error)
      ? { kind: 'unconfirmed', code, ...UNUSED, error }
      : { kind: 'thrown', code, ...UNUSED, error };
  }
}

/** How an attempt ends whose code was right. A later failure is not counted against the user. */
const UNUSED = { outcome: 'not-used', refundsMessage: 'always' } as const;

/** What the request of a code brings besides the code. */
export interface ConfirmedRequest {
  readonly visit: Visit;
  /** Whether a session will name the success. */
  readonly isKept: boolean;
  /** Asks the app and the session after the code was right. Null: the user may be let in. */
  readonly confirm: (passed: Verified) => Promise<Refused | null>;
}

/** A pending login that has ended with the right code. */
export interface Passed extends Verified {
  /** What the session keeps of it. */
  readonly kept: object;
  /** The written records, which the session layer confirms or takes back. */
  readonly written: WrittenSuccess;
}

/** A right code and its user. */
export interface Verified {
  readonly kind: 'verified';
  readonly user: Express.User;
  readonly userId: string;
  readonly purpose: Purpose;
  readonly method: Method;
  readonly at: number;
  readonly transaction: Transaction | undefined;
  /** Purpose `enroll` only: the number that is now proven, and the one it replaces. */
  readonly mobile: string;
  readonly replaces: string | undefined;
  /** The browser for which it was counted. */
  readonly bucket: string;
}

/** Asks everyone what the success changes. If one refuses, the pending login ends. */
async function prepare(
  checker: Checker,
  request: ConfirmedRequest,
  code: RightCode,
  verified: Verified,
): Promise<JoinedSuccess | Ended> {
  try {
    const prepared = await askAll(checker, request, code, verified);
    if (prepared.kind === 'prepared') return prepared;
    await checker.core.store.pendingLogins.end(code.pending.pendingId);
    return { kind: 'refused', code, ...UNUSED, refused: prepared };
  } catch (error) {
    return { kind: 'thrown', code, ...UNUSED, error };
  }
}

async function askAll(
  checker: Checker,
  request: ConfirmedRequest,
  code: RightCode,
  verified: Verified,
): Promise<JoinedSuccess | Refused> {
  const refused = await request.confirm(verified);
  if (refused !== null) return refused;

  const success = toSuccess(checker, code, verified, request.isKept);
  const joined = await askFeatures(checker.core, success, request.visit);
  if ('reason' in joined) return refuse(joined.reason);
  return { ...joined, puts: [...joined.puts, ...code.puts] };
}

function toSuccess(
  checker: Checker,
  code: RightCode,
  { user, userId, method, bucket, at }: Verified,
  isKept: boolean,
): Success {
  const { pending, sends } = code;
  const otp = findProven(checker, code);
  const whose = { user, userId, pending, otp, sends, bucket, at };
  return { ...whose, proof: method, factor: checker.factor, isKept };
}

function toVerified(code: RightCode, method: Method, at: number): Verified {
  const { pending, otp, user, bucket } = code;
  const { userId, purpose, transaction, replaces } = pending;
  const mobile = otp?.to ?? '';
  const verified = { user, userId, purpose, transaction, mobile, replaces, bucket };
  return { kind: 'verified', ...verified, method, at };
}

/** Returns the changes of a success. A code that was sent also proves the number. */
function toFinishOptions(
  checker: Checker,
  code: RightCode,
): Omit<FinishOptions, 'puts' | 'replaces'> {
  const { userId } = code.pending;
  const { success } = code.attempt;
  const otp = findProven(checker, code);
  const proven = otp === null ? [] : [provenCounter(userId, otp.numberKey)];
  return {
    otpId: otp?.otpId,
    leavesMark: checker.factor.counting !== 'answer',
    clears: success.clears,
    charges: [...proven, ...success.charges],
  };
}

/**
 * Returns the end of a right code whose success has changed nothing: another request has passed the
 * login, or it has ended, or a newer message has replaced the OTP.
 */
async function toUnused({ store }: Core, code: RightCode): Promise<Ended> {
  const found = await store.pendingLogins.find(code.pending.pendingId).catch(() => null);
  const rejected = { kind: 'rejected', code, outcome: 'not-used' } as const;
  // That success has cleared the counts of messages: a refund would take back the count of a later
  // message.
  if (found === 'passed') return { ...rejected, reason: 'already-verified', endsPending: true };
  const endsPending = found === null;
  return { ...rejected, refundsMessage: 'always', reason: 'no-pending-login', endsPending };
}

/** Returns the OTP whose code was right. Null: another factor's was. */
function findProven(checker: Checker, { otp }: Pick<RightCode, 'otp'>): SentOtp | null {
  return isSent(checker) ? otp : null;
}

/**
 * Clears the counts even if the session cannot be saved. Everything else waits until it is saved.
 */
function toPassed(
  checker: Checker,
  code: RightCode,
  verified: Verified,
  written: WrittenSuccess,
  { kept, tells, tellDone }: JoinedSuccess,
): Passed {
  const { core } = checker;
  core.emit({ type: 'failure-count-changed', ...code.subject, failures: 0 });
  const told: WrittenSuccess = {
    async done() {
      await callAll(core.warn, [() => emitSuccess(checker, code, tells)]);
      await tellDone();
    },
    undo: () => Promise.resolve(),
  };
  return { ...verified, kept, written: joinWritten(core.warn, written, told) };
}

async function emitSuccess(checker: Checker, code: RightCode, tells: object): Promise<void> {
  const { core, factor } = checker;
  if (!core.hasListener) return;

  const proven = findProven(checker, code);
  const country = proven && (await countryOf(core, proven.to));
  const { method } = factor;
  core.emit({ type: 'verified', ...code.subject, method, country, ...tells });
}
