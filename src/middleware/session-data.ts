import type { SessionData } from 'express-session';
import type { Method, PendingStatus, Reason, SmsOtpOutcome } from '../login/outcome';

/** The code this session waits for: its OTP id and what a page may show. No number, no code, no token. */
export interface PendingSlot extends PendingStatus {
  readonly otpId: string;
  readonly pendingId: string;
  /** Where the user wanted to go. */
  readonly returnTo?: string;
}

/** The positive record that this session's user passed the second factor. It names the user and is compared on every use. */
export interface VerifiedMark {
  readonly userId: string;
  readonly method: Method;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What `req.session.smsOtp` holds. */
export interface SmsOtpSession {
  readonly version: 1;
  readonly pending?: PendingSlot;
  readonly verified?: VerifiedMark;
  /** The reason of a refusal that was answered with a redirect, until `status()` gives it out. */
  readonly notice?: Reason;
  /** The page a guard turned away. */
  readonly returnTo?: string;
}

/** The library's keys of a session; naming `SessionData` keeps the augmentation below in the declaration file. */
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
      /** What the last middleware of passport-sms-otp did in this request. */
      smsOtp?: SmsOtpOutcome;
    }
  }
}

type Members = Readonly<Record<string, unknown>>;

/**
 * True for a slot as this version writes it. Sessions rest outside of this process: a slot of another version or with
 * anything odd in it counts as none. Allocates nothing: guards ask it on every request.
 */
export function isSlot(value: unknown): value is SmsOtpSession {
  if (!isObject(value) || value.version !== 1) return false;
  const { pending, verified } = value;
  return (pending === undefined || isPending(pending)) && (verified === undefined || isMark(verified));
}

function isPending(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { otpId, pendingId, purpose, expiresAt, pendingUntil } = value;
  const hasIds = typeof otpId === 'string' && typeof pendingId === 'string';
  const hasTimes = Number.isFinite(expiresAt) && Number.isFinite(pendingUntil);
  return hasIds && hasTimes && isPurpose(purpose);
}

function isPurpose(value: unknown): boolean {
  return value === 'login' || value === 'step-up' || value === 'transaction' || value === 'enroll';
}

function isMark(value: unknown): boolean {
  return isObject(value) && typeof value.userId === 'string' && Number.isFinite(value.at);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}
