import type { SmsOtpError } from '../errors';
import type { LoginGateway, Permit } from '../gateway';
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
import type { UnusablePhone } from '../events';
import type { Refusal } from './outcome';
import type { Method } from '../method';
import type { LoginReference, Visit } from './visit';

/**
 * A feature that is added to the core. The core calls the configured features in the order of their
 * list, and never reads what a feature stores.
 */
export interface Feature<Edge = unknown> {
  /** The feature's name. Two features never share one. */
  readonly name: string;
  /** Returns what the feature knows about a pending login that begins. Calls nothing of the app. */
  begins?(userId: string, visit: Visit): Promise<Begins | null>;
  /**
   * Lets in a user who needs a second factor and has not passed one in this login. Null: the
   * feature does not. Writes nothing.
   */
  letsIn?(asked: PendingUser, visit: Visit): Promise<UserLetIn | null>;
  /** Returns the feature's rule for a message that is about to be sent, or null. */
  beforeMessage?(message: MessageFacts): MessageRule | null;
  /**
   * Returns what a success changes. A refusal stops the success. Writes nothing: the step that ends
   * the pending login writes everything that is returned.
   */
  onSuccess?(success: Success, visit: Visit): Promise<Written | Refusal | null> | Written | null;
  /** The second factors that the feature adds. */
  readonly factors?: readonly SecondFactor[];
  /** Returns the factors, besides messages, that a user can use now. */
  offers?(user: Express.User, userId: string): Promise<readonly string[]>;
  /**
   * Returns whether a user has something of this feature with which to pass a second factor, even
   * if it does not work now. Rejects if that is not known.
   */
  has?(user: Express.User, userId: string): Promise<boolean>;
  /** Says whether the login of a session is active. At most one feature has this. */
  readonly sessions?: SessionLogins;
  /**
   * Ends what a user has elsewhere. All features are called in the order of their list. If a call
   * fails, the next one completes it.
   */
  endAll?(userId: string, ending: Ending): Promise<unknown>;
  /** Returns the ids of the browsers of a user that have counters of their own. */
  listBrowserIds?(userId: string): Promise<readonly string[]>;
  /**
   * Removes what is stored about a user. All features are called, even if one fails. Everything
   * else of the user ends afterwards.
   */
  forget?(userId: string): Promise<unknown>;
  /** Returns what is stored about a user, without anything that could log someone in. */
  exportUser?(userId: string): Promise<object>;
  /**
   * Returns what it adds to the object that `createSmsOtp` returns.
   * @param edge The HTTP edge.
   */
  members?(edge: Edge): object;
}

/**
 * Says whether the login of a session is active. If the store fails, the calls reject with a
 * `StoreError`.
 */
export interface SessionLogins {
  /**
   * Returns whether this request, or this process shortly before, has found a login active. Does
   * not ask the store and allocates nothing: guards call it on every request.
   * @param request The object that stands for the request, as in a visit.
   */
  isChecked(request: object, loginId: string, atMs: number): boolean;
  /** Returns whether a login is active. Asks the store unless it was asked shortly before. */
  isActive(request: object, login: LoginReference): Promise<boolean>;
  /** Asks the store now whether a login is active. */
  isStillActive(request: object, login: LoginReference): Promise<boolean>;
  /** Replaces the session's login at once. Null: it has ended meanwhile. */
  renew(visit: Visit, userId: string, method: Method): Promise<RenewedLogin | null>;
  /** Ends the login of a session. */
  end(login: LoginReference): Promise<unknown>;
}

/** A login that has replaced the session's. */
export interface RenewedLogin extends WrittenSuccess {
  /** What the session keeps of it when it is renewed next. */
  readonly kept: object;
}

/** A success that is written. The session layer calls `done` or `undo`, once. Neither rejects. */
export interface WrittenSuccess {
  /**
   * Sets the cookies and emits the events. Called after the session that names the success was
   * saved.
   */
  readonly done: () => Promise<void>;
  /** Takes the records back. Called when no session names the success. */
  readonly undo: () => Promise<void>;
}

/** A user whose pending login has begun. */
export interface PendingUser {
  readonly user: Express.User;
  readonly pending: PendingLogin;
}

/** A user who gets in without a code. */
export interface UserLetIn {
  /** The user as `loadUser` returned it, as after a right code. */
  readonly user: Express.User;
  /** The method of the mark. */
  readonly proof: Method;
  readonly at: number;
  /** The records to write with the login. */
  readonly puts: readonly PreparedPut[];
}

/** What a feature knows about a pending login that begins. */
export interface Begins {
  /** The id of the browser if it is one of the user's known browsers. */
  readonly bucket: string;
}

/** Why everything of a user ends, and what stays: what belongs to the session that asks. */
export interface Ending {
  /** `changed`: a number or the recovery codes were replaced, or a device was stolen. */
  readonly reason: 'revoked' | 'changed';
  /** The pending login of the session that asks. */
  readonly pendingId?: string | undefined;
  /** The login of the session that asks. */
  readonly loginId?: string | undefined;
  /**
   * A stolen device, which is no longer accepted. Its record stays until everything else has ended,
   * so that a request after a failure recognizes its cookie again.
   */
  readonly deviceId?: string | undefined;
  readonly address?: string | undefined;
  /**
   * Whether an earlier request made the change and may still be running. That request may have
   * renewed the login of the session, so the renewed login stays too. Default: false.
   */
  readonly isRepeated?: boolean | undefined;
}

/**
 * A message that is about to be sent, and the keys under which its recipient is counted without
 * being revealed.
 */
export interface MessageFacts extends Pick<PendingLogin, 'userId' | 'purpose' | 'bucket'> {
  readonly user: Express.User;
  readonly address: string | undefined;
  /** The factor that sends it. */
  readonly factor: Method;
  /** A number in E.164 with plus, or another address of the factor. */
  readonly to: string;
  /** Whether the app confirms that the number is the user's. */
  readonly isConfirmed: boolean;
  /** The HMAC under which the recipient is counted. */
  readonly numberKey: string;
  /** Keys of counters. If one of them is above zero, the recipient is proven for this user. */
  readonly provenKeys: readonly string[];
  /** Null: the recipient is no number, so the rules about numbers do not apply. */
  readonly number: NumberFacts | null;
}

/** The facts of a number that gets a message. */
export interface NumberFacts {
  /** The HMAC under which the number without its last four digits is counted. */
  readonly prefixKey: string;
  /** Returns the country and type of the number, which is read only once. */
  readonly origin: ReturnType<ReadNumber>;
}

/** The rule of one feature for one message. The core calls its functions in this order. */
export interface MessageRule {
  /** Refuses the message by checks that cost nothing. Null: it does not refuse. */
  readonly check: () => Promise<RefusedMessage | null>;
  /**
   * Refuses the message by checks that cost money. Called only if the limits would admit the
   * message. Left out: no check costs money.
   */
  readonly checkPaid?: (() => Promise<RefusedMessage | null>) | undefined;
  /**
   * Returns the feature's own counters for the message. Called before `checkPaid` and once more
   * right before they are counted.
   */
  readonly listRows: () => Promise<readonly FeatureRow[] | RefusedMessage>;
  /** Called once for each message that was counted, with its outcome. */
  readonly after: (outcome: MessageOutcome) => void;
}

/** The outcome of a message that was counted. `unknown`: it may have been sent. */
export type MessageOutcome =
  /** `cost`: a decimal string in the gateway's currency; null: not known. */
  | { readonly kind: 'sent'; readonly cost: string | null }
  | { readonly kind: 'not-sent' }
  | { readonly kind: 'unknown' };

/** A message that a feature has refused. */
export interface RefusedMessage {
  readonly refusal: Refusal;
  /** The rule that refused it, for the event. */
  readonly by: string;
}

/**
 * A counter of a feature. The message is counted in all counters and limits together, or in none.
 */
export interface FeatureRow {
  /** A feature's counter is none of our limits. */
  readonly limit: null;
  readonly counter: Counter;
  /** Called when the counter is used up or locked. Nothing was counted then. */
  readonly refuse: (waitSeconds: number) => RefusedMessage;
  /** Called with the new count after the message was counted. */
  readonly counted?: ((count: number) => void) | undefined;
}

/** A user who may be let in once the pending login is finished. */
export interface Success {
  readonly user: Express.User;
  readonly userId: string;
  /** The method of a factor, or of a feature that lets in. Null: no second factor was needed. */
  readonly proof: Method | null;
  /** The factor whose code was right. Null: there was none, so no trust is granted. */
  readonly factor: SecondFactor | null;
  readonly pending: PendingLogin;
  /** The OTP whose code was right. Null: it was the code of another factor, or none. */
  readonly otp: SentOtp | null;
  /** How many OTPs were attached to the pending login. */
  readonly sends: number;
  /** The browser for which it is counted. */
  readonly bucket: string;
  readonly at: number;
  /** Whether a session will name this success. */
  readonly isKept: boolean;
}

/** A second factor, which checks codes. Codes by message are one of several. */
export interface SecondFactor {
  /** The factor's name, and the `method` of the mark. */
  readonly method: Method;
  /** The field of the request body that holds the code. */
  readonly field: string;
  /** The factor's value in `amr`, as RFC 8176 defines it. */
  readonly amr: string;
  /**
   * How attempts are counted. `guess`: the codes can be guessed. `recovery`: the user has lost
   * something. `answer`: the user answers a challenge of ours.
   */
  readonly counting: 'guess' | 'recovery' | 'answer';
  /** The purposes for which its codes are accepted. */
  readonly purposes: readonly Purpose[];
  /**
   * How its codes are sent. Attempts are counted at the OTP of the message then. Left out: its
   * codes are not sent.
   */
  readonly delivery?: Delivery;
  /** Returns the code in its plain form, or null for input that cannot be a code. */
  readonly read: (input: unknown) => string | null;
  /**
   * Reserves a call of the gateway before the attempt is counted, so that an overloaded gateway
   * costs the user no attempt. Left out: the gateway is not needed.
   * @throws {SmsOtpError} if no code can be checked now.
   */
  readonly reserve?: () => Promise<Permit>;
  /**
   * Returns whether the pending login still applies, for example whether the user still owns the
   * number that the message went to. Left out: it always applies.
   */
  readonly isStillValid?: (user: Express.User, claimed: ClaimedLogin) => Promise<boolean>;
  /** Present if the factor answers a challenge of ours. Left out: its codes are typed. */
  readonly challenge?: FactorChallenge;
  /**
   * Checks a code.
   * @throws {SmsOtpError} if the code was certainly not checked. The pending login stays.
   */
  readonly check: (claimed: ClaimedCode, slot: Permit | undefined) => Promise<CheckResult>;
}

/** A factor whose codes are sent. */
export interface SentFactor extends SecondFactor {
  readonly delivery: Delivery;
}

/** How a factor sends its codes. */
export interface Delivery {
  /** Makes, sends and checks the codes. No other factor has OTPs with the same ids. */
  readonly gateway: LoginGateway;
  /**
   * Lists the addresses of a user to which codes may be sent, the default first; or why they are
   * not known now. Rejects with what the app's callback throws.
   */
  readonly listAddresses: (user: Express.User) => Promise<UserAddresses>;
  /** Warns that `listAddresses` has rejected. @param cause The safe name of the error. */
  readonly warnOfError: (user: Express.User, cause: string) => void;
}

/** Where a code may be sent. */
export interface UserAddress {
  /** A number in E.164 with plus, or another address of the factor. */
  readonly to: string;
  /** Whether the app confirms that it is the user's. */
  readonly isConfirmed: boolean;
}

export type UserAddresses = readonly UserAddress[] | { readonly found: UnusablePhone };

/** How a factor answers challenges. */
export interface FactorChallenge {
  /** Returns what is sent to the browser. */
  readonly createOptions: (asked: ChallengedUser) => object | Promise<object>;
  /**
   * Takes the open challenge of a pending login. A challenge is accepted once, whatever the answer
   * is. Returns a reason if there is no open challenge.
   */
  readonly take: (
    pendingId: string,
  ) => Promise<{ readonly challenge: string } | { readonly reason: 'expired' | 'wrong-code' }>;
}

/** The user for whom a challenge is made. */
export interface ChallengedUser {
  readonly user: Express.User;
  readonly userId: string;
  readonly address: string | undefined;
  readonly purpose: 'login' | 'step-up';
  /** 32 random bytes as base64url. */
  readonly challenge: string;
}

/** A pending login, and the OTP at which an attempt was counted; null: no OTP is active. */
export interface ClaimedLogin {
  readonly pending: PendingLogin;
  readonly otp: SentOtp | null;
}

/** A code, and the pending login and user that it is claimed to belong to. */
export interface ClaimedCode extends ClaimedLogin {
  readonly user: Express.User;
  readonly code: string;
  /** The challenge that it answers, if the factor has one. */
  readonly factorChallenge: string | undefined;
  readonly address: string | undefined;
  /** Milliseconds that the gateway has for the check. Left out: the gateway's own deadline. */
  readonly limitMs?: number | undefined;
}

/**
 * The result of checking a code. `over`: the code has expired or was used. `lost`: the answer is
 * incomplete, so the code may have been checked.
 */
export type CheckResult =
  /** `puts`: the records to write with the success. Default: none. */
  | { readonly kind: 'right'; readonly puts?: readonly PreparedPut[] }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'over' }
  | { readonly kind: 'lost'; readonly error: SmsOtpError };

/** What a feature adds to a success. */
export interface Written {
  /** Records to write. */
  readonly puts?: readonly PreparedPut[];
  /** The record that this success removes. If it is missing by then, the success fails. */
  readonly replaces?: RecordReference | undefined;
  /** What the session keeps of it. Two features with one field are an error. */
  readonly kept?: object;
  /** What it adds to the event `verified`. Two features with one field are an error. */
  readonly tells?: object;
  /** Called after the session was saved and the event `verified` was emitted. May throw. */
  readonly done?: () => unknown;
}

/**
 * A record that a success writes, in the step that ends the pending login. After that, either
 * `done` or `undo` is called, once. An error in either changes nothing.
 */
export interface PreparedPut {
  readonly put: RecordPut;
  /** Called at once after the record was written, before the session is saved. Must not throw. */
  readonly written?: () => void;
  /** Called after the session that belongs to it was saved. */
  readonly done: (result: PutResult) => Promise<void> | void;
  /**
   * Takes the record back: removes a new one, and restores the one that it replaced. A record that
   * another request has written since stays.
   * @param result Null: the answer of the store was lost, so the record may have been written.
   */
  readonly undo: (result: PutResult | null) => Promise<void>;
  /** Called at once when the answer of the store is lost, before anything is taken back. */
  readonly lost?: () => void;
}
