import type { SmsOtpError } from '../errors';
import type { Permit } from '../gateway';
import type { ReadNumber } from '../limits/number-country';
import type {
  Counter,
  PendingLogin,
  Purpose,
  PutResult,
  RecordPut,
  RecordReference,
  SentOtp,
} from '../stores/store';
import type { Refusal } from './outcome';
import type { Method } from '../method';
import type { LoginReference, Visit } from './visit';

/**
 * Adds one feature to the core, which calls all features in the order of their list. A feature
 * that is not configured is not in the list. The core never reads what a feature stores.
 */
export interface Feature<Edge = unknown> {
  /** Its own: two features never have one name. */
  readonly name: string;
  /** Returns what it knows of a pending login that begins. Calls nothing of the app. */
  begins?(userId: string, visit: Visit): Promise<Begins | null>;
  /**
   * Lets in a user who needs a second factor and has not passed one in this login. Null: it does
   * not. Writes nothing.
   */
  letsIn?(asked: PendingUser, visit: Visit): Promise<UserLetIn | null>;
  /** Says what it has to say about a message that is about to be sent. Null: nothing. */
  beforeMessage?(message: MessageFacts): MessageRule | null;
  /**
   * Returns what a success changes. A refusal stops the success. Writes nothing: all that is
   * returned is written in the step that ends the pending login.
   */
  onSuccess?(success: Success, visit: Visit): Promise<Written | Refusal | null> | Written | null;
  /** The second factors that it adds. */
  readonly factors?: readonly Factor[];
  /** Returns the factors, besides messages, that a user can use now. */
  offers?(user: Express.User, userId: string): Promise<readonly string[]>;
  /**
   * Returns whether a user has something of this feature to pass a second factor with, whether or
   * not it works now. Rejects when that is not known.
   */
  has?(user: Express.User, userId: string): Promise<boolean>;
  /** Says whether the login of a session is active. At most one feature does. */
  readonly sessions?: SessionLogins;
  /**
   * Ends what a user has elsewhere. All features are called in the order of their list. The same
   * call again completes one that failed.
   */
  endAll?(userId: string, ending: Ending): Promise<unknown>;
  /** Returns the ids of the browsers of a user that have counters of their own. */
  listBrowserIds?(userId: string): Promise<readonly string[]>;
  /** Removes what is stored about a user and has not ended with everything else. */
  forget?(userId: string): Promise<unknown>;
  /** Returns what is stored about a user, without anything that lets one in. */
  exportUser?(userId: string): Promise<object>;
  /**
   * Returns what it adds to the object that `createSmsOtp` returns.
   * @param edge The HTTP edge.
   */
  members?(edge: Edge): object;
}

/** Says whether the login of a session is active. A failure of the store is a `StoreError`. */
export interface SessionLogins {
  /**
   * Returns whether this request, or this process shortly before, has found a login active. Asks no
   * store, and allocates nothing: a guard asks for every request.
   * @param request As in a visit.
   */
  isChecked(request: object, loginId: string, atMs: number): boolean;
  /** Returns whether a login is active. Asks the store unless it was asked shortly before. */
  isActive(request: object, login: LoginReference): Promise<boolean>;
  /** The same, and asks the store now. */
  isStillActive(request: object, login: LoginReference): Promise<boolean>;
  /** Puts a login in place of the session's at once. Null: it has ended in the meantime. */
  renew(visit: Visit, userId: string, method: Method): Promise<RenewedLogin | null>;
  /** Ends the login of a session. */
  end(login: LoginReference): Promise<unknown>;
}

/** A login that has been put in place of the session's. */
export interface RenewedLogin extends WrittenSuccess {
  /** What the session that is renewed next keeps of it. */
  readonly kept: object;
}

/**
 * A success that is written. The session layer calls one of the two, once. Neither rejects.
 */
export interface WrittenSuccess {
  /** The session that names it was saved: sets the cookies and emits the events. */
  readonly done: () => Promise<void>;
  /** No session names it: takes its records back. */
  readonly undo: () => Promise<void>;
}

/** A user whose pending login has begun. */
export interface PendingUser {
  readonly user: Express.User;
  readonly pending: PendingLogin;
}

/** A user who gets in without a code. */
export interface UserLetIn {
  /** As `loadUser` returned it, like after a right code. */
  readonly user: Express.User;
  /** The method of the mark. */
  readonly proof: Method;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What is written with the login. */
  readonly puts: readonly PreparedPut[];
}

/** What a feature knows of a pending login that begins. */
export interface Begins {
  /** The browser in which it is counted, if that is one of the user's own. */
  readonly bucket: string;
}

/** Why and where everything else of a user ends. What the user has there stays. */
export interface Ending {
  /** `changed`: a number or the recovery codes are others, or a device was stolen. */
  readonly reason: 'revoked' | 'changed';
  /** The pending login of that session. */
  readonly pendingId?: string | undefined;
  /** The login of that session. */
  readonly loginId?: string | undefined;
  /**
   * A stolen device, which no one can use any more. Its record stays until everything else has
   * ended, so that its cookie is recognized again where that fails.
   */
  readonly deviceId?: string | undefined;
  readonly address?: string | undefined;
  /**
   * Whether an earlier request made the change and may still be under way. It gives the login of
   * the session another id, which stays as well. Default: false.
   */
  readonly isRepeated?: boolean | undefined;
}

/** A message that is about to be sent, and the keys that count its number without revealing it. */
export interface MessageFacts extends Pick<PendingLogin, 'userId' | 'purpose' | 'bucket'> {
  readonly user: Express.User;
  readonly address: string | undefined;
  /** E.164 with plus. */
  readonly mobile: string;
  /** Whether the app says that the number is the user's. */
  readonly isConfirmed: boolean;
  /** HMACs under which the number, and the number without its last four digits, are counted. */
  readonly numberKey: string;
  readonly prefixKey: string;
  /** The keys of counters of which one is above zero when the number is proven for this user. */
  readonly provenKeys: readonly string[];
  /** Returns the country and type of the number, which is read once. */
  readonly origin: ReturnType<ReadNumber>;
}

/** What one feature does about one message. The core calls it in this order. */
export interface MessageRule {
  /** Refuses the message by what costs nothing. Null: it does not. */
  readonly check: () => Promise<RefusedMessage | null>;
  /**
   * Refuses the message by what costs money. Called only if the limits would admit the message.
   * Left out: nothing costs money.
   */
  readonly checkPaid?: (() => Promise<RefusedMessage | null>) | undefined;
  /**
   * Returns the counters in which the message is counted besides. Called right before they are
   * charged, and once more before `checkPaid`.
   */
  readonly listRows: () => Promise<readonly FeatureRow[] | RefusedMessage>;
  /** Called once for each message that was counted, with what became of it. */
  readonly after: (outcome: MessageOutcome) => void;
}

/** What became of a message that was counted. `unknown`: it may have been sent. */
export type MessageOutcome =
  /** `cost`: a decimal string in the gateway's currency; null: not known. */
  | { readonly kind: 'sent'; readonly cost: string | null }
  | { readonly kind: 'not-sent' }
  | { readonly kind: 'unknown' };

/** A feature has refused a message. */
export interface RefusedMessage {
  readonly refusal: Refusal;
  /** The rule that has refused it, for the event. */
  readonly by: string;
}

/** A counter of a feature in which a message is counted, together with all limits or not at all. */
export interface FeatureRow {
  /** It is none of our limits. */
  readonly limit: null;
  readonly counter: Counter;
  /** Called when the counter is full or locked: then nothing was counted. */
  readonly refuse: (waitSeconds: number) => RefusedMessage;
  /** Called with its count when the message was counted. */
  readonly counted?: ((count: number) => void) | undefined;
}

/** A user who may be in once the pending login is finished. */
export interface Success {
  readonly user: Express.User;
  readonly userId: string;
  /** The method of a factor, or of a feature that lets in. Null: no second factor was needed. */
  readonly proof: Method | null;
  /** The factor whose code was right. Null: none was, and no trust is handed out. */
  readonly factor: Factor | null;
  readonly pending: PendingLogin;
  /** The OTP whose code was right. Null: another factor's was, or none. */
  readonly otp: SentOtp | null;
  /** How many OTPs were attached to the pending login. */
  readonly sends: number;
  /** The browser of the user in which it is counted. */
  readonly bucket: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether a session will name this success. */
  readonly isKept: boolean;
}

/** Checks the codes of one second factor. Those that are sent by message are one among others. */
export interface Factor {
  /** The factor's name, and the `method` of the mark. */
  readonly method: Method;
  /** The field of the request body that holds the code. */
  readonly field: string;
  /** RFC 8176. */
  readonly amr: string;
  /**
   * How attempts are counted: at codes that can be guessed, at codes for a user who has lost
   * something, or as an answer to a challenge of ours.
   */
  readonly counting: 'guess' | 'recovery' | 'answer';
  /** What its codes are good for. */
  readonly purposes: readonly Purpose[];
  /** Whether its codes are sent: then attempts are counted at the OTP of the message. */
  readonly isSent: boolean;
  /** Returns the code in its plain form, or null for input that cannot be one. */
  readonly read: (input: unknown) => string | null;
  /**
   * Reserves a gateway slot before the attempt is counted, so that an overloaded gateway costs the
   * user nothing. Left out: the gateway is not needed.
   * @throws {SmsOtpError} when no code can be checked now.
   */
  readonly reserve?: () => Promise<Permit>;
  /**
   * Returns whether the pending login still applies, e.g. the user still owns the number that the
   * message went to. Left out: it does.
   */
  readonly isStillValid?: (user: Express.User, claimed: ClaimedLogin) => Promise<boolean>;
  /** The factor answers a challenge of ours. Left out: its codes are typed. */
  readonly challenge?: FactorChallenge;
  /** @throws {SmsOtpError} when the code was certainly not checked: the pending login goes on. */
  readonly check: (claimed: ClaimedCode, slot: Permit | undefined) => Promise<CheckResult>;
}

/** How a factor answers challenges. */
export interface FactorChallenge {
  /** Returns what the browser gets. */
  readonly createOptions: (asked: ChallengedUser) => object | Promise<object>;
  /**
   * Takes the open challenge of a pending login, which is good once, whatever the answer will be.
   * A reason: there is none to answer.
   */
  readonly take: (
    pendingId: string,
  ) => Promise<{ readonly challenge: string } | { readonly reason: 'expired' | 'wrong-code' }>;
}

/** Whom a challenge is for. */
export interface ChallengedUser {
  readonly user: Express.User;
  readonly userId: string;
  readonly address: string | undefined;
  readonly purpose: 'login' | 'step-up';
  /** 32 random bytes as base64url. */
  readonly challenge: string;
}

/** A pending login, and the OTP at which an attempt was counted; null: none is active. */
export interface ClaimedLogin {
  readonly pending: PendingLogin;
  readonly otp: SentOtp | null;
}

/** A code with the pending login and the user it is claimed to belong to. */
export interface ClaimedCode extends ClaimedLogin {
  readonly user: Express.User;
  readonly code: string;
  /** The challenge of ours that it answers, if the factor has one. */
  readonly factorChallenge: string | undefined;
  readonly address: string | undefined;
  /** Milliseconds that the gateway has to check it. Left out: its own deadline. */
  readonly limitMs?: number | undefined;
}

/**
 * The result of checking a code. `over`: the code has expired or was used. `lost`: the answer did
 * not arrive whole, so the code may have been checked.
 */
export type CheckResult =
  | { readonly kind: 'right' | 'wrong' | 'over' }
  | { readonly kind: 'lost'; readonly error: SmsOtpError };

/** What a feature adds to a success. */
export interface Written {
  /** Records to write. */
  readonly puts?: readonly PreparedPut[];
  /** The record that must still be there, and goes. */
  readonly replaces?: RecordReference | undefined;
  /** What the session keeps of it. Two features never keep a field of one name. */
  readonly kept?: object;
  /** What it adds to the event `verified`. */
  readonly tells?: object;
  /** Called after the session was saved and the event `verified` emitted. May throw. */
  readonly done?: () => unknown;
}

/**
 * A record that a success writes, in the step that ends the pending login. Once it is written,
 * either `done` or `undo` is called, once. What either throws changes nothing.
 */
export interface PreparedPut {
  readonly put: RecordPut;
  /** Called after the session that belongs to it was saved. */
  readonly done: (result: PutResult) => Promise<void> | void;
  /**
   * Takes it back: a new record goes, and the one that it was written over comes back. A record
   * that another request has written since stays.
   * @param result Null: the answer of the store was lost, and it may have been written.
   */
  readonly undo: (result: PutResult | null) => Promise<void>;
  /** Called at once when the answer of the store is lost, before anything is taken back. */
  readonly lost?: () => void;
  /**
   * Returns whether the success stands: false after another request has changed the record since
   * it was read. Then all of the success is taken back.
   */
  readonly stands?: (result: PutResult) => boolean;
}
