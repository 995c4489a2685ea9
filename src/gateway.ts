import type { CallName } from './protocol/paths';

/**
 * A gateway that makes codes, texts them, and judges what people type: all that a login needs.
 *
 * What it throws are the errors of this package, such as `GatewayRejectedError`. Their
 * `mayHaveArrived` says whether a text may have gone out, or a code may have been judged. Anything
 * else that it throws counts as "may have", unless it has `mayHaveArrived: false` itself. A call
 * that has not ended after 10 s is given up, and may have arrived. No call is ever repeated.
 *
 * `passport-sms-otp/testing` has the checks that every gateway must pass.
 */
export interface OtpGateway {
  /**
   * False: the provider writes the texts. `messages.template`, `messages.autofillHost` and
   * transactions, which all depend on the text, are errors at start then. Default: true.
   */
  readonly writesMessages?: boolean | undefined;
  /** Digits of the longest code, 4 to 10: messages are measured with it. Default: 10. */
  readonly maxCodeDigits?: number | undefined;
  /**
   * Makes a code and texts it. Costs money and is called once for each text.
   * @param permit The answer of `admit`, where the gateway has it.
   */
  generate(text: OtpText, permit?: Permit): Promise<TextedOtp>;
  /**
   * Judges a typed code. `right` is right once: of two calls with the same code, one gets it.
   * `over`: no code is right under this id any more. Anything but these three words is an error,
   * and lets nobody in.
   * @param permit The answer of `admit`, where the gateway has it.
   */
  validate(typed: TypedPin, permit?: Permit): Promise<PinVerdict>;
  /**
   * Waits until a call can be made, and throws when it cannot: a login that is refused here costs
   * nobody an attempt or a text. Sends nothing. The permit goes to the call, and is released
   * whatever came of it. Default: every call can be made.
   */
  admit?(call: OtpCall): Promise<Permit>;
  /** Prepares the first call; `smsOtp.warmUp()` calls it. Default: nothing. */
  warmUp?(): Promise<void>;
  /** Adds a listener to what happens to the calls. Returns a function that removes it. */
  subscribe?(listener: GatewayEventListener): () => void;
  /** Ends the gateway. `smsOtp.close()` calls it only for what `createSmsOtp` has made itself. */
  close?(): Promise<void>;
}

/** The calls of a gateway that a login makes. */
export type OtpCall = 'generate' | 'validate';

/** A code that is to be made and texted. */
export interface OtpText {
  /** E.164 with plus. */
  readonly mobile: string;
  /** The text, with `[PIN]` once in the place of the code. */
  readonly message: string;
  /** Undefined: the gateway's own. */
  readonly sender: string | undefined;
  /** Seconds that the code is to live: 120 to 600. */
  readonly validitySeconds: number;
}

/** A text that has gone out. */
export interface TextedOtp {
  /**
   * Names the code: 1 to 256 characters without control characters. An id that a pending login has
   * already is the same text: its attempts go on.
   */
  readonly id: string;
  /** Seconds that the code lives. It can only be shortened. Default: as it was asked for. */
  readonly validitySeconds?: number | null | undefined;
  /** A decimal string, for events. Default: unknown. */
  readonly cost?: string | null | undefined;
}

/** A code as its user has typed it. */
export interface TypedPin {
  /** As `generate` returned it. */
  readonly id: string;
  /** The number that was texted: E.164 with plus. */
  readonly mobile: string;
  /** 4 to 10 digits. */
  readonly pin: string;
}

/** What a gateway says of a typed code. */
export type PinVerdict = 'right' | 'wrong' | 'over';

/** A permit for one call; nothing was sent yet. Release it whatever came of the call. */
export interface Permit {
  /** Releases the permit; does nothing the second time, or once the call has taken it over. */
  release(): void;
}

/** A gateway as a login uses it: every call is there, and what it answers is as documented. */
export type LoginGateway = Required<Pick<OtpGateway, 'admit' | 'generate' | 'validate' | 'warmUp'>>;

/** Another access token is in use. */
export interface TokenRenewedEvent {
  readonly type: 'token-renewed';
  /** `shared`: another process had renewed it already, nothing was sent. */
  readonly by: 'credentials' | 'refresh' | 'shared';
}

/**
 * The token was refused again and again long before its end: another client logs in with the same
 * account.
 */
export interface TokenTakenOverEvent {
  readonly type: 'token-taken-over';
  /** Seconds until this client authenticates again. */
  readonly retryAfterSeconds: number;
}

/** The gateway refused the credentials; every call is refused here until the next try. */
export interface GatewayCredentialsRefusedEvent {
  readonly type: 'gateway-credentials-refused';
  readonly gatewayCode: number;
  /** Seconds until the next try. */
  readonly retryAfterSeconds: number;
}

/**
 * The gateway refuses a call of everybody's: 1006, the balance is used up, or 2100, the account
 * lacks the permission. OTP spec §7, HLR spec §7.
 */
export interface GatewayRefusingEvent {
  readonly type: 'gateway-refusing';
  readonly call: CallName;
  readonly gatewayCode: number;
}

/** Too many calls failed; calls are refused here until a probe succeeds. */
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
 * How a call ended: a rejection is an answer of the gateway, `busy` was refused here, `aborted` was
 * ended by its caller, `store` is the token store.
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
  /** Milliseconds, queue and authentication included. */
  readonly durationMs: number;
  /** The application error code; only where the outcome is `rejected` and the answer had one. */
  readonly gatewayCode?: number;
}

/** The events of a client. No event holds a secret, a number or a code that was texted. */
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
