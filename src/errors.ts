import {
  isServerReply,
  readField,
  type SafeCause,
  toSafeCause,
  toStoreCause,
} from './foreign-error';

/**
 * The base class of all errors that this package throws at run time. Messages are built from fixed
 * words: they never contain a code, token, password, full number, body, header or URL. Wrong
 * options are plain `TypeError`s instead.
 */
export abstract class SmsOtpError extends Error {
  /** A stable code, for use in a `switch`. */
  abstract readonly code: string;
  /** The HTTP status that an Express error handler should answer with. */
  abstract readonly status: number;
  /** The safe part of the third-party error that caused this one. */
  declare readonly cause: SafeCause | undefined;
  /** Headers that the error handler of Express adds to its response. */
  declare readonly headers?: { readonly 'Retry-After'?: string };

  /** Returns false for a third-party error whose class cannot be read. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    try {
      return Function.prototype[Symbol.hasInstance].call(this, error);
    } catch {
      // A `Proxy` that throws when it is read is not one of our errors.
      return false;
    }
  }

  /** @param cause The safe part of the third-party error. */
  constructor(message: string, cause?: SafeCause) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
  }
}

/** The base class of errors after which there is no usable answer. */
export abstract class NoAnswerError extends SmsOtpError {
  /**
   * False if no byte of the request can have left this process. True: the gateway may have acted on
   * it.
   */
  abstract readonly mayHaveArrived: boolean;
}

/** Returns the safe part of the error that caused ours; undefined if there is none. */
function toOptionalCause(
  cause: unknown,
  toSafe: (error: unknown) => SafeCause,
): SafeCause | undefined {
  return cause === undefined ? undefined : toSafe(cause);
}

/** Appends the code of the cause to a message, if there is one. */
function withCode(message: string, cause: SafeCause | undefined): string {
  return cause?.code == null ? message : `${message}: ${cause.code}`;
}

/** Removes the `Retry-After` from an error if the same request cannot succeed later. */
export function withoutRetryAfter<E extends SmsOtpError>(error: E): E {
  return Object.defineProperty(error, 'headers', { value: {} });
}

/**
 * Returns false if an error says that the gateway cannot have acted: no message was sent and no
 * code was checked. Any other error may have arrived.
 */
export function mayHaveArrived(error: unknown): boolean {
  return readField(error, 'mayHaveArrived') !== false;
}

/**
 * Returns whether a code may have been checked without anyone knowing the result. A rejection is an
 * answer, and the store of a login keeps no codes: only the store of a gateway can lose one.
 */
export function isAnswerLost(error: unknown): error is NoAnswerError | StoreError {
  if (error instanceof StoreError) return error.mayHaveArrived === true;
  return error instanceof NoAnswerError && error.mayHaveArrived;
}

/**
 * Converts what an app's gateway, or a function that it calls, has thrown into a gateway error.
 * Errors of this package stay as they are, also those of the store in which a gateway keeps its
 * codes.
 */
export function toGatewayError(call: string, error: unknown): GatewayError | StoreError {
  if (isGatewayError(error) || error instanceof StoreError) {
    // The app's gateway may use a client with `keepsDetail`, whose errors contain secrets.
    Reflect.deleteProperty(error, 'detail');
    return error;
  }
  if (!mayHaveArrived(error)) return new GatewayUnreachableError(call, false, error);
  const problem = 'it threw an error that is not one of this package';
  return new GatewayResponseError(call, null, problem, null, error ?? null);
}

/**
 * The gateway could not be reached: refused, reset, no route, bad certificate. `status` is 502 when
 * an answer was lost.
 */
export class GatewayUnreachableError extends NoAnswerError {
  readonly code = 'ERR_GATEWAY_UNREACHABLE';
  readonly status: 502 | 503;

  /** @param mayHaveArrived False if no byte of the request can have left this process. */
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

  /** @param mayHaveArrived False if no byte of the request can have left this process. */
  constructor(
    call: string,
    timeoutMs: number,
    readonly mayHaveArrived: boolean,
  ) {
    super(`The OTP gateway did not answer within ${timeoutMs} ms (${call})`);
  }
}

/** The caller ended the call with its `signal`. */
export class GatewayAbortedError extends NoAnswerError {
  readonly code = 'ERR_GATEWAY_ABORTED';
  readonly status = 503;

  /** @param mayHaveArrived False if no byte of the request can have left this process. */
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
  /** The answer itself. Only a client with `keepsDetail` sets it. */
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

  /** The documented error code, or null if the answer had a status and no code. */
  readonly gatewayCode: number | null;
  /** The documented name of the code, or null if the code is not documented. */
  readonly gatewayName: string | null;
  readonly httpStatus: number;
  /** Seconds of the answer's `Retry-After`, or null. */
  readonly retryAfterSeconds: number | null;
  /** False if the answer rules out that a message was sent or a code checked. True: it does not. */
  readonly mayHaveArrived: boolean;
  /** The answer itself. Only a client with `keepsDetail` sets it. */
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

/** The gateway's own answer. It may contain a number, and any secret that the gateway repeats. */
export interface GatewayDetail {
  /** Headers of the answer, with names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The beginning of the body, up to 4,096 characters. Empty if the body was not read. */
  readonly body: string;
}

/**
 * Adds the gateway's own answer to an error that has a field for it. The field is not enumerable,
 * so printing or serializing the error does not show it.
 */
export function addDetail(error: unknown, detail: GatewayDetail): void {
  if (error instanceof GatewayResponseError || error instanceof GatewayRejectedError)
    Object.defineProperty(error, 'detail', { value: detail, configurable: true });
}

/** Says how a gateway rejected a request. */
export interface GatewayRejection {
  readonly httpStatus: number;
  /**
   * An error code of OTP spec §7. The library acts on it, so do not put the codes of another
   * provider here. Default: null.
   */
  readonly gatewayCode?: number | null | undefined;
  /** The documented name of that code. Default: null. */
  readonly gatewayName?: string | null | undefined;
  /** Seconds of the answer's `Retry-After`. Default: null. */
  readonly retryAfterSeconds?: number | null | undefined;
  /** False: certainly no message was sent, or no code was checked. Default: true. */
  readonly mayHaveArrived?: boolean | undefined;
}

/**
 * The call was refused before anything was sent: the queue is full, no token is available, or the
 * client is closed.
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

/** The words of `problem` after which the store may have done what it was asked. */
const UNCERTAIN: readonly string[] = ['no answer in time', 'unknown answer'];

/**
 * The store failed or did not answer in time. No one is logged in. A message may have been sent.
 */
export class StoreError extends SmsOtpError {
  readonly code = 'ERR_STORE';
  readonly status = 503;
  /**
   * Set only for the store of a gateway: whether a message may have been sent or a code checked.
   */
  declare readonly mayHaveArrived?: boolean;
  /** The code of the cause, or our words for it (`no answer in time`). Null if nothing is known. */
  readonly problem: string | null;
  /**
   * True if the store has certainly changed nothing: its server answered with a refusal, or nothing
   * was sent to it.
   */
  readonly hasRefused: boolean;

  /** @param operation The name of the call; after a colon, our words for what went wrong. */
  constructor(operation: string, cause?: unknown) {
    const safe = toOptionalCause(cause, toStoreCause);
    super(withCode(`The store failed (${operation})`, safe), safe);
    this.problem = safe?.code ?? /: (.+)$/.exec(operation)?.[1] ?? null;
    this.hasRefused =
      cause === undefined ? !UNCERTAIN.includes(this.problem ?? '') : isServerReply(cause);
  }
}

/**
 * The session is missing or cannot be renewed or saved. `status` is 503 if the session store
 * failed, otherwise 500: the app is not set up correctly.
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

  /** @param missing The missing half of a first factor's result. */
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
    'req.user is set and req.authInfo is missing, so the user may come from the session ' +
    'alone. Passport sets it, unless authInfo is false. After a password check of your own, or ' +
    'in a custom callback, set both: req.user = user; req.authInfo = {}; smsOtp.send()(req, ' +
    'res, next)',
};

/** The app calls a function of the package in a wrong way. */
export class UsageError extends SmsOtpError {
  readonly status = 500;

  /** @param name The name of the function or strategy. */
  constructor(
    readonly code: keyof typeof MISUSES,
    name: string,
  ) {
    super(MISUSES[code].replaceAll('{name}', name) + seeAlso(code));
  }
}

const MISUSES = {
  ERR_GUARD_REDIRECT:
    '{name} guards the page that it redirects to, an endless loop. Put the guard behind the ' +
    'routes of the login',
  ERR_NO_SERIALIZER:
    'Passport has no {name}, so the login would fail after the right code; nothing was sent. ' +
    'Write passport.{name}((user, done) => done(null, user.id)) and passport.deserializeUser',
  ERR_PASSPORT_COPY:
    'Two copies of passport are installed, and {name} does not use the one of the app, so the ' +
    'login would fail after the right code; nothing was sent. Write {name}({ passport }) with ' +
    'the one of the app',
  ERR_PASSPORT_INSTANCE:
    "The app has its own Passport instance, and {name} uses require('passport'), so the " +
    'login would fail after the right code; nothing was sent. Write {name}({ passport })',
  ERR_NOT_CALLED: '{name} returns a middleware: write {name}() with parentheses',
  ERR_STRATEGY_OBJECT:
    'The strategy was passed to passport.authenticate as an object, which Passport shares ' +
    "between requests. Write its name: passport.authenticate('{name}')",
  ERR_STRATEGY_PROPERTY:
    "passport.authorize('{name}') and the option assignProperty log no user in, so the code was " +
    "not checked. Write smsOtp.verify() or passport.authenticate('{name}') without assignProperty",
  ERR_STRATEGY_SENDS_NOTHING:
    "passport.authenticate('{name}') checks a code and sends none. Put smsOtp.send() behind " +
    'the first factor',
  ERR_TOTP_SECRET:
    '{name} cannot open what findSecret has returned: createTotpSecret has not made it, has ' +
    'made it for another user or under a secret that is no longer in the list, or it has been ' +
    'changed',
};

/** Thrown if the operation requires that this user passed a second factor recently. */
export class SecondFactorError extends SmsOtpError {
  readonly code = 'ERR_SECOND_FACTOR_NEEDED';
  readonly status = 403;
}

/** The form that created recovery codes was sent again, as a double click does. */
export class RecoveryCodesError extends SmsOtpError {
  readonly code = 'ERR_CODES_ALREADY_MADE';
  readonly status = 409;
}

/** All errors that this package throws at run time. `switch (error.code)` narrows the type. */
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

/** The errors of a gateway call that failed or was refused. */
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
 * Emits a process warning, once per code.
 * @param cause Tells several causes of one code apart: one warning for each, up to 100 in all.
 */
export type Warn = (code: string, problem: string, cause?: string) => void;

/** A limit, so that a server that always fails in a new way does not fill the memory. */
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

/** Returns a reference to the section of the documentation that explains an error or a warning. */
function seeAlso(code: string): string {
  return ` (see docs/troubleshooting.md#${code.toLowerCase()} of passport-sms-otp)`;
}

/**
 * Returns the error for a wrong option of `maker`. `problem` follows the option's name and shows no
 * value.
 */
export function optionError(maker: string, option: string, problem: string): TypeError {
  return new TypeError(`${maker}: ${option} ${problem}`);
}

/**
 * Returns an object from which the fields of an unknown value can be read. A primitive has none.
 */
export function readFields(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value) as Readonly<Record<string, unknown>>;
}

/** Returns whether a parsed value is a JSON object. A list is not. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
