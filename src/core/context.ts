import type { Warn } from '../errors';
import type { LoginGateway } from '../gateway';
import type { KeyedDigest } from '../keys';
import type { UserBlocks } from '../limits/address-block';
import type { LimitTable } from '../limits/rows';
import type { ReadNumber } from '../limits/number-country';
import type { NumberKeys } from '../limits/number-keys';
import type { BuildMessage } from '../messages/build-message';
import type { GuardedStore } from '../stores/guarded-store';
import type { PendingState } from '../stores/pending-logins';
import type {
  KnownBrowser,
  Login,
  PutResult,
  RecordPut,
  RecordReference,
  UserId,
} from '../stores/store';
import type { LoginEnd, SmsOtpEvent, UnusablePhone } from './events';
import type { Feature, PreparedPut } from './feature';
import type { Method } from './outcome';

export type { PendingState };

/** A pending login that has begun for a request. */
export interface BegunPending {
  readonly kind: 'begun';
  readonly state: PendingState;
  /** Whether it was begun by an earlier request, which sends its message. */
  readonly isJoined: boolean;
}

/** The bounds of one pending login and its texts. */
export interface LoginSettings {
  readonly codeValiditySeconds: number;
  readonly pendingLoginSeconds: number;
  readonly maxAttempts: number;
  readonly maxSends: number;
  readonly acceptsEarlierCode: boolean;
  readonly resendCooldownSeconds: number;
}

/** A number of a user that may be texted. */
export interface UserPhone {
  /** E.164 with plus. */
  readonly mobile: string;
  /** Whether the app says that the number is the user's. */
  readonly isConfirmed: boolean;
}

/** The numbers of a user that may be texted, the default first; or why none is known now. */
export type UserPhones = readonly UserPhone[] | { readonly found: UnusablePhone };

/** A prepared record that brings a cookie. */
export interface PreparedCookie extends Omit<PreparedPut, 'done'> {
  /** Returns the cookie from now on. */
  readonly done: (result: PutResult) => Promise<CookieValue>;
}

/**
 * A success that `finish` has written. The session layer calls one of the two, once. Neither
 * rejects.
 */
export interface WrittenSuccess {
  /** The session that names it was saved: sets the cookies and emits the events. */
  readonly done: () => Promise<void>;
  /** No session names it: takes its records back. */
  readonly undo: () => Promise<void>;
}

/** What a success changes besides counters. */
export interface PreparedSuccess {
  readonly kind: 'prepared';
  readonly puts: readonly PreparedPut[];
  /** The record that must still be there, and goes. */
  readonly replaces?: RecordReference | undefined;
}

/** The browsers in which users are known. A failure of the store is a `StoreError`. */
export interface KnownBrowsers {
  readonly isOn: boolean;
  /**
   * Returns the id of the browser if its cookie is genuine and this user's, otherwise
   * `OTHER_BROWSERS`. Asks no store.
   */
  readonly findBucket: (cookie: string | undefined, userId: string) => Promise<string>;
  /**
   * Returns whether this browser is counted apart from all others: its cookie is genuine and this
   * user's, and it has failures left. Counts nothing.
   */
  readonly isKnown: (cookie: string | undefined, userId: string) => Promise<boolean>;
  /** Prepares to make the browser of a success known; null: the cookie that it has is good. */
  readonly prepare: (success: BrowserSuccess) => Promise<PreparedCookie | null>;
  /** Returns the user's browsers, newest first. */
  readonly list: (userId: string) => Promise<readonly KnownBrowser[]>;
  /** Makes all browsers of a user unknown. */
  readonly forget: (userId: string) => Promise<void>;
}

/** A success in a browser. */
export interface BrowserSuccess {
  /** The cookie's value, unchecked; undefined when there is none. */
  readonly cookie: string | undefined;
  readonly userId: string;
  /** The pending login's. */
  readonly bucket: string;
}

/** The value of a cookie from now on. */
export interface CookieValue {
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What a session keeps of its login. */
export interface LoginReference {
  readonly userId: string;
  readonly loginId: string;
}

/** A login as its user's page may show it. Times are milliseconds since 1970. */
export interface ListedLogin {
  readonly loginId: string;
  /** The browser and system, such as `Firefox, Windows`; may be empty. */
  readonly label: string;
  /** How the second factor was passed; null when none was required. */
  readonly method: Method | null;
  readonly startedAt: number;
  /** Written once an hour. */
  readonly lastSeenAt: number;
}

/**
 * The records of logins, and what this process knows of them. A failure of the store is a
 * `StoreError`.
 */
export interface LoginRegistry {
  /**
   * Whether this process has found the login live within `checkEverySeconds` before this time.
   * Allocates nothing.
   */
  readonly isChecked: (loginId: string, atMs: number) => boolean;
  /** Returns whether the login is live, and asks the store unless it is checked. */
  readonly isLive: (login: LoginReference) => Promise<boolean>;
  /** Asks the store now. Null: the login has ended. */
  readonly findLive: (login: LoginReference) => Promise<Login | null>;
  /** Begins a login at once, for a session from before `logins` was switched on. */
  readonly begin: (login: NewLogin) => Promise<WrittenLogin>;
  /** Prepares a login that begins with a success. */
  readonly prepare: (login: NewLogin) => PreparedLogin;
  /**
   * Prepares another login in the place of this one, with the same beginning.
   * @param method Undefined: it stays.
   */
  readonly prepareNext: (
    before: Login,
    method: Method | undefined,
  ) => PreparedLogin & { readonly replaces: RecordReference };
  /** Puts another login in the place of this one, in one step. Null: it has ended, none begins. */
  readonly replace: (login: LoginReference, method: Method) => Promise<WrittenLogin | null>;
  /** Ends a login; returns whether it was live. */
  readonly end: (login: LoginReference, reason: LoginEnd) => Promise<boolean>;
  /** Ends all logins of a user but one; returns how many there were. */
  readonly endAll: (userId: string, reason: LoginEnd, except?: string) => Promise<number>;
  /**
   * Ends the logins that are listed beside this one, and none where this one is not listed. A login
   * that takes its place meanwhile stays.
   */
  readonly endListed: (login: LoginReference, reason: LoginEnd) => Promise<void>;
  /** Returns the user's logins, the newest first. */
  readonly list: (id: UserId) => Promise<readonly ListedLogin[]>;
  /** Ends a login of this user; returns whether it was live. */
  readonly revoke: (id: UserId, loginId: string) => Promise<boolean>;
}

/** A login whose record is written with a success. */
export interface PreparedLogin extends PreparedPut {
  readonly login: LoginReference;
}

/** A login whose record is written. */
export interface WrittenLogin extends WrittenSuccess {
  readonly login: LoginReference;
}

/** A login that begins. */
export interface NewLogin {
  readonly userId: string;
  readonly method: Method | null;
  readonly label: string;
}

/** The type of `Express.User['id']` where the app has declared one: what its own callbacks take. */
export type AppUserId = Express.User extends { readonly id: infer Id extends UserId } ? Id : UserId;

/** Lists the factors, besides texts, that a user is offered now. */
export type ListFactors = (user: Express.User, userId: string) => Promise<readonly string[]>;

/**
 * Returns whether it is certain that a user has nothing to pass a second factor with. False as well
 * when a callback or the store fails, and when `load` returns no user or another one: a right is
 * never given because nobody could say no.
 */
export type HasNoFactor = (userId: string, load: () => unknown) => Promise<boolean>;

/** Everything the decisions need, made once by `createSmsOtp`. */
export interface Core {
  readonly warn: Warn;
  readonly settings: LoginSettings;
  readonly gateway: LoginGateway;
  readonly store: GuardedStore;
  /** In the order in which they are called. */
  readonly features: readonly Feature[];
  readonly buildMessage: BuildMessage;
  readonly numberKeys: NumberKeys;
  readonly readNumber: ReadNumber;
  /** Lists the numbers of a user. Rejects with what the app's callback throws. */
  readonly listPhones: (user: Express.User) => Promise<UserPhones>;
  readonly limits: LimitTable;
  readonly getUserId: (user: Express.User) => AppUserId;
  readonly loadUser: (userId: AppUserId) => unknown;
  readonly emit: (event: SmsOtpEvent) => void;
  /** Whether there is an `onEvent`: otherwise what only serves events is skipped. */
  readonly hasListener: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Makes a digest for each of the app's secrets: the first makes values, all are read. */
  readonly createDigests: (label: string) => readonly KeyedDigest[];
  /** Make the ids that pages use for a user's numbers. */
  readonly phoneIds: readonly KeyedDigest[];
  readonly browsers: KnownBrowsers;
  /** Names the blocks of a user's address without naming the user or the address. */
  readonly userBlocks: UserBlocks;
  /** Undefined with `logins: false`. */
  readonly logins: LoginRegistry | undefined;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Returns a string that cannot be guessed. */
  readonly randomId: () => string;
}
