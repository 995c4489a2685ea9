import { mayHaveArrived, type SmsOtpError } from '../errors';
import { type Attempt, createAttemptLimit } from '../limits/attempts';
import { provenCounter, withoutTextKeys } from '../limits/sends';
import { sideOf } from '../limits/user-keys';
import type { Permit } from '../client/gateway-client';
import type { Challenge, Claim, Counter, Purpose, Transaction } from '../stores/store';
import { findTextGivenBack } from './charge-send';
import type { CodeVerifier, FactorChallenge } from './code-verifiers';
import type { LoginContext } from './context';
import type { Method, Reason, Refusal } from './outcome';
import { emitVerified } from './run-policies';
import { withTiming } from './events';
import { findUser } from './users';

/** What a session knows of the code it waits for. */
export interface PendingCode {
  readonly otpId: string;
  readonly pendingId: string;
  readonly purpose: Purpose;
  /** Whether a text went out. */
  readonly isSent: boolean;
  readonly pendingUntil: number;
  readonly attemptsLeft: number;
  /** What a factor was asked last. */
  readonly factorChallenge?: FactorChallenge | undefined;
}

/** A code to verify. */
export interface VerifyRequest {
  /** What came in the body, untouched. */
  readonly code: unknown;
  readonly pending: PendingCode | undefined;
  /** The logged-in user. A step-up requires that it is the challenge's. */
  readonly currentUser: Express.User | undefined;
  readonly address: string | undefined;
}

/** The code was right and has been consumed. */
export interface Verified {
  readonly kind: 'verified';
  readonly user: Express.User;
  readonly userId: string;
  readonly purpose: Purpose;
  readonly method: Method;
  readonly at: number;
  readonly transaction: Transaction | undefined;
  /** Purpose `enroll` only: the number that is proven now, and the one it replaces. */
  readonly mobile: string;
  readonly replaces: string | undefined;
  /** The browser of the user in which it was, or all others. */
  readonly bucket: string;
}

/**
 * A code was not accepted. `endsPending`: the session waits for it no more; a newer text of the
 * same pending login goes on.
 */
export interface Refused {
  readonly kind: 'refused';
  readonly refusal: Refusal;
  readonly endsPending: boolean;
  /** Attempts that the challenge still admits, after one that was counted. */
  readonly attemptsLeft?: number | undefined;
}

/** The gateway's response was lost and the code may have been used up, so the challenge ends. */
export interface Unconfirmed {
  readonly kind: 'unconfirmed';
  readonly error: SmsOtpError;
}

export type VerifyResult = Verified | Refused | Unconfirmed;

export type VerifyOtp = (request: VerifyRequest) => Promise<VerifyResult>;

/**
 * Makes the decision to let a user in by the codes of one factor. A wrong code is a value. The
 * returned function
 * @throws {SmsOtpError} for errors that leave the challenge alive, and what the app's own callbacks
 * throw.
 */
export function createVerifyOtp(login: LoginContext, verifier: CodeVerifier): VerifyOtp {
  const { challenges, consumeAndClear } = login.store;
  const isTexted = verifier.method === 'sms';
  const limit = createAttemptLimit(toAttemptParts(login), verifier);

  return withTiming(login, 'verify', verifyOtp);

  async function verifyOtp(request: VerifyRequest): Promise<VerifyResult> {
    // 1 read the code
    const read = await readRequest(request);
    if (read.kind === 'refused') return read;
    const { code, pending } = read;
    // 2 admitted by the gateway's queue and breaker: a refusal here costs no attempt
    let permit = isTexted && !pending.isSent ? undefined : await verifier.reserve?.();
    try {
      // 3 claim an attempt, on the challenge and on the user, before anything is verified
      const claimed = await claim(pending);
      if (claimed.kind === 'refused') return claimed;
      const { challenge, attemptsLeft } = claimed;
      const subject = toSubject(challenge, request);
      if (isTexted && !claimed.hasLiveCode) return rejectWithoutText(subject, attemptsLeft);
      // The session says that no text is out, but another request of this login has sent one.
      permit ??= await verifier.reserve?.();
      const { userId, bucket, pendingId } = challenge;
      const charged = await limit.charge({
        ...{ userId, bucket, pendingId, address: request.address },
        emit: (event) => login.emit({ ...event, ...subject }),
      });
      if (charged.kind === 'refused') return rejectAttempt(subject, charged.refusal);
      return await judge(request, { ...claimed, code, subject, attempt: charged.attempt }, permit);
    } finally {
      permit?.release();
    }
  }

  async function readRequest({
    code: input,
    pending,
  }: VerifyRequest): Promise<ReadRequest | Refused> {
    const code = verifier.readCode(input);
    if (code === null) return refuse('malformed-code');
    if (pending === undefined || !verifier.purposes.includes(pending.purpose))
      return refuse('no-pending-login');
    // Refuse before reserving a gateway permit: the pending login has expired or has no attempts.
    if (pending.pendingUntil <= login.now()) return refuse('expired', true);
    if (limit.isCountedOnCode && pending.attemptsLeft <= 0) return refuse('too-many-attempts');
    const unanswerable = await verifier.challenge?.use(pending.factorChallenge);
    return unanswerable ? refuse(unanswerable) : { kind: 'read', code, pending };
  }

  /** Counts an attempt on the challenge, where codes of this factor are counted there. */
  async function claim(pending: PendingCode): Promise<Claimed | Refused> {
    const { isCountedOnCode } = limit;
    const claim = isCountedOnCode
      ? await challenges.claim(pending.otpId)
      : await findUncounted(pending.otpId);
    if (claim.outcome === 'exhausted') return refuse('too-many-attempts');
    // A used, superseded or lost id looks like a wrong code, and so does one that now belongs to
    // another pending login: this session's has ended. Only our own clock says expired.
    if (claim.outcome === 'unknown' || !isOfSession(claim.challenge, pending))
      return refuse('wrong-code', true);
    const { challenge, hasLiveCode, attempt } = claim;
    const attemptsLeft = isCountedOnCode ? challenge.maxAttempts - attempt : undefined;
    return { kind: 'claimed', challenge, hasLiveCode, number: attempt, attemptsLeft };
  }

  async function findUncounted(otpId: string): Promise<Claim> {
    const live = await challenges.find(otpId);
    return live === null ? { outcome: 'unknown' } : { outcome: 'claimed', attempt: 0, ...live };
  }

  /** Steps 4 to 7, with an attempt that is counted on the user. */
  async function judge(
    request: VerifyRequest,
    counted: CountedAttempt,
    permit: Permit | undefined,
  ): Promise<VerifyResult> {
    const { challenge, code, attemptsLeft } = counted;
    let isJudging = false;
    try {
      // 4 expired? A deadline that cannot be read has passed. Other factors have the whole login.
      const deadline = isTexted ? challenge.expiresAt : challenge.pendingUntil;
      if (!(deadline > login.now())) return await fail(counted, 'expired');

      // 5 load the user
      const user = await findUser(login, challenge, request.currentUser);
      if (user === null || (await verifier.isStillValid?.(user, challenge)) === false) {
        await challenges.discard(challenge.otpId);
        return await fail(counted, 'user-gone', true);
      }

      // 6 the gateway, or the factor, verifies the code
      isJudging = true;
      const { address, pending } = request;
      const factorChallenge = pending?.factorChallenge?.value;
      const asked = { challenge, user, code, factorChallenge, address };
      const result = await verifier.verify(asked, permit);
      if (result.kind === 'lost') return await endUnconfirmed(counted, result.error);
      if (result.kind !== 'right') {
        // Do not discard the challenge when it is over: a concurrent request with the right code
        // may still consume it in step 7.
        const reason = attemptsLeft === 0 ? 'too-many-attempts' : 'wrong-code';
        return await fail(counted, reason, result.kind === 'over');
      }

      // 7 consume, once, and only then clear what a success clears
      const change = await findChange(counted);
      const { isConsumed, isCleared } = await consumeAndClear(challenge.otpId, change);
      // Another request consumed the challenge first. That request updates the session.
      if (!isConsumed) return await fail(counted, 'wrong-code');
      await emitSuccess(counted, isCleared);
      return toVerified(user, challenge, verifier.method, login.now());
    } catch (error) {
      await endThrown(counted, isJudging, error);
      throw error;
    }
  }

  /** The attempt failed. Keeps the challenge; `endsPending` removes it from the session. */
  async function fail(
    { attempt, subject, attemptsLeft }: CountedAttempt,
    reason: Reason,
    endsPending = false,
  ): Promise<Refused> {
    login.emit({ type: 'rejected', ...subject, reason });
    await attempt.end('wrong');
    return { ...refuse(reason, endsPending), attemptsLeft };
  }

  /** The attempt is not made: the user has none left here. */
  function rejectAttempt(subject: Subject, refusal: Refusal): Refused {
    login.emit({ type: 'rejected', ...subject, reason: refusal.reason });
    return { kind: 'refused', refusal, endsPending: false };
  }

  /** No code fits: the attempt is counted on the challenge, and not on the user. */
  function rejectWithoutText(subject: Subject, attemptsLeft: number | undefined): Refused {
    const reason = attemptsLeft === 0 ? 'too-many-attempts' : 'wrong-code';
    return { ...rejectAttempt(subject, { reason }), attemptsLeft };
  }

  /** The answer was lost, and the code may be used up: the challenge ends. */
  async function endUnconfirmed(counted: CountedAttempt, error: SmsOtpError): Promise<Unconfirmed> {
    const { challenge, attempt, subject } = counted;
    await challenges.consume(challenge.otpId, { byCode: isTexted });
    login.emit({ type: 'rejected', ...subject, reason: 'unconfirmed' });
    await attempt.end('lost', findFirstText(counted));
    return { kind: 'unconfirmed', error };
  }

  /** Something threw: before the code was judged, or while it was. */
  async function endThrown(
    counted: CountedAttempt,
    isJudging: boolean,
    error: unknown,
  ): Promise<void> {
    const isJudged = isJudging && (!isTexted || mayHaveArrived(error));
    if (isJudged) return counted.attempt.end('threw');
    await counted.attempt.end('not-judged', isJudging ? findFirstText(counted) : []);
  }

  /** Only the first attempt at a code gives its text back: so it is given back once. */
  function findFirstText({ challenge, number }: CountedAttempt): readonly Counter[] {
    return isTexted && number === 1 ? findTextGivenBack(login, challenge, 'unjudged') : [];
  }

  /** Returns the changes that a success brings. A texted code proves the number for the user. */
  async function findChange({ challenge, attempt, subject }: CountedAttempt) {
    const { userId, numberKey, bucket } = challenge;
    const { clears, charges } = attempt.success;
    const { limits } = login.settings;
    const ofUser = await login.userBlocks(userId, subject.address);
    const waits = withoutTextKeys(limits, sideOf(bucket), ofUser);
    const proven = isTexted ? [provenCounter(userId, numberKey)] : [];
    return { byCode: isTexted, clears: [...clears, ...waits], charges: [...proven, ...charges] };
  }

  async function emitSuccess(
    { challenge, subject }: CountedAttempt,
    isCleared: boolean,
  ): Promise<void> {
    if (isCleared) login.emit({ type: 'failure-count-changed', ...subject, failures: 0 });
    if (login.hasListener) {
      const country = isTexted ? (await login.readNumber(challenge.mobile)()).country : null;
      login.emit({ type: 'verified', ...subject, method: verifier.method, country });
    }
    if (isTexted) emitVerified(login, challenge);
  }
}

/** A request whose code may be one, for a pending login that is not over. */
interface ReadRequest {
  readonly kind: 'read';
  readonly code: string;
  readonly pending: PendingCode;
}

/** The challenge of an attempt. */
interface Claimed {
  readonly kind: 'claimed';
  readonly challenge: Challenge;
  readonly hasLiveCode: boolean;
  /** The number of this attempt at the code, from 1; 0: it is not counted there. */
  readonly number: number;
  /** Attempts at the code that are left. Undefined: they are not counted there. */
  readonly attemptsLeft: number | undefined;
}

/** An attempt that has been counted on its user as well. */
interface CountedAttempt extends Claimed {
  readonly code: string;
  readonly attempt: Attempt;
  /** Whom its events name. */
  readonly subject: Subject;
}

interface Subject {
  readonly userId: string;
  readonly purpose: Purpose;
  readonly address: string | undefined;
}

function toAttemptParts({ store, settings, guessableMethods, browsers, userBlocks }: LoginContext) {
  const { counters } = store;
  const { limits } = settings;
  return { counters, limits, guessableMethods, hasKnownBrowsers: browsers.isOn, userBlocks };
}

function toSubject(
  { userId, purpose }: Challenge,
  { address }: Pick<VerifyRequest, 'address'>,
): Subject {
  return { userId, purpose, address };
}

function toVerified(
  user: Express.User,
  challenge: Challenge,
  method: Method,
  at: number,
): Verified {
  const { userId, purpose, transaction, mobile, replaces, bucket } = challenge;
  const verified = { user, userId, purpose, transaction, mobile, replaces, bucket };
  return { kind: 'verified', ...verified, method, at };
}

export function refuse(reason: Reason, endsPending = false): Refused {
  return { kind: 'refused', refusal: { reason }, endsPending };
}

/**
 * The gateway may return an id twice, and a code of one purpose is never good for another.
 */
export function isOfSession({ pendingId, purpose }: Challenge, pending: PendingCode): boolean {
  return pendingId === pending.pendingId && purpose === pending.purpose;
}
