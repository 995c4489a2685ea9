import { provenCounter } from '../limits/table';
import type { Method } from '../method';
import type { FinishOptions, Purpose, Transaction } from '../stores/store';
import { countryOf } from './addresses';
import type { RightCode } from './check-code';
import type { Checker } from './checker';
import type { Core } from './context';
import type { SecondFactor, Success, WrittenSuccess } from './feature';
import { finishLogin, isFinishLost, joinWritten } from './finish-login';
import { callAll } from './follow-up';
import { refuse, type Refused } from './refuse-code';
import type { Ended } from './settle-attempt';
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
    const written = await finishLogin(core, pendingId, prepared, toFinishOptions(checker, code));
    return written === null
      ? await findWhyUnused(core, code)
      : toPassed(checker, code, verified, written, prepared);
  } catch (error) {
    if (!isFinishLost(error)) return { kind: 'thrown', error, ...toUnused(code) };
    return { kind: 'unconfirmed', error, ...toUnused(code) };
  }
}

/** Returns how an attempt ends whose code was right. It is not counted against the user. */
function toUnused(counted: RightCode) {
  return { counted, outcome: 'not-used', refundsMessage: 'always' } as const;
}

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
  /** The address that the code went to, which is proven once it is finished. Empty: none. */
  readonly to: string;
  /** Purpose `enroll` only: the number that it replaces. */
  readonly replaces: string | undefined;
  /** The browser for which it was counted. */
  readonly bucket: string;
}

/**
 * Asks the app and the session whether the user may pass, then the features what that changes. If
 * one refuses, the pending login ends.
 */
async function prepare(
  { core, factor }: Checker,
  request: ConfirmedRequest,
  code: RightCode,
  verified: Verified,
): Promise<JoinedSuccess | Ended> {
  try {
    let refused = await request.confirm(verified);
    if (refused === null) {
      const success = toSuccess(factor, code, verified, request.isKept);
      const joined = await askFeatures(core, success, request.visit);
      if ('kind' in joined) return { ...joined, puts: [...joined.puts, ...code.puts] };
      refused = refuse(joined.reason);
    }

    await core.store.pendingLogins.end(code.pending.pendingId);
    return { kind: 'refused', refused, ...toUnused(code) };
  } catch (error) {
    return { kind: 'thrown', error, ...toUnused(code) };
  }
}

function toSuccess(
  factor: SecondFactor,
  code: RightCode,
  { user, userId, method, bucket, at }: Verified,
  isKept: boolean,
): Success {
  const { pending, sends, proven: otp } = code;
  const whose = { user, userId, pending, otp, sends, bucket, at };
  return { ...whose, proof: method, factor, isKept };
}

function toVerified(code: RightCode, method: Method, at: number): Verified {
  const { pending, proven, user, bucket } = code;
  const { userId, purpose, transaction, replaces } = pending;
  const to = proven?.to ?? '';
  const verified = { user, userId, purpose, transaction, to, replaces, bucket };
  return { kind: 'verified', ...verified, method, at };
}

/** Returns the changes of a success. A code that was sent also proves the number. */
function toFinishOptions(
  { factor }: Checker,
  { pending, attempt, proven }: RightCode,
): Omit<FinishOptions, 'puts' | 'replaces'> {
  const { clears, charges } = attempt.success;
  const proofs = proven === null ? [] : [provenCounter(pending.userId, proven.numberKey)];
  return {
    otpId: proven?.otpId,
    leavesMark: factor.counting !== 'answer',
    clears,
    charges: [...proofs, ...charges],
  };
}

/**
 * Returns the end of a right code whose success has changed nothing: another request has passed the
 * login, or it has ended, or a newer message has replaced the OTP.
 */
async function findWhyUnused({ store }: Core, code: RightCode): Promise<Ended> {
  const found = await store.pendingLogins.find(code.pending.pendingId).catch(() => null);
  // The other success has cleared the counts of messages, so a refund would take back the count of
  // a later message.
  if (found === 'passed') {
    const passed = { counted: code, outcome: 'not-used', reason: 'already-verified' } as const;
    return { kind: 'rejected', ...passed, endsPending: true };
  }
  const endsPending = found === null;
  return { kind: 'rejected', ...toUnused(code), reason: 'no-pending-login', endsPending };
}

/**
 * Describes a success that the store has written. The counts are cleared even if the session cannot
 * be saved; everything else is told when it is.
 */
function toPassed(
  { core, factor }: Checker,
  code: RightCode,
  verified: Verified,
  written: WrittenSuccess,
  { kept, tells, tellDone }: JoinedSuccess,
): Passed {
  core.emit({ type: 'failure-count-changed', ...code.subject, failures: 0 });
  const told: WrittenSuccess = {
    async done() {
      await callAll(core.warn, [() => emitVerified(core, factor.method, code, tells)]);
      await tellDone();
    },
    undo: () => Promise.resolve(),
  };
  return { ...verified, kept, written: joinWritten(core.warn, written, told) };
}

async function emitVerified(
  core: Core,
  method: Method,
  { proven, subject }: RightCode,
  tells: object,
): Promise<void> {
  if (!core.hasListener) return;
  const country = proven && (await countryOf(core, proven.to));
  core.emit({ type: 'verified', ...subject, method, country, ...tells });
}
