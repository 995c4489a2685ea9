import type { Method } from '../method';
import type { Purpose, Transaction } from '../stores/store';

/** Why something was refused, or what there is to say about it. The list is closed. */
export const REASONS = [
  'malformed-code',
  'malformed-phone',
  'wrong-password',
  'wrong-code',
  'expired',
  'no-pending-login',
  'already-verified',
  'too-many-attempts',
  'locked',
  'disabled',
  'resend-too-soon',
  'send-limit',
  'not-sent',
  'no-phone',
  'last-phone',
  'unsuitable-phone',
  'unknown-range',
  'country-not-allowed',
  'denied',
  'user-gone',
  'unconfirmed',
  'not-required',
  'second-factor-required',
  'second-factor-too-old',
  'login-ended',
] as const;

/**
 * One of the closed list of reasons. `unconfirmed`: the gateway's answer was lost. `not-sent`: the
 * gateway failed.
 */
export type Reason = (typeof REASONS)[number];

/** A confirmed number of the user, as a page may show it. */
export interface PhoneChoice {
  /**
   * What a form sends back to choose it; the same for every session, and does not reveal the
   * number.
   */
  readonly phoneId: string;
  readonly maskedPhone: string;
}

/** What a page may know of a pending login or step-up. Times are milliseconds since 1970. */
export interface PendingStatus {
  readonly purpose: Purpose;
  /**
   * Whether a message went out, or is on its way. False: the user passes with another factor, or
   * asks for a message at `resendAt`.
   */
  readonly isSent: boolean;
  /** The last two digits, the rest masked; empty when the user has no number. */
  readonly maskedPhone: string;
  /** When the newest code expires; without a text: when the pending login ends. */
  readonly expiresAt: number;
  /** When the pending login ends, whatever is resent. */
  readonly pendingUntil: number;
  /** When a new code may be asked for; null when none can be had any more. */
  readonly resendAt: number | null;
  /** Codes that may still be entered. */
  readonly attemptsLeft: number;
  /**
   * What this user can do now: `sms` where a message went out or may be asked for, and names of
   * other factors.
   */
  readonly factors: readonly string[];
  /** The numbers a new code may be sent to, the default first. Only when the user has several. */
  readonly phones?: readonly PhoneChoice[];
  /** What the code is for, as the text message says it. Only for transactions. */
  readonly transaction?: Transaction;
}

/** A refusal: a value, never an error. */
export interface Refusal {
  readonly reason: Reason;
  /** Seconds after which another try makes sense. */
  readonly retryAfterSeconds?: number;
}

/** What became of `send`, `resend` and `stepUp`. */
export type SendOutcome =
  | ({ readonly sent: true } & PendingStatus)
  /** `pending`: the login waits without a text. */
  | ({ readonly sent: false; readonly pending?: boolean } & Refusal)
  /** Another factor comes first: no text was asked for. */
  | ({
      readonly sent: false;
      readonly pending: true;
      readonly reason?: undefined;
      readonly retryAfterSeconds?: undefined;
    } & PendingStatus);

/** What became of `verify`. */
export type VerifyOutcome<User = Express.User> =
  | {
      readonly verified: true;
      readonly user: User;
      readonly method: Method;
      /** Milliseconds since 1970. */
      readonly at: number;
      /**
       * What the user has approved: carry out this, never what the request says. Only for
       * transactions.
       */
      readonly transaction?: Transaction;
    }
  | ({ readonly verified: false } & Refusal);

/** What became of `cancel`. */
export interface CancelOutcome {
  readonly cancelled: true;
}

/** What became of `phones.remove` and `phones.setDefault`. */
export type PhoneOutcome =
  | ({ readonly changed: true } & PhoneChoice)
  | ({ readonly changed: false } & Refusal);

/** What became of `logout`. */
export interface LogoutOutcome {
  readonly loggedOut: true;
}

/**
 * Adds the names of the others to each member of a union, as undefined, so that they can be read of
 * any.
 */
type WithAllNames<Outcome, All = Outcome> = Outcome extends unknown
  ? Outcome &
      Partial<
        Readonly<Record<Exclude<All extends unknown ? keyof All : never, keyof Outcome>, undefined>>
      >
  : never;

/**
 * What `req.smsOtp` holds after one of the middlewares ran. Its `user` is left out of JSON, logs
 * and copies.
 */
export type SmsOtpOutcome = WithAllNames<
  SendOutcome | VerifyOutcome | CancelOutcome | LogoutOutcome | PhoneOutcome
>;
