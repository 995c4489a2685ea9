import type { CallName } from './protocol/paths';

/**
 * Sends codes by text message and checks the codes that users type: all that a login needs.
 *
 * Throw the errors of this package, such as `GatewayRejectedError`: their `mayHaveArrived` says
 * whether a message may have been sent or a code checked. Any other error counts as "may have",
 * unless it has `mayHaveArrived: false` itself. A call that takes longer than 10 s is abandoned and
 * counts as "may have". No call is ever repeated.
 *
 * `passport-sms-otp/testing` has the checks that every gateway must pass.
 */
export interface OtpGateway {
  /**
   * False: the provider writes the messages. Then `messages.template`, `messages.autofillHost` and
   * transactions, which depend on the wording, are errors at start. Default: true.
   */
  readonly writesMessages?: boolean | undefined;
  /**
   * Digits of the longest code, 4 to 10. The length of messages is computed with it. Default: 10.
   */
  readonly maxCodeDigits?: number | undefined;
  /**
   * Creates a code and sends it. Costs money, and is called once for each message.
   * @param permit The answer of `admit`, if the gateway has it.
   */
  generate(text: OtpText, permit?: Permit): Promise<TextedOtp>;
  /**
   * Checks a typed code. A code is `right` once: of two calls with the same code, one gets it.
   * `over` says that no code is right under this id any more. Any other answer is an error and lets
   * no one in.
   * @param permit The answer of `admit`, if the gateway has it.
   */
  validate(typed: TypedPin, permit?: Permit): Promise<PinVerdict>;
  /**
   * Waits until a call can be made, and throws if it cannot. A login that is refused here costs no
   * attempt and no message. Sends nothing. The permit is passed to the call and is released in
   * every case. Default: every call can be made.
   */
  admit?(call: OtpCall): Promise<Permit>;
  /** Prepares the first call. `smsOtp.warmUp()` calls it. Default: does nothing. */
  warmUp?(): Promise<void>;
  /** Adds a listener for the events of calls. Returns a function that removes it. */
  subscribe?(listener: GatewayEventListener): () => void;
  /**
   * Closes the gateway. `smsOtp.close()` calls it only if `createSmsOtp` has created the gateway.
   */
  close?(): Promise<void>;
}

export type OtpCall = 'generate' | 'validate';

/** A code to create and send. */
export interface OtpText {
  /** E.164 with plus. For the gateway of one of `factors`: what its `getAddress` returned. */
  readonly to: string;
  /** The message, with `[PIN]` once in the place of the code. */
  readonly message: string;
  /** The sender to show. Undefined: the gateway's default. */
  readonly sender: string | undefined;
  /** Seconds until the code expires: 120 to 600. */
  readonly validitySeconds: number;
}

/** An OTP whose message was sent. */
export interface TextedOtp {
  /**
   * Identifies the OTP: 1 to 256 characters without control characters. An id that a pending login
   * has already counts as the same OTP, and its attempts continue.
   */
  readonly id: string;
  /** Seconds until the code expires, at most as many as requested. Default: as requested. */
  readonly validitySeconds?: number | null | undefined;
  /** What the message cost: a decimal string, for events. Default: unknown. */
  readonly cost?: string | null | undefined;
}

/** A code that a user has typed. */
export interface TypedPin {
  /** The id that `generate` returned. */
  readonly id: string;
  /** Where the code was sent: the `to` of `generate`. */
  readonly to: string;
  /** 4 to 10 digits. */
  readonly pin: string;
}

/** The result of checking a typed code. */
export type PinVerdict = 'right' | 'wrong' | 'over';

/** A permit for one call, before anything is sent. Release it in every case. */
export interface Permit {
  /**
   * Releases the permit. Does nothing the second time, or once the call has taken the permit over.
   */
  release(): void;
}

/** A gateway as a login uses it: every call exists, and every answer has been checked. */
export type LoginGateway = Required<Pick<OtpGateway, 'admit' | 'generate' | 'validate' | 'warmUp'>>;

/** The client uses a new access token. */
export interface TokenRenewedEvent {
  readonly type: 'token-renewed';
  /** `shared`: another process had already renewed it, and nothing was sent. */
  readonly by: 'credentials' | 'refresh' | 'shared';
}

/**
 * The token was rejected again and again long before its end: another client logs in with the same
 * account.
 */
export interface TokenTakenOverEvent {
  readonly type: 'token-taken-over';
  /** Seconds until this client authenticates again. */
  readonly retryAfterSeconds: number;
}

/** The gateway rejected the credentials. Every call is refused here until the next try. */
export interface GatewayCredentialsRefusedEvent {
  readonly type: 'gateway-credentials-refused';
  readonly gatewayCode: number;
  /** Seconds until the next try. */
  readonly retryAfterSeconds: number;
}

/**
 * The gateway rejects this call for every user: 1006, the balance is used up, or 2100, the account
 * lacks the permission. OTP spec §7, HLR spec §7.
 */
export interface GatewayRefusingEvent {
  readonly type: 'gateway-refusing';
  readonly call: CallName;
  readonly gatewayCode: number;
}

/** Too many calls failed. Calls are refused here until a probe succeeds. */
export interface GatewayFailingEvent {
  readonly type: 'gateway-failing';
  /** Seconds until the first probe. */
  readonly retryAfterSeconds: number;
}

/** A probe succeeded after `gateway-failing`. */
export interface GatewayRecoveredEvent {
  readonly type: 'gateway-recovered';
}

/**
 * Says how a call ended. `rejected`: the gateway answered with an error; `busy`: refused here;
 * `aborted`: ended by its caller; `store`: the token store failed.
 */
export type CallOutcome =
  | 'ok'
  | 'rejected'
  | 'unreachable'
  | 'timeout'
  | 'response'
  | 'busy'
  | 'aborted'
  | 'store';

/** A call ended. Emitted only while there are listeners. */
export interface GatewayCallEvent {
  readonly type: 'gateway-call';
  readonly call: CallName;
  readonly outcome: CallOutcome;
  /** Milliseconds, including queue and authentication. */
  readonly durationMs: number;
  /** The application error code. Set only if the outcome is `rejected` and the answer had one. */
  readonly gatewayCode?: number;
}

/** The events of a client. No event contains a secret, a number or a code. */
export type GatewayEvent =
  | TokenRenewedEvent
  | TokenTakenOverEvent
  | GatewayCredentialsRefusedEvent
  | GatewayRefusingEvent
  | GatewayFailingEvent
  | GatewayRecoveredEvent
  | GatewayCallEvent;

/** Called with every event. Exceptions and return values are ignored. */
export type GatewayEventListener = (event: GatewayEvent) => void;
