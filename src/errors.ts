import {
  isServerReply,
  readField,
  type SafeCause,
  toSafeCause,
  toStoreCause,
} from './foreign-error';

/**
 * The base class of every error this package throws at run time. Messages are built from fixed
 * words: they never hold a code, token, password, full number, body, header or URL. Wrong options
 * are plain `TypeError`s instead.
 */
export abstract class SmsOtpError extends Error {
  /** Never changes, so that it can be used in a `switch`. */
  abstract readonly code: string;
  /** The HTTP status an Express error handler should answer with. */
  abstract readonly status: number;
  /** The safe part of the third-party error behind this one. */
  declare readonly cause: SafeCause | undefined;
  /** Headers of the response, which the error handler of Express sends. */
  declare readonly headers?: { readonly 'Retry-After'?: string };

  /** Makes `instanceof` false for a third-party error that cannot even be asked its class. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    try {
      return Function.prototype[Symbol.hasInstance].call(this, error);
    } catch {
      // A `Proxy` that throws when it is read is none of ours.
      return false;
    }
  }

  /** @param cause The safe part of the third-party error. */
  constructor(message: string, cause?: SafeCause) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
  }
}

/** The base class of the errors after which there is no usable answer. */
export abstract class NoAnswerError extends SmsOtpError {
  /**
   * False when no byte of the request can have left this process; otherwise the gateway may have
   * acted on it.
   */
  abstract readonly mayHaveArrived: boolean;
}

/** Returns the safe part of the error behind ours; undefined if there is none. */
function toOptionalCause(
  cause: unknown,
  toSafe: (error: unknown) => SafeCause,
): SafeCause | undefined {
  return cause === undefined ? undefined : toSafe(cause);
}

/** Returns a message with the code of the cause behind it, where there is one. */
function withCode(message: string, cause: SafeCause | undefined): string {
  return cause?.code == null ? message : `${message}: ${cause.code}`;
}

/** Takes the `Retry-After` off an error after which the same request cannot succeed. */
export function withoutRetryAfter<E extends SmsOtpError>(error: E): E {
  return Object.defineProperty(error, 'headers', { value: {} });
}

/**
 * Returns false when an error says that the gateway cannot have acted: no text went out, no code
 * was judged. What does not say so may have arrived.
 */
export function mayHaveArrived(error: unknown): boolean {
  return readField(error, 'mayHaveArrived') !== false;
}

/**
 * Returns whether a code may have been judged and nobody knows how. A rejection is an answer, and
 * the store of a login keeps no codes: only that of a gateway can lose one.
 */
export function isAnswerLost(error: unknown): error is NoAnswerError | StoreError {
  if (error instanceof StoreError) return error.mayHaveArrived === true;
  return error instanceof NoAnswerError && error.mayHaveArrived;
}

/**
 * Returns what a gateway of the app, or a function that it calls, has thrown as an error of a
 * gateway. One of ours stays as it is, also that of the store in which it keeps its codes.
 */
export function toGatewayError(call: string, error: unknown): GatewayError | StoreError {
  if (isGatewayError(error) || error instanceof StoreError) {
    // A client with `keepsDetail` may be behind the gateway of the app.
    Reflect.deleteProperty(error, 'detail');
    return error;
  }
  if (!mayHaveArrived(error)) return new GatewayUnreachableError(call, false, error);
  const problem = 'it has thrown another error than those of this package';
  return new GatewayResponseError(call, null, problem, null, error ?? null);
}

/**
 * The gateway could not be reached: refused, reset, no route, bad certificate. `status` is 502 when
 * an answer was lost.
 */
export class GatewayUnreachableError extends NoAnswerError {
  readonly code = 'ERR_GATEWAY_UNREACHABLE';
  readonly status: 502 | 503;

  /** @param mayHaveArrived False when no byte of the request can have left this process. */
  constructor(
    call: string,
    readonly mayHaveArrived: boolean,
    cause?: unknown,
  ) {
    const safe = toOptionalCause(cause, toSafeCause);
    super(withCode(`The OTP gateway could not be reached (${call})`, safe), safe);
    this.status = mayHaveArrived ? 502 : 503;
  }
}

/** The gateway did not answer within the deadline of the call. */
export class GatewayTimeoutError extends NoAnswerError {
  readonly code = 'ERR_GATEWAY_TIMEOUT';
  readonly status = 504;

  /** @param mayHaveArrived False when no byte of the request can have left this process. */
  constructor(
    call: string,
    timeoutMs: number,
    readonly mayHaveArrived: boolean,
  ) {
    super(`The OTP gateway did not answer within ${timeoutMs} ms (${call})`);
  }
}

/** The caller has ended the call with its `signal`. */
export class GatewayAbortedError extends NoAnswerError {
  readonly code = 'ERR_GATEWAY_ABORTED';
  readonly status = 503;

  /** @param mayHaveArrived False when no byte of the request can have left this process. */
  constructor(
    call: string,
    readonly mayHaveArrived: boolean,
  ) {
    super(`The call to the OTP gateway was aborted by its signal (${call})`);
  }
}

function toRetryHeaders(retryAfterSeconds: number | null): { readonly 'Retry-After'?: string } {
  return retryAfterSeconds === null ? {} : { 'Retry-After': String(retryAfterSeconds) };
}

/**
 * The gateway's answer is not as documented: redirect, other content type, too large, incomplete,
 * not JSON, unexpected fields. `status` is 503 for a 429 or 503 that something in front of the
 * gateway sent.
 */
export class GatewayResponseError extends NoAnswerError {
  readonly code = 'ERR_GATEWAY_RESPONSE';
  readonly status: 502 | 503;
  readonly mayHaveArrived = true;
  override readonly headers: { readonly 'Retry-After'?: string };
  /** The answer itself: of a client with `keepsDetail` alone. */
  declare readonly detail?: GatewayDetail;

  constructor(
    call: string,
    readonly httpStatus: number | null,
    problem: string,
    /** Seconds of the answer's `Retry-After`, or null. */
    readonly retryAfterSeconds: number | null = null,
    cause?: unknown,
  ) {
    super(
      `The OTP gateway's answer is not as documented (${call}): ${problem}`,
      toOptionalCause(cause, toSafeCause),
    );
    this.status = httpStatus === 429 || httpStatus === 503 ? 503 : 502;
    this.headers = toRetryHeaders(this.status === 503 ? retryAfterSeconds : null);
  }
}

/**
 * The gateway answered with an error code; `status` is 503 when it reports a temporary failure. OTP
 * spec §7, HLR spec §7.
 */
export class GatewayRejectedError extends SmsOtpError {
  readonly code = 'ERR_GATEWAY_REJECTED';
  readonly status: 502 | 503;
  override readonly headers: { readonly 'Retry-After'?: string };

  /** Application error code of the documents, or null when the answer had a status and no code. */
  readonly gatewayCode: number | null;
  /** Its documented name, or null when the code is not in the documents. */
  readonly gatewayName: string | null;
  readonly httpStatus: number;
  /** Seconds of the answer's `Retry-After`, or null. */
  readonly retryAfterSeconds: number | null;
  /**
   * False when the answer excludes that a text went out, or that a code was judged. A gateway that
   * does not say may have done either.
   */
  readonly mayHaveArrived: boolean;
  /** The answer itself: of a client with `keepsDetail` alone. */
  declare readonly detail?: GatewayDetail;

  constructor(call: string, rejection: GatewayRejection) {
    const { gatewayCode = null, gatewayName = null, httpStatus } = rejection;
    super(
      `The OTP gateway rejected the request (${call}): ` +
        `${gatewayCode ?? `HTTP ${httpStatus}`} ${gatewayName ?? ''}`.trimEnd(),
    );

    this.gatewayCode = gatewayCode;
    this.gatewayName = gatewayName;
    this.httpStatus = httpStatus;
    this.retryAfterSeconds = rejection.retryAfterSeconds ?? null;
    this.mayHaveArrived = rejection.mayHaveArrived ?? true;

    const isBusy = gatewayCode === null && (httpStatus === 429 || httpStatus >= 500);
    const isAway = [1222, 2002, 2121].includes(gatewayCode ?? 0);
    this.status = isBusy || isAway ? 503 : 502;
    this.headers = toRetryHeaders(this.status === 503 ? this.retryAfterSeconds : null);
  }
}

/** The gateway's own words. They may hold a number, and any secret that the gateway repeats. */
export interface GatewayDetail {
  /** The headers of the answer, with names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The beginning of the body as text, up to 4,096 characters. Empty if it was not read. */
  readonly body: string;
}

/**
 * Adds the gateway's own words to an error that has room for them. They are not enumerable, so
 * that printing or serializing the error does not show them.
 */
export function addDetail(error: unknown, detail: GatewayDetail): void {
  if (error instanceof GatewayResponseError || error instanceof GatewayRejectedError)
    Object.defineProperty(error, 'detail', { value: detail, configurable: true });
}

/** How a gateway has rejected a request. */
export interface GatewayRejection {
  /** The HTTP status of its answer. */
  readonly httpStatus: number;
  /**
   * An error code of the documents, OTP spec §7: it decides what is done, so the codes of another
   * provider do not belong here. Default: null.
   */
  readonly gatewayCode?: number | null | undefined;
  /** The documented name of that code. Default: null. */
  readonly gatewayName?: string | null | undefined;
  /** Seconds of its `Retry-After`. Default: null. */
  readonly retryAfterSeconds?: number | null | undefined;
  /** False: surely no text went out, or no code was judged. Default: true. */
  readonly mayHaveArrived?: boolean | undefined;
}

/**
 * The call was refused here, before anything was sent: queue full, no token to be had, client
 * closed.
 */
export class GatewayBusyError extends SmsOtpError {
  readonly code = 'ERR_GATEWAY_BUSY';
  readonly status = 503;
  readonly mayHaveArrived = false;
  override readonly headers: { readonly 'Retry-After': string };

  constructor(
    reason: string,
    /** Seconds after which another try may succeed. */
    readonly retryAfterSeconds: number,
  ) {
    super(`The call to the OTP gateway was refused: ${reason}`);
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }
}

/** Our words where a store may have done what it was asked. */
const UNCERTAIN: readonly string[] = ['no answer in time', 'unknown answer'];

/** The store failed or did not answer in time. No one is logged in; a text may have gone out. */
export class StoreError extends SmsOtpError {
  readonly code = 'ERR_STORE';
  readonly status = 503;
  /**
   * Only where it is the store of a gateway: whether a text may have gone out, or a code may have
   * been judged.
   */
  declare readonly mayHaveArrived?: boolean;
  /** The code of the cause, or our words for it (`no answer in time`); null: nothing is known. */
  readonly problem: string | null;
  /**
   * True when the store has surely changed nothing: its server has answered that it refuses, or
   * nothing was sent.
   */
  readonly hasRefused: boolean;

  /** @param operation The name of the call, and behind a colon our words for what went wrong. */
  constructor(operation: string, cause?: unknown) {
    const safe = toOptionalCause(cause, toStoreCause);
    super(withCode(`The store failed (${operation})`, safe), safe);
    this.problem = safe?.code ?? /: (.+)$/.exec(operation)?.[1] ?? null;
    this.hasRefused =
      cause === undefined ? !UNCERTAIN.includes(this.problem ?? '') : isServerReply(cause);
  }
}

/**
 * The session is missing or cannot be renewed or saved. `status` is 503 when the session store
 * failed, otherwise 500: the app lacks something.
 */
export class SessionError extends SmsOtpError {
  readonly code:
    | 'ERR_NO_SESSION'
    | 'ERR_NO_PASSPORT_SESSION'
    | 'ERR_SESSION_COOKIE'
    | 'ERR_SESSION_NOT_RENEWED'
    | 'ERR_SESSION_STORE';
  readonly status: 500 | 503;

  constructor(code: SessionError['code'], message: string, cause?: unknown) {
    const safe = toOptionalCause(cause, toStoreCause);
    super(withCode(code === 'ERR_SESSION_STORE' ? message : message + seeAlso(code), safe), safe);
    this.code = code;
    this.status = code === 'ERR_SESSION_STORE' ? 503 : 500;
  }
}

/** `send()` ran without the result of a first factor. */
export class FirstFactorError extends SmsOtpError {
  readonly code = 'ERR_NO_FIRST_FACTOR';
  readonly status = 500;

  /** @param missing The half of a first factor's result that is missing. */
  constructor(missing: 'user' | 'authInfo') {
    super(
      'smsOtp.send() found no result of a first factor: ' +
        `${MISSING[missing]}${seeAlso('ERR_NO_FIRST_FACTOR')}`,
    );
  }
}

const MISSING = {
  user:
    'req.user is missing. Put send right after the first factor, which must not have ' +
    "assignProperty: app.post('/login', passport.authenticate('local', { session: false }), " +
    'smsOtp.send())',
  authInfo:
    'req.user is there and req.authInfo is missing, so the user may come from the session ' +
    'alone. Passport sets it, unless authInfo is false. After a password check of your own, or ' +
    'in a custom callback, set both: req.user = user; req.authInfo = {}; smsOtp.send()(req, ' +
    'res, next)',
};

/** The app calls something the wrong way. */
export class UsageError extends SmsOtpError {
  readonly status = 500;

  /** @param name The function's, or the strategy's. */
  constructor(
    readonly code: keyof typeof MISUSES,
    name: string,
  ) {
    super(MISUSES[code].replaceAll('{name}', name) + seeAlso(code));
  }
}

const MISUSES = {
  ERR_GUARD_REDIRECT:
    '{name} guards the page that it redirects to, which would never end: put it behind the ' +
    'routes of the login',
  ERR_NO_SERIALIZER:
    'Passport has no {name}, so the login would fail after the right code; nothing was sent. ' +
    'Write passport.{name}((user, done) => done(null, user.id)) and passport.deserializeUser',
  ERR_PASSPORT_COPY:
    'Two copies of passport are installed, and {name} uses another one than the app, so the ' +
    'login would fail after the right code; nothing was sent. Write {name}({ passport }) with ' +
    'that of the app',
  ERR_PASSPORT_INSTANCE:
    "The app has a Passport of its own, and {name} uses that of require('passport'), so the " +
    'login would fail after the right code; nothing was sent. Write {name}({ passport }) with it',
  ERR_NOT_CALLED: '{name} makes a middleware: write {name}() with its parentheses',
  ERR_STRATEGY_OBJECT:
    'The strategy was passed to passport.authenticate as an object, which Passport shares ' +
    "between requests. Write its name: passport.authenticate('{name}')",
  ERR_STRATEGY_PROPERTY:
    "passport.authorize('{name}') and the option assignProperty log no user in, so the code was " +
    "not checked. Write smsOtp.verify() or passport.authenticate('{name}') without assignProperty",
  ERR_STRATEGY_SENDS_NOTHING:
    "passport.authenticate('{name}') verifies a code and sends none. Put smsOtp.send() behind " +
    'the first factor',
  ERR_TOTP_SECRET:
    '{name} cannot open what findSecret has returned: createTotpSecret has not made it, has ' +
    'made it for another user or under a secret that is no longer in the list, or it has been ' +
    'changed',
};

/** Thrown when the operation requires that this user passed a second factor recently. */
export class SecondFactorError extends SmsOtpError {
  readonly code = 'ERR_SECOND_FACTOR_NEEDED';
  readonly status = 403;
}

/** A form that has made recovery codes asked for them again, as a double click does. */
export class RecoveryCodesError extends SmsOtpError {
  readonly code = 'ERR_CODES_ALREADY_MADE';
  readonly status = 409;
}

/** Every error this package throws at run time; `switch (error.code)` narrows it. */
export type AnySmsOtpError =
  | GatewayUnreachableError
  | GatewayTimeoutError
  | GatewayResponseError
  | GatewayRejectedError
  | GatewayBusyError
  | GatewayAbortedError
  | StoreError
  | SessionError
  | FirstFactorError
  | SecondFactorError
  | RecoveryCodesError
  | UsageError;

/** The call of the gateway failed, or was refused before it. */
export type GatewayError =
  | GatewayUnreachableError
  | GatewayTimeoutError
  | GatewayResponseError
  | GatewayRejectedError
  | GatewayBusyError
  | GatewayAbortedError;

export function isGatewayError(error: unknown): error is GatewayError {
  return error instanceof SmsOtpError && error.code.startsWith('ERR_GATEWAY_');
}

/**
 * Emits a warning of the process, once for each code.
 * @param cause Where one code has several causes: once for each of them, up to 100 in all.
 */
export type Warn = (code: string, problem: string, cause?: string) => void;

/** A server that always fails in another way fills no memory. */
const MOST_WARNINGS = 100;

export function createWarner(): Warn {
  const warned = new Set<string>();
  return (code, problem, cause = '') => {
    const key = `${code} ${cause}`;
    if (warned.has(key) || (cause !== '' && warned.size >= MOST_WARNINGS)) return;
    warned.add(key);
    process.emitWarning(problem + seeAlso(code), { code });
  };
}

/** Names the section of the package's documents that explains an error or a warning. */
function seeAlso(code: string): string {
  return ` (see docs/troubleshooting.md#${code.toLowerCase()} of passport-sms-otp)`;
}

/**
 * Builds the error for a wrong option of `maker`. `problem` follows the option's name and shows no
 * value.
 */
export function optionError(maker: string, option: string, problem: string): TypeError {
  return new TypeError(`${maker}: ${option} ${problem}`);
}

/** Returns an object to read the fields of an unknown value from; a primitive has none. */
export function readFields(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value) as Readonly<Record<string, unknown>>;
}

/** Returns whether a parsed value is what JSON calls an object: a list is not. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
