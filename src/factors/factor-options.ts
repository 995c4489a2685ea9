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
