import type { Purpose, UserId } from '../stores/store';

/** The facts of one request that the decisions need. The HTTP edge reads them once. */
export interface Visit {
  /** Stands for the request, so that features know it again. Nothing of it is read. */
  readonly request: object;
  /** The client's address as Express gives it. */
  readonly address: string | undefined;
  /** The logged-in user. Between the password and the code there is none. */
  readonly currentUser: Express.User | undefined;
  /** The code that the session waits for; undefined: it waits for none. */
  readonly pending: PendingCode | undefined;
  /** Returns what the session keeps of its login now; undefined: nothing. */
  readonly readLogin: () => LoginReference | undefined;
  /** What a user may know the browser by, such as `Firefox, Windows`; may be empty. */
  readonly readLabel: () => string;
  readonly cookies: Cookies;
  /** Returns a field of the form, unchecked. */
  readonly readField: (name: string) => unknown;
  /** Returns what tells two senders of one login form apart. */
  readonly readSender: () => Sender;
  /** Names the step-ups, transactions and enrollments of this session: one replaces the other. */
  readonly toSeries: () => string;
  /** Returns whether the user needs the second factor at a login. Asks the app once. */
  readonly isRequired: (user: Express.User) => Promise<boolean>;
  readonly getLocale: (user: Express.User) => Promise<string | undefined>;
  /** Calls the app's option of that name. Rethrows what the app throws. */
  readonly endOtherSessions: (userId: UserId) => Promise<void>;
  /** Returns what the app's option `preferredFactor` returns, unchecked. */
  readonly getPreferredFactor: (user: Express.User) => Promise<unknown>;
}

/** What a session keeps of its login. */
export interface LoginReference {
  readonly userId: string;
  readonly loginId: string;
}

/** The cookies that features have in a browser. */
export interface Cookies {
  /** Returns the value, unchecked; undefined when there is none. */
  readonly read: (name: string) => string | undefined;
  /** Returns whether a cookie can be set: not once the answer has begun. */
  readonly canSet: () => boolean;
  readonly set: (name: string, cookie: CookieValue) => void;
  readonly clear: (name: string) => void;
}

/** The value of a cookie from now on. */
export interface CookieValue {
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
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
