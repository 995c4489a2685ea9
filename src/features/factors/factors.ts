import type { OtpGateway } from '../../gateway';

/**
 * A second factor of the app, beside the text message. The library counts attempts and marks the
 * session. Ten wrong codes lock a factor whose codes are sent or typed, and fifty disable all such
 * factors together with the messages. Wrong responses to a challenge lock and disable nothing. A
 * factor serves for a login or a step-up: it proves no number and approves no transaction.
 */
export type Factor<User = Express.User> =
  | CodeFactor<User>
  | ChallengeFactor<User>
  | DeliveredFactor<User>;

interface FactorBase<User> {
  /** The factor's name, and the `method` of the mark: lowercase letters, digits and hyphens. */
  readonly name: string;
  /**
   * The value that follows the first factor's in `req.authInfo.amr`. RFC 8176. Default: the name.
   */
  readonly amr?: string | undefined;
  /**
   * Returns whether this user has set up the factor, even if it does not work now. Only `true`
   * counts as yes. If it throws, the factor is not offered now, and the user counts as one who has
   * it. Required with `phoneBook` or `recoveryCodes`, unless the factor has `getAddress`. Default:
   * every user has it.
   */
  isAvailable?(user: User): boolean | Promise<boolean>;
}

/** A factor whose code or response comes in a field of its own. */
interface EnteredFactor<User> extends FactorBase<User> {
  /** The field of the body that holds its code or response. Default: `codeField`. */
  readonly field?: string | undefined;
}

/**
 * A factor that sends its code, such as by email or by a call. It is one more place where a code
 * can be sent: the user chooses it like a second number, `verify` verifies its code, and the limits
 * of messages count it.
 */
export interface DeliveredFactor<User = Express.User> extends FactorBase<User> {
  /** Makes, sends and checks its codes. It stays open when `close()` is called. */
  readonly gateway: OtpGateway;
  /**
   * Returns where the code goes: 1 to 320 characters without control characters, or null if this
   * user has no address. A number in E.164 with its plus has the limits and the policies of that
   * number. With any other value, or if it throws, no code can go there now, and the user counts as
   * one who has the factor.
   */
  getAddress(user: User): string | null | undefined | Promise<string | null | undefined>;
}

/**
 * A factor whose code the user enters, such as an authenticator app. The callback must make sure
 * that a code works only once.
 */
export interface CodeFactor<User = Express.User> extends EnteredFactor<User> {
  /**
   * Returns whether the code belongs to this user. Only `true` counts as yes. If it throws, the
   * error goes to the app's error handler, and the attempt stays counted.
   */
  check(claimed: FactorCheck<User>): boolean | Promise<boolean>;
}

/**
 * A factor that answers a challenge, such as a passkey. The library makes the challenge and keeps
 * it in the store, bound to the pending login. It is accepted once, for at most five minutes, until
 * the next challenge of that factor is made.
 */
export interface ChallengeFactor<User = Express.User> extends EnteredFactor<User> {
  /**
   * Returns the JSON that `optionsWith` sends to the browser, with the challenge in it. It must not
   * send anything, such as an email: it may be called 20 times in a pending login, and per user 100
   * times a day in known browsers and 100 times in all others. If it throws, the error goes to the
   * app's error handler.
   */
  createOptions(challenged: FactorChallenged<User>): object | Promise<object>;
  /**
   * Returns whether the response answers this challenge for this user. Only `true` counts as yes.
   * If it throws, the error goes to the app's error handler, and the attempt is refunded.
   */
  checkResponse(answered: FactorResponse<User>): boolean | Promise<boolean>;
}

/** The user who passes a factor. */
interface FactorUser<User> {
  readonly user: User;
  readonly userId: string;
  /** The client's address as Express returns it (`req.ip`); undefined if there is none. */
  readonly address: string | undefined;
}

/** The user for whom a challenge is made. */
export interface FactorChallenged<User = Express.User> extends FactorUser<User> {
  readonly purpose: 'login' | 'step-up';
  /** 32 random bytes as base64url. */
  readonly challenge: string;
}

/** A response to a challenge. */
export interface FactorResponse<User = Express.User> extends FactorChallenged<User> {
  /** The JSON object of the body's field, unchecked: at most 16,384 characters. */
  readonly response: object;
}

/** A code of another factor, as the user entered it. */
export interface FactorCheck<User = Express.User> extends FactorUser<User> {
  /** As typed, trimmed: 1 to 128 characters. */
  readonly code: string;
}
