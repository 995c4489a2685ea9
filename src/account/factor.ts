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
  /** The field of the body that holds its code. Default: `pinField`. */
  readonly field?: string | undefined;
  /** Whether the code is this user's. Only `true` means yes; a throw goes to the app's error handler and counts as an attempt. */
  check(claimed: FactorCheck<User>): boolean | Promise<boolean>;
}

/** How recovery codes are made. */
export interface RecoveryCodesOption {
  /** Codes a user is given at once: 5 to 20. Default: 10. */
  readonly count?: number | undefined;
}

/** How devices are trusted. */
export interface TrustedDevicesOption {
  /**
   * A text that changes with the user's password, such as its hash: with it the devices trusted before are trusted no more.
   * The user is as `loadUser` gave it. Only a keyed digest of the text is stored. An empty one is a `TypeError`.
   */
  getPasswordVersion(user: Express.User): string | Promise<string>;
  /** Days from the first trust, whatever is used meanwhile: 1 to 90. Default: 30. */
  readonly days?: number | undefined;
  /** Devices a user may have; beyond them the oldest goes: 1 to 20. Default: 5. */
  readonly most?: number | undefined;
  /** The name of the cookie; it begins with `__Host-`. Default: `__Host-sms-otp-device`. */
  readonly cookieName?: string | undefined;
}
