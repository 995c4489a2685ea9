import type { SessionData } from 'express-session';
import { isObject } from '../errors';
import type { PendingStatus, Reason, SmsOtpOutcome } from '../core/outcome';
import type { VerifiedMark } from '../core/users';
import type { LoginReference } from '../core/visit';
import type { Method } from '../method';
import type { KeptPage } from './kept-page';

/** What `req.session.smsOtp` holds. */
export interface SmsOtpSession {
  readonly version: 1;
  readonly pending?: PendingSlot;
  readonly verified?: VerifiedMark;
  /** How the first factor was passed, if its strategy said so. RFC 8176. */
  readonly amr?: readonly string[];
  /**
   * The login of this session: its user, and its id in the store. Only with the option `logins`.
   */
  readonly login?: LoginReference;
  /** The reason of a refusal that was answered with a redirect, until `status()` returns it. */
  readonly notice?: Reason;
  /** Belongs to the notice: when another try makes sense, in milliseconds since 1970. */
  readonly retryAt?: number | null;
  /** Belongs to the notice: when it is too old to be shown, in milliseconds since 1970. */
  readonly noticeUntil?: number;
  /** The page that a guard refused. */
  readonly returnTo?: KeptPage;
}

/** Returns the slot without the reason that was kept for the next page. */
export function withoutReason({
  notice: _shown,
  retryAt: _told,
  noticeUntil: _over,
  ...rest
}: SmsOtpSession): SmsOtpSession {
  return rest;
}

/**
 * The code that this session waits for, and what a page may show. Its `pendingId` decides. It has
 * no number, no code and no token.
 */
export interface PendingSlot extends Omit<PendingStatus, 'maskedPhone' | 'factor'> {
  readonly pendingId: string;
  /** The OTP id of the last message; null: none was sent. */
  readonly otpId: string | null;
  /** The factor that sends its code. Left out: it goes by text message. */
  readonly factor?: Method;
  /**
   * The part of the address that may be shown, empty without one. The dots of a mask would double
   * the bytes of the whole session.
   */
  readonly phoneEnding: string;
  /** Why no message was sent, and the HTTP status of the error if there was one. */
  readonly reason?: Reason;
  readonly failureStatus?: number;
  /** The page that the user wanted. */
  readonly returnTo?: KeptPage;
  /** The factors that a step-up accepts. Left out: any. */
  readonly methods?: readonly string[];
  /** The number or other address that the user has chosen, if there are several. */
  readonly phoneId?: string;
  /** Another session began the pending login, and only that session may end it. */
  readonly isJoined?: boolean;
  /** The process whose memory holds the login; absent if the store is shared. */
  readonly processId?: string;
}

/**
 * The library's keys of a session. It names `SessionData` so that the augmentation below stays in
 * the declaration file.
 */
export type SmsOtpSessionData = Pick<SessionData, 'smsOtp'>;

declare module 'express-session' {
  interface SessionData {
    /** Kept by passport-sms-otp. */
    smsOtp?: SmsOtpSession;
  }
}

declare global {
  namespace Express {
    interface Request {
      /** The outcome of the last middleware of passport-sms-otp in this request. */
      smsOtp?: SmsOtpOutcome;
    }
  }
}

/**
 * Returns whether a value is a slot as this version writes it. Sessions are stored outside of this
 * process: a slot of another version, or an invalid one, counts as none. Allocates nothing, because
 * guards call it on every request.
 */
export function isSlot(value: unknown): value is SmsOtpSession {
  if (!isObject(value) || value.version !== 1) return false;
  const { pending, verified, login } = value;
  const hasMark = verified === undefined || isMark(verified);
  return (
    (pending === undefined || isPending(pending)) &&
    hasMark &&
    (login === undefined || isLogin(login))
  );
}

function isPending(value: unknown): boolean {
  if (!isObject(value)) return false;
  const {
    otpId,
    pendingId,
    phoneEnding,
    purpose,
    isSent,
    expiresAt,
    pendingUntil,
    attemptsLeft,
    factors,
  } = value;
  const hasIds =
    (otpId === null || typeof otpId === 'string') &&
    typeof pendingId === 'string' &&
    typeof phoneEnding === 'string';
  const hasTimes = Number.isFinite(expiresAt) && Number.isFinite(pendingUntil);
  const hasRest =
    typeof isSent === 'boolean' && Number.isFinite(attemptsLeft) && Array.isArray(factors);
  return hasIds && hasTimes && hasRest && isPurpose(purpose);
}

function isPurpose(value: unknown): boolean {
  return value === 'login' || value === 'step-up' || value === 'transaction' || value === 'enroll';
}

function isMark(value: unknown): boolean {
  return isObject(value) && typeof value.userId === 'string' && Number.isFinite(value.at);
}

function isLogin(value: unknown): boolean {
  return isObject(value) && typeof value.userId === 'string' && typeof value.loginId === 'string';
}

/** Returns how the first factor was passed, as values of RFC 8176. */
export function firstAmr(slot: { readonly amr?: unknown }): readonly string[] {
  return toKept(slot).amr ?? ['pwd'];
}

/** Returns a slot with only what it keeps from the first factor on. */
export function toKept({ amr }: { readonly amr?: unknown }): SmsOtpSession {
  const isGiven =
    Array.isArray(amr) && amr.length > 0 && amr.every((one) => typeof one === 'string');
  return isGiven ? { version: 1, amr } : { version: 1 };
}
