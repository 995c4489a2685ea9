import { mayHaveArrived, type SmsOtpError } from '../errors';
import type { Permit } from '../gateway';
import {
  type Attempt,
  type AttemptEvent,
  type AttemptStop,
  type ChargedAttempt,
  createAttemptLimit,
  joinAttempts,
} from '../limits/attempts';
import { sideOf } from '../limits/buckets';
import { provenCounter } from '../limits/table';
import type { LiveLogin } from '../stores/pending-logins';
import type {
  Counter,
  FinishOptions,
  PendingLogin,
  Purpose,
  SentText,
  Transaction,
} from '../stores/store';
import { findTextRefunds } from './charge-send';
import type { CodeVerifier } from './code-verifiers';
import type { LoginContext, PreparedSuccess } from './context';
import { findEarlierText, judgingMsLeft, reserveWithin } from './earlier-code';
import { finishLogin, isFinishLost } from './finish-login';
import type { Method, Reason, Refusal } from './outcome';
import { emitVerified } from './run-policies';
import { withTiming } from './events';
import { findUser } from './users';

/** What a session knows of the code it waits for. Its `pendingId` decides, the rest is shown. */
export interface PendingCode {
  readonly pendingId: string;
  /** The text it shows; null: none went out. */
  readonly otpId: string | null;
  readonly purpose: Purpose;
  readonly pendingUntil: number;
  readonly attemptsLeft: number;
}

/** A code to verify. */
export interface VerifyRequest {
  /** What came in the body, untouched. */
  readonly code: unknown;
  readonly pending: PendingCode | undefined;
  /** The logged-in user. A step-up requires that it is the pending login's. */
  readonly currentUser: Express.User | undefined;
  readonly address: string | undefined;
  /**
   * Asks the app and the session after the code was right, and returns what the success changes
   * besides.
   */
  readonly prepare: (passed: Verified) => Promise<PreparedSuccess | Refused>;
}

/** The code was right, and the pending login has ended with it. */
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
  /** Attempts that the text still admits, after one that was counted. */
  readonly attemptsLeft?: number | undefined;
  /** Null: no text can be had any more, because a lock outlasts the pending login. */
  readonly resendAt?: null;
}

/**
 * The response of the gateway or of the store's `finish` was lost, and the code may have been used
 * up, so its login ends.
 */
export interface Unconfirmed {
  readonly kind: 'unconfirmed';
  readonly error: SmsOtpError;
}

export type VerifyResult = Verified | Refused | Unconfirmed;

export type VerifyOtp = (request: VerifyRequest) => Promise<VerifyResult>;

/**
 * Makes the decision to let a user in by the codes of one factor. A wrong code is a value. The
 * returned function
 * @throws {SmsOtpError} for errors that leave the pending login alive, and what the app's own
 * callbacks throw.
 */
export function createVerifyOtp(login: LoginContext, verifier: CodeVerifier): VerifyOtp {
  const { pendingLogins } = login.store;
  const { maxAttempts } = login.settings;
  const isTexted = verifier.method === 'sms';
  const chargeAttempt = createAttemptLimit(toAttemptParts(login), verifier);

  return withTiming(login, 'verify', verifyOtp);

  async function verifyOtp(request: VerifyRequest): Promise<VerifyResult> {
    // 1 read the code
    const read = await readRequest(request);
    if ('kind' in read) return read;
    const { pending } = read;
    const startedAtMs = performance.now();
    // 2 admitted by the gateway's queue and breaker: a refusal here costs no attempt
    let permit = isTexted && pending.otpId === null ? undefined : await verifier.reserve?.();
    try {
      // 3 claim an attempt, on the pending login and on the user, before anything is verified
      const claimed = await claim(pending);
      if ('kind' in claimed) return claimed;
      const subject = toSubject(claimed.login, request);
      if (isTexted && claimed.text === null) return rejectWithoutText(subject, claimed);
      // The session says that no text is out, but another request of this login has sent one.
      permit ??= await verifier.reserve?.();
      const charged = await charge(claimed, subject);
      if (charged.kind === 'refused')
        return { ...rejectAttempt(subject, charged.refusal), ...toResend(charged) };
      // 4 to 7, and what is asked of the text before
      const counted = { ...read, ...claimed, ...charged, subject, startedAtMs };
      return await judge(request, counted, permit);
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
    if (isTexted && pending.attemptsLeft <= 0) return refuse('too-many-attempts');
    const taken = await verifier.challenge?.take(pending.pendingId);
    if (taken !== undefined && 'reason' in taken) return refuse(taken.reason);
    return { code, pending, factorChallenge: taken?.challenge };
  }

  /**
   * Counts an attempt on the pending login: of a text at that text, otherwise of the factor.
   * @param otpId Left out: the newest text.
   */
  async function claim(pending: PendingCode, otpId?: string): Promise<Claimed | Refused> {
    const most = verifier.counting === 'guess' ? maxAttempts : MAX_UNGUESSABLE;
    const of = isTexted ? 'text' : `factor:${verifier.method}`;
    const claim = await pendingLogins.claim(pending.pendingId, { of, otpId, most });
    if (claim.outcome === 'exhausted') return refuse('too-many-attempts');
    if (claim.outcome !== 'claimed' || claim.login.purpose !== pending.purpose)
      return refuseUnknown(pending.pendingId);
    const { attempt: number, ...live } = claim;
    return { ...live, number, left: most - number };
  }

  /**
   * Refuses a code whose pending login has passed or ended, or that another purpose has replaced.
   * One that has ended looks like a wrong code: only our own clock says expired.
   */
  async function refuseUnknown(pendingId: string): Promise<Refused> {
    return refuse((await hasPassed(pendingId)) ? 'already-verified' : 'wrong-code', true);
  }

  /** Counts an attempt on the user. */
  function charge(claimed: Claimed, subject: Subject): ReturnType<typeof chargeAttempt> {
    const { userId, address } = subject;
    const emit = (event: AttemptEvent): void => login.emit({ ...event, ...subject });
    return chargeAttempt({ userId, bucket: bucketOf(claimed), address, emit });
  }

  /** Steps 4 to 7, with an attempt that is counted on the user. */
  async function judge(
    request: VerifyRequest,
    charged: ChargedCode,
    permit: Permit | undefined,
  ): Promise<VerifyResult> {
    const found = await findJudged(request, charged);
    if ('kind' in found) return found;
    const counted = { ...charged, ...found };
    const judged = await decide(request, counted, permit);
    if (typeof judged === 'object') return judged;
    const earlier = judged === 'wrong' ? await judgeEarlier(request, counted) : null;
    // The store may have refused the success, and the gateway has used the code up: the login waits
    // for the code of a new message.
    if (judged === 'over' && counted.number > 1)
      return failJudged(counted, false, 'wrong', 'too-many-attempts');
    // Do not end the login when the code is over: a concurrent request with the right code may
    // still finish it in step 7.
    return earlier ?? failJudged(counted, judged === 'over');
  }

  /** Finds the user of a code that may be judged. */
  async function findJudged(
    request: VerifyRequest,
    counted: ChargedCode,
  ): Promise<Pick<JudgedCode, 'user'> | Refused> {
    const { login: pendingLogin, text } = counted;
    try {
      // 4 expired? A deadline that cannot be read has passed. Other factors have the whole login.
      const deadline = isTexted ? text?.expiresAt : pendingLogin.pendingUntil;
      if (!(Number(deadline) > login.now())) return await fail(counted, 'expired');

      // 5 load the user
      const user = await findUser(login, pendingLogin, request.currentUser);
      if (user !== null && (await verifier.isStillValid?.(user, counted)) !== false)
        return { user };
      await pendingLogins.end(pendingLogin.pendingId);
      return await fail(counted, 'user-gone', true);
    } catch (error) {
      await counted.attempt.end('not-checked');
      throw error;
    }
  }

  /** Has a code judged at its text, or by its factor. A right one lets in. */
  async function decide(
    request: VerifyRequest,
    counted: JudgedCode,
    permit: Permit | undefined,
    limitMs?: number,
  ): Promise<VerifyResult | 'wrong' | 'over'> {
    const { address } = request;
    try {
      // 6 the gateway, or the factor, verifies the code
      const result = await verifier.verify({ ...counted, address, limitMs }, permit);
      if (result.kind === 'lost') return await endUnconfirmed(counted, result.error);
      // 7 finish, once
      return result.kind === 'right' ? await finish(request, counted) : result.kind;
    } catch (error) {
      await endThrown(counted, error);
      throw error;
    }
  }

  /**
   * The code was wrong at the newest text: it may be that of the text before, where it is counted
   * like any other. Null: it was not judged there.
   */
  async function judgeEarlier(
    request: VerifyRequest,
    newest: JudgedCode & ChargedCode,
  ): Promise<VerifyResult | null> {
    const earlier = isTexted ? findEarlierText(login, newest) : null;
    if (earlier === null) return null;
    const limitMs = (): number => judgingMsLeft(newest.startedAtMs);
    const permit = await reserveWithin(verifier.reserve, limitMs());
    if (permit === null) return null;
    try {
      const claimed = await claim(newest.pending, earlier.otpId);
      if ('kind' in claimed) return null;
      const charged = await charge(claimed, newest.subject);
      if (charged.kind === 'refused') return null;
      const counted = {
        ...{ ...newest, ...claimed, left: newest.left, newer: newest.text },
        attempt: joinAttempts(newest.attempt, charged.attempt),
      };
      const judged = await decide(request, counted, permit, Math.max(0, limitMs()));
      if (typeof judged === 'object') return judged;
      // One that is over stays in the store, for the same reason as a whole login.
      return await failJudged(counted, false, judged === 'over' ? 'not-checked' : 'wrong');
    } finally {
      permit.release();
    }
  }

  /** The code was right: one step of the store does all that the success changes. */
  async function finish(request: VerifyRequest, counted: JudgedCode): Promise<VerifyResult> {
    const { attempt, login: pendingLogin, user } = counted;
    const { pendingId } = pendingLogin;
    const verified = toVerified(user, counted, verifier.method, login.now());
    const prepared = await request.prepare(verified);
    if (prepared.kind === 'refused') {
      await pendingLogins.end(pendingId);
      await attempt.end('not-used');
      return prepared;
    }
    const change = toFinishOptions(counted);
    const finished = await finishLogin(pendingLogins, pendingId, prepared, change).catch(
      async (error: unknown) => {
        if (!isFinishLost(error)) throw error;
        const unconfirmed = toUnconfirmed(counted, error);
        await endThrown(counted, error);
        return unconfirmed;
      },
    );
    if (typeof finished === 'object') return finished;
    // Another request has finished it first, and updates the session; or it has been ended.
    if (!finished) return failJudged(counted, false);
    await emitSuccess(counted);
    return verified;
  }

  /** Returns the changes that a success brings. A texted code proves the number for the user. */
  function toFinishOptions(counted: JudgedCode): Omit<FinishOptions, 'puts' | 'replaces'> {
    const { login: pendingLogin, attempt } = counted;
    const { userId } = pendingLogin;
    const text = findProven(counted);
    const proven = text === null ? [] : [provenCounter(userId, text.numberKey)];
    return {
      otpId: text?.otpId,
      leavesMark: verifier.counting !== 'answer',
      clears: attempt.success.clears,
      charges: [...proven, ...attempt.success.charges],
    };
  }

  /** The code was judged, and lets nobody in. */
  async function failJudged(
    counted: JudgedCode,
    endsPending: boolean,
    outcome: 'wrong' | 'not-checked' = 'wrong',
    reason: Reason = counted.left === 0 ? 'too-many-attempts' : 'wrong-code',
  ): Promise<Refused> {
    if (await hasPassed(counted.login.pendingId))
      return fail(counted, 'already-verified', true, 'sent-twice');
    return fail(counted, reason, endsPending, outcome);
  }

  /** Returns whether another request has passed this login with a code, as a double click does. */
  async function hasPassed(pendingId: string): Promise<boolean> {
    // A failure leaves the attempt counted, and `store-failing` reports it.
    return (await pendingLogins.find(pendingId).catch(() => null)) === 'passed';
  }

  /** The attempt failed. Keeps the login; `endsPending` removes it from the session. */
  async function fail(
    { attempt, subject, left }: Pick<JudgedCode, 'attempt' | 'subject' | 'left'>,
    reason: Reason,
    endsPending = false,
    outcome: 'wrong' | 'not-checked' | 'sent-twice' = 'wrong',
  ): Promise<Refused> {
    login.emit({ type: 'rejected', ...subject, reason });
    const stop = await attempt.end(outcome);
    const attemptsLeft = isTexted ? left : undefined;
    const refused = { ...refuse(reason, endsPending), attemptsLeft };
    if (stop === null || reason === 'user-gone' || reason === 'already-verified') return refused;
    // Otherwise the page would offer a new code, and the request for it would be refused.
    return { ...refused, refusal: stop.refusal, ...toResend(stop) };
  }

  /** The attempt is not made: the user has none left here. */
  function rejectAttempt(subject: Subject, refusal: Refusal): Refused {
    login.emit({ type: 'rejected', ...subject, reason: refusal.reason });
    return { kind: 'refused', refusal, endsPending: false };
  }

  /** No code fits: the attempt is counted on the pending login, and not on the user. */
  function rejectWithoutText(subject: Subject, { left }: Claimed): Refused {
    const reason = left === 0 ? 'too-many-attempts' : 'wrong-code';
    return { ...rejectAttempt(subject, { reason }), attemptsLeft: left };
  }

  /**
   * The answer was lost, and the code may be used up: its login ends. Where a newer text has gone
   * out since, only the text of this code does; where another request has passed, its mark stays.
   */
  async function endUnconfirmed(counted: JudgedCode, error: SmsOtpError): Promise<Unconfirmed> {
    const { login: pendingLogin, text, newer = text, attempt } = counted;
    const { pendingId } = pendingLogin;
    const live = await pendingLogins.find(pendingId);
    const isNewest = live !== 'passed' && live?.text?.otpId === newer?.otpId;
    await pendingLogins.end(pendingId, isNewest ? undefined : text?.otpId);
    const unconfirmed = toUnconfirmed(counted, error);
    await attempt.end('lost', findFirstText(counted));
    return unconfirmed;
  }

  /** The login has ended, and no user is in. */
  function toUnconfirmed({ subject }: JudgedCode, error: SmsOtpError): Unconfirmed {
    login.emit({ type: 'rejected', ...subject, reason: 'unconfirmed' });
    return { kind: 'unconfirmed', error };
  }

  /** Something threw while the code was judged, or when it was right. */
  async function endThrown(counted: JudgedCode, error: unknown): Promise<void> {
    if (!isTexted || mayHaveArrived(error)) await counted.attempt.end('threw');
    else await counted.attempt.end('not-checked', findFirstText(counted));
  }

  /** Only the first attempt at an OTP refunds its message, so that it is refunded once. */
  function findFirstText({ login: pendingLogin, text, number }: JudgedCode): readonly Counter[] {
    if (number !== 1 || text === null) return [];
    const { userId } = pendingLogin;
    return findTextRefunds(login, { userId, bucket: text.bucket });
  }

  /** Returns the text whose code was right. Null: another factor's was. */
  function findProven({ text }: Pick<JudgedCode, 'text'>): SentText | null {
    return isTexted ? text : null;
  }

  async function emitSuccess({ login: pendingLogin, ...live }: JudgedCode): Promise<void> {
    const { sends, subject } = live;
    login.emit({ type: 'failure-count-changed', ...subject, failures: 0 });
    const proven = findProven(live);
    if (login.hasListener) {
      const country = proven && (await login.readNumber(proven.mobile)()).country;
      const browser = toBrowserField(login, { login: pendingLogin, ...live });
      login.emit({ type: 'verified', ...subject, method: verifier.method, country, ...browser });
    }
    if (proven !== null) emitVerified(login, { login: pendingLogin, text: proven, sends });
  }
}

/** Recovery codes, or answers to a challenge, in one pending login. */
const MAX_UNGUESSABLE = 5;

/** A request whose code may be one, for a pending login that is not over. */
interface ReadRequest {
  readonly code: string;
  readonly pending: PendingCode;
  /** The challenge of ours that it answers, if the factor has one. */
  readonly factorChallenge: string | undefined;
}

/** The pending login of an attempt, and the text at which it is counted. */
interface Claimed extends LiveLogin {
  /** The number of this attempt at the text, or with the factor: from 1. */
  readonly number: number;
  /** The attempts that are left after it. */
  readonly left: number;
}

/** A code whose attempt has been counted on its user as well. */
interface ChargedCode extends Claimed, ReadRequest {
  readonly attempt: ChargedAttempt;
  /** Whom its events name. */
  readonly subject: Subject;
  /** By the monotonic clock. */
  readonly startedAtMs: number;
}

/** A code that is judged at its text. */
interface JudgedCode extends Omit<ChargedCode, 'attempt'> {
  readonly user: Express.User;
  readonly attempt: Attempt;
  /** The newer text, at which it was wrong. Left out: its text is the newest. */
  readonly newer?: SentText | null;
}

interface Subject {
  readonly userId: string;
  readonly purpose: Purpose;
  readonly address: string | undefined;
}

function toAttemptParts({ store: { counters }, limits, userBlocks }: LoginContext) {
  return { counters, limits, userBlocks };
}

/** The shortest lock outlasts the longest pending login. */
function toResend({ stopsTexts }: AttemptStop): Pick<Refused, 'resendAt'> {
  return stopsTexts ? { resendAt: null } : {};
}

function toSubject(
  { userId, purpose }: PendingLogin,
  { address }: Pick<VerifyRequest, 'address'>,
): Subject {
  return { userId, purpose, address };
}

function toVerified(
  user: Express.User,
  { login: pendingLogin, text }: LiveLogin,
  method: Method,
  at: number,
): Verified {
  const { userId, purpose, transaction, replaces } = pendingLogin;
  const mobile = text?.mobile ?? pendingLogin.mobile;
  const bucket = bucketOf({ login: pendingLogin, text });
  const verified = { user, userId, purpose, transaction, mobile, replaces, bucket };
  return { kind: 'verified', ...verified, method, at };
}

/** Returns the browser for which an attempt is counted. */
function bucketOf({ login: pendingLogin, text }: Pick<LiveLogin, 'login' | 'text'>): string {
  return text?.bucket ?? pendingLogin.bucket;
}

/** Without known browsers every login would look like one from a new browser. */
function toBrowserField(
  { browsers }: Pick<LoginContext, 'browsers'>,
  live: Pick<LiveLogin, 'login' | 'text'>,
): { readonly isKnownBrowser?: boolean } {
  return browsers.isOn ? { isKnownBrowser: sideOf(bucketOf(live)) === 'known' } : {};
}

export function refuse(reason: Reason, endsPending = false): Refused {
  return { kind: 'refused', refusal: { reason }, endsPending };
}
