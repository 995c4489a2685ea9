import type { Method } from '../method';
import type { Purpose, Transaction } from '../stores/store';

/** Every reason of a refusal or notice. The list is closed. */
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
   * The id that a form sends back to choose the number. It is the same in every session and does
   * not reveal the number.
   */
  readonly phoneId: string;
  readonly maskedPhone: string;
}

/** Where a code may be sent: a number of the user, or the address of another factor. */
export interface CodeChoice extends PhoneChoice {
  /** The factor that sends it: `sms`, or a name of `factors`. */
  readonly factor: Method;
}

/** What a page may know of a pending login or step-up. Times are milliseconds since 1970. */
export interface PendingStatus {
  readonly purpose: Purpose;
  /**
   * Whether a message was sent, or is being sent. False: the user passes with another factor, or
   * asks for a message at `resendAt`.
   */
  readonly isSent: boolean;
  /**
   * Where the newest code went, or where the next one goes: the last two digits of a number, the
   * first character and the domain of an email address, the rest masked. Empty if the user has
   * neither.
   */
  readonly maskedPhone: string;
  /** The factor that sends that code: `sms`, or a name of `factors`. */
  readonly factor: Method;
  /** When the newest code expires; without a message, when the pending login ends. */
  readonly expiresAt: number;
  /** When the pending login ends, even if codes are resent. */
  readonly pendingUntil: number;
  /** When a new code may be requested; null if none can be requested any more. */
  readonly resendAt: number | null;
  /** How many codes may still be entered. */
  readonly attemptsLeft: number;
  /**
   * What this user can do now: `sms` and other factors that send codes, if a message was sent or
   * may be requested, and the names of other factors.
   */
  readonly factors: readonly string[];
  /**
   * The numbers and other addresses to which a new code may be sent, the default number first. Only
   * if the user has several.
   */
  readonly phones?: readonly CodeChoice[];
  /** The transaction to approve, as the text message shows it. Only for transactions. */
  readonly transaction?: Transaction;
}

/** A refusal. It is a value, never an error. */
export interface Refusal {
  readonly reason: Reason;
  /** Seconds after which another try makes sense. */
  readonly retryAfterSeconds?: number;
}

/** The outcome of `send`, `resend` and `stepUp`. */
export type SendOutcome =
  | ({ readonly sent: true } & PendingStatus)
  /** `pending`: the login is pending without a message. */
  | ({ readonly sent: false; readonly pending?: boolean } & Refusal)
  /** Another factor comes first: no message was requested. */
  | ({
      readonly sent: false;
      readonly pending: true;
      readonly reason?: undefined;
      readonly retryAfterSeconds?: undefined;
    } & PendingStatus);

/** The outcome of `verify`. */
export type VerifyOutcome<User = Express.User> =
  | {
      readonly verified: true;
      readonly user: User;
      readonly method: Method;
      /** Milliseconds since 1970. */
      readonly at: number;
      /**
       * What the user has approved. Carry out this, never what the request says. Only for
       * transactions.
       */
      readonly transaction?: Transaction;
    }
  | ({ readonly verified: false } & Refusal);

/** The outcome of `cancel`. */
export interface CancelOutcome {
  readonly cancelled: true;
}

/** The outcome of `phones.remove` and `phones.setDefault`. */
export type PhoneOutcome =
  | ({ readonly changed: true } & PhoneChoice)
  | ({ readonly changed: false } & Refusal);

/** The outcome of `logout`. */
export interface LogoutOutcome {
  readonly loggedOut: true;
}

/**
 * Adds the fields of all other members to each member of a union, as undefined, so that every field
 * can be read without narrowing.
 */
type WithAllNames<Outcome, All = Outcome> = Outcome extends unknown
  ? Outcome &
      Partial<
        Readonly<Record<Exclude<All extends unknown ? keyof All : never, keyof Outcome>, undefined>>
      >
  : never;

/**
 * The outcome in `req.smsOtp` after one of the middlewares ran. Its `user` is left out of JSON,
 * logs and copies.
 */
export type SmsOtpOutcome = WithAllNames<
  SendOutcome | VerifyOutcome | CancelOutcome | LogoutOutcome | PhoneOutcome
>;
