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
