import type { Attempt } from '../limits/attempts';
import { provenCounter } from '../limits/table';
import type { Method } from '../method';
import type { FinishOptions, Purpose, SentOtp, Transaction } from '../stores/store';
import { countryOf } from './addresses';
import type { PreparedPut, Success, WrittenSuccess } from './feature';
import { finishLogin, isFinishLost, joinWritten } from './finish-login';
import { callAll } from './follow-up';
import {
  type Checker,
  endUnused,
  type FailedAttempt,
  isSent,
  refuse,
  type Refused,
  refuseUnused,
  toUnconfirmed,
  type Unconfirmed,
} from './refuse-code';
import { askFeatures, type JoinedSuccess } from './success';
import type { Visit } from './visit';

/**
 * Finishes a pending login after a right code. One step of the store makes all changes of the
 * success.
 */
export async function finishCode(
  checker: Checker,
  request: ConfirmedRequest,
  counted: RightCode,
): Promise<Passed | Refused | Unconfirmed> {
  const { core, factor } = checker;
  const { pendingId } = counted.pending;
  const verified = toVerified(counted, factor.method, core.now());
  const prepared = await prepare(checker, request, counted, verified);
  if (prepared.kind === 'refused') return prepared;

  try {
    const change = toFinishOptions(checker, counted);
    const written = await finishLogin(core, pendingId, prepared, change);
    return written === null
      ? await refuseUnused(checker, counted)
      : toPassed(checker, counted, verified, written, prepared);
  } catch (error) {
    await endUnused(checker, counted);
    if (isFinishLost(error)) return toUnconfirmed(checker, counted, error);
    throw error;
  }
}

/** What the request of a code brings besides the code. */
export interface ConfirmedRequest {
  readonly visit: Visit;
  /** Whether a session will name the success. */
  readonly isKept: boolean;
  /** Asks the app and the session after the code was right. Null: the user may be let in. */
  readonly confirm: (passed: Verified) => Promise<Refused | null>;
}

/** A right code that has not changed anything yet. */
interface RightCode extends FailedAttempt {
  readonly user: Express.User;
  readonly attempt: Attempt;
  /** How many OTPs were attached to the pending login. */
  readonly sends: number;
  /** The browser for which it is counted. */
  readonly bucket: string;
  /** The records of the factor. */
  readonly puts: readonly PreparedPut[];
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

/** Asks the app, the session and the features. If one refuses, the pending login ends. */
async function prepare(
  checker: Checker,
  request: ConfirmedRequest,
  counted: RightCode,
  verified: Verified,
): Promise<JoinedSuccess | Refused> {
  try {
    const prepared = await askAll(checker, request, counted, verified);
    if (prepared.kind === 'prepared') return prepared;
    await checker.core.store.pendingLogins.end(counted.pending.pendingId);
    await endUnused(checker, counted);
    return prepared;
  } catch (error) {
    await endUnused(checker, counted);
    throw error;
  }
}

async function askAll(
  checker: Checker,
  request: ConfirmedRequest,
  counted: RightCode,
  verified: Verified,
): Promise<JoinedSuccess | Refused> {
  const refused = await request.confirm(verified);
  if (refused !== null) return refused;

  const success = toSuccess(checker, counted, verified, request.isKept);
  const joined = await askFeatures(checker.core, success, request.visit);
  if ('reason' in joined) return refuse(joined.reason);
  return { ...joined, puts: [...joined.puts, ...counted.puts] };
}

function toSuccess(
  checker: Checker,
  counted: RightCode,
  { user, userId, method, bucket, at }: Verified,
  isKept: boolean,
): Success {
  const { pending, sends } = counted;
  const otp = findProven(checker, counted);
  const whose = { user, userId, pending, otp, sends, bucket, at };
  return { ...whose, proof: method, factor: checker.factor, isKept };
}

function toVerified(counted: RightCode, method: Method, at: number): Verified {
  const { pending, otp, user, bucket } = counted;
  const { userId, purpose, transaction, replaces } = pending;
  const mobile = otp?.to ?? '';
  const verified = { user, userId, purpose, transaction, mobile, replaces, bucket };
  return { kind: 'verified', ...verified, method, at };
}

/** Returns the changes of a success. A code that was sent also proves the number. */
function toFinishOptions(
  checker: Checker,
  counted: RightCode,
): Omit<FinishOptions, 'puts' | 'replaces'> {
  const { userId } = counted.pending;
  const { success } = counted.attempt;
  const otp = findProven(checker, counted);
  const proven = otp === null ? [] : [provenCounter(userId, otp.numberKey)];
  return {
    otpId: otp?.otpId,
    leavesMark: checker.factor.counting !== 'answer',
    clears: success.clears,
    charges: [...proven, ...success.charges],
  };
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
  counted: RightCode,
  verified: Verified,
  written: WrittenSuccess,
  { kept, tells, tellDone }: JoinedSuccess,
): Passed {
  const { core } = checker;
  core.emit({ type: 'failure-count-changed', ...counted.subject, failures: 0 });
  const told: WrittenSuccess = {
    async done() {
      await callAll(core.warn, [() => emitSuccess(checker, counted, tells)]);
      await tellDone();
    },
    undo: () => Promise.resolve(),
  };
  return { ...verified, kept, written: joinWritten(core.warn, written, told) };
}

async function emitSuccess(checker: Checker, counted: RightCode, tells: object): Promise<void> {
  const { core, factor } = checker;
  if (!core.hasListener) return;

  const proven = findProven(checker, counted);
  const country = proven && (await countryOf(core, proven.to));
  const { method } = factor;
  core.emit({ type: 'verified', ...counted.subject, method, country, ...tells });
}
