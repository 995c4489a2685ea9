/** A code of another factor, as a user has entered it. */
export interface FactorCheck<User = Express.User> {
  readonly user: User;
  readonly userId: string;
  /** As typed, trimmed: 1 to 128 characters. */
  readonly code: string;
  /** The client's address as Express gives it (`req.ip`); undefined when there is none. */
  readonly address: string | undefined;
}

/**
 * Another second factor beside the text message: a code that the user enters and a callback checks. Attempts, locks, the
 * user's failures and the session are the library's business and shared by all factors; that a code works once is the
 * callback's.
 */
export interface Factor<User = Express.User> {
  /** Its name, and the `method` of the mark: small letters, digits and hyphens. */
  readonly name: string;
  /** What `req.authInfo.amr` tells beside `pwd`; RFC 8176. Default: the name. */
  readonly amr?: string | undefined;
  /** The field of the body that holds its code. Default: `fields.code`. */
  readonly field?: string | undefined;
  /** Whether the code is this user's. Only `true` means yes; a throw goes to the app's error handler and counts as an attempt. */
  check(claimed: FactorCheck<User>): boolean | Promise<boolean>;
}
