import type { ReadNumber } from '../limits/number-country';
import type { Counter, PendingLogin, PutResult, RecordPut, SentOtp } from '../stores/store';
import type { Method, Refusal } from './outcome';
import type { Visit } from './visit';

/**
 * Adds one feature to the core, which calls all features in the order of their list. A feature
 * that is not configured is not in the list. The core never reads what a feature stores.
 */
export interface Feature {
  /** Its own: two features never have one name. */
  readonly name: string;
  /** Says what it has to say about a message that is about to be sent. Null: nothing. */
  beforeMessage?(message: MessageFacts): MessageRule | null;
  /**
   * Returns what a success changes. A refusal stops the success. Writes nothing: all that is
   * returned is written in the step that ends the pending login.
   */
  onSuccess?(success: Success, visit: Visit): Promise<Written | Refusal | null> | Written | null;
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
  /** Whether a factor has said that its code is right. Only then trust is handed out. */
  readonly isProven: boolean;
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

/** What a feature adds to a success. */
export interface Written {
  /** Records to write. */
  readonly puts?: readonly PreparedPut[];
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
