/**
 * Another second factor beside the text message. The library counts attempts and marks the session.
 * Ten wrong codes lock a factor whose codes are typed, and fifty disable all of these together with
 * the messages; responses to a challenge lock and disable nothing. For a login or a step-up; it
 * confirms no number and approves no transaction.
 */
export type Factor<User = Express.User> = CodeFactor<User> | ChallengeFactor<User>;

interface FactorBase<User> {
  /** Its name, and the `method` of the mark: small letters, digits and hyphens. */
  readonly name: string;
  /**
   * The value that `req.authInfo.amr` has after the first factor's; RFC 8176. Default: the name.
   */
  readonly amr?: string | undefined;
  /** The field of the body that holds its code, or its response. Default: `codeField`. */
  readonly field?: string | undefined;
  /**
   * Returns whether this user has the factor, whether or not it works at the moment. Only `true`
   * means yes. A throw means that the factor is not offered now, and where a right depends on it,
   * that the user has it. Required with `phoneBook` or `recoveryCodes`. Default: every user has it.
   */
  isAvailable?(user: User): boolean | Promise<boolean>;
}

/**
 * A factor whose code the user enters, such as an authenticator app's. That a code works only once
 * is up to the callback.
 */
export interface CodeFactor<User = Express.User> extends FactorBase<User> {
  /**
   * Returns whether the code is this user's. Only `true` means yes; a throw goes to the app's error
   * handler and counts as an attempt.
   */
  check(claimed: FactorCheck<User>): boolean | Promise<boolean>;
}

/**
 * A factor that answers a challenge, such as a passkey. The library makes the challenge and keeps
 * it in the store, under the pending login: it is good once, for five minutes at most and until
 * the next challenge of that factor, and for nothing else.
 */
export interface ChallengeFactor<User = Express.User> extends FactorBase<User> {
  /**
   * Returns what `optionsWith` sends to the browser as JSON, with the challenge in it. It must not
   * send anything, such as an e-mail: it may be called 20 times in a pending login, and 100 times a
   * day for a user in known browsers and in all others each. A throw goes to the app's error
   * handler.
   */
  createOptions(challenged: FactorChallenged<User>): object | Promise<object>;
  /**
   * Returns whether the response answers this challenge for this user. Only `true` means yes; a
   * throw goes to the app's error handler, and the attempt is refunded.
   */
  checkResponse(answered: FactorResponse<User>): boolean | Promise<boolean>;
}

/** Who passes a factor. */
interface FactorUser<User> {
  readonly user: User;
  readonly userId: string;
  /** The client's address as Express returns it (`req.ip`); undefined when there is none. */
  readonly address: string | undefined;
}

/** Whom a challenge is for. */
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

/** A code of another factor, as a user has entered it. */
export interface FactorCheck<User = Express.User> extends FactorUser<User> {
  /** As typed, trimmed: 1 to 128 characters. */
  readonly code: string;
}
