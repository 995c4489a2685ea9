import type { Method } from '../method';
import type { Purpose, UserId } from '../stores/store';

/** The facts of one request that the decisions need. The HTTP layer reads them once. */
export interface Visit {
  /** Stands for the request, so that features can recognize it. Nothing of it is read. */
  readonly request: object;
  /** The client's address as Express returns it. */
  readonly address: string | undefined;
  /** The logged-in user. Between the password and the code there is none. */
  readonly currentUser: Express.User | undefined;
  /** The code that the session waits for; undefined: none. */
  readonly pending: PendingCode | undefined;
  /** Returns what the session keeps of its login now; undefined: nothing. */
  readonly readLogin: () => LoginReference | undefined;
  /**
   * Returns a label by which a user may recognize the browser, such as `Firefox, Windows`; may be
   * empty.
   */
  readonly readLabel: () => string;
  readonly cookies: Cookies;
  /** Returns a field of the form, unchecked. */
  readonly readField: (name: string) => unknown;
  /** Returns values that differ between two senders of the same login form. */
  readonly readSender: () => Sender;
  /**
   * Returns the name of the series of this session: its step-ups, transactions and enrollments, of
   * which a new one replaces the one before.
   */
  readonly toSeries: () => string;
  /** Returns whether the user needs the second factor at a login. Asks the app only once. */
  readonly isRequired: (user: Express.User) => Promise<boolean>;
  readonly getLocale: (user: Express.User) => Promise<string | undefined>;
  /** Calls the app's option of that name. Rethrows the app's error. */
  readonly endOtherSessions: (userId: UserId) => Promise<void>;
  /** Returns what the app's option `preferredFactor` returns, unchecked. */
  readonly getPreferredFactor: (user: Express.User) => Promise<unknown>;
}

/** What a session keeps of its login. */
export interface LoginReference {
  readonly userId: string;
  readonly loginId: string;
}

/** Reads and sets the cookies of features in a browser. */
export interface Cookies {
  /** Returns the value, unchecked; undefined if there is none. */
  readonly read: (name: string) => string | undefined;
  /** Returns whether a cookie can be set: no longer once the response has begun. */
  readonly canSet: () => boolean;
  readonly set: (name: string, cookie: CookieValue) => void;
  readonly clear: (name: string) => void;
}

/** The new value of a cookie. */
export interface CookieValue {
  readonly value: string;
  readonly expiresAt: number;
}

/** What a request brought, unchecked. */
export interface Sender {
  /** The id of the session that the request brought. */
  readonly sessionId: string | undefined;
  readonly userAgent: string | undefined;
  /** The header `Accept-Language`. */
  readonly languages: string | undefined;
}

/**
 * What a session knows of the code it waits for. Its `pendingId` decides; the rest is only shown.
 */
export interface PendingCode {
  readonly pendingId: string;
  /** The OTP of the message that was shown; null: no message was sent. */
  readonly otpId: string | null;
  /** The factor that sent it. Left out: it went by text message. */
  readonly factor?: Method;
  readonly purpose: Purpose;
  readonly pendingUntil: number;
  readonly attemptsLeft: number;
  /** The factors that a step-up accepts. Left out: any. */
  readonly methods?: readonly string[];
  /** The number or other address that the user has chosen, if there are several. */
  readonly phoneId?: string;
}
