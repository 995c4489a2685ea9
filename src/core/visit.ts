import type { Purpose } from '../stores/store';

/** The facts of one request that the decisions need. The HTTP edge reads them once. */
export interface Visit {
  /** The client's address as Express gives it. */
  readonly address: string | undefined;
  /** The logged-in user. Between the password and the code there is none. */
  readonly currentUser: Express.User | undefined;
  /** The code that the session waits for; undefined: it waits for none. */
  readonly pending: PendingCode | undefined;
  /** The cookie of known browsers, unchecked. */
  readonly browserCookie: string | undefined;
  /** Returns what tells two senders of one login form apart. */
  readonly readSender: () => Sender;
  /** Names the step-ups, transactions and enrollments of this session: one replaces the other. */
  readonly toSeries: () => string;
  /** Returns whether the user needs the second factor at a login. Asks the app once. */
  readonly isRequired: (user: Express.User) => Promise<boolean>;
  readonly getLocale: (user: Express.User) => Promise<string | undefined>;
  /** Returns what the app's option `preferredFactor` returns, unchecked. */
  readonly getPreferredFactor: (user: Express.User) => Promise<unknown>;
}

/** What came with a request, unchecked. */
export interface Sender {
  /** The id of the session that the request brought. */
  readonly sessionId: string | undefined;
  readonly userAgent: string | undefined;
  /** The header `Accept-Language`. */
  readonly languages: string | undefined;
}

/** What a session knows of the code it waits for. Its `pendingId` decides, the rest is shown. */
export interface PendingCode {
  readonly pendingId: string;
  /** The OTP whose message it shows; null: no message went out. */
  readonly otpId: string | null;
  readonly purpose: Purpose;
  readonly pendingUntil: number;
  readonly attemptsLeft: number;
  /** The factors that a step-up accepts. Left out: any. */
  readonly methods?: readonly string[];
  /** The number that its user has chosen among several. */
  readonly phoneId?: string;
}
