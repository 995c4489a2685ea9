import type { UserId } from '../stores/store';

/** A number of a user. */
export interface PhoneEntry {
  /** E.164 with plus. */
  readonly mobile: string;
  /** Whether a code was right on it, for this user. Only such numbers are texted at a login. */
  readonly isConfirmed: boolean;
  /** Whether it is the one that is texted unless the user chooses. At most one confirmed number is. */
  readonly isDefault: boolean;
}

/**
 * Where the app keeps its users' numbers. Each call is atomic: two that run at once have the effect of one after the
 * other, over all processes. What a call throws goes to the app's error handler, and nothing is sent or changed.
 */
export interface PhoneBook {
  /** All numbers of a user, the default first. */
  list(userId: UserId): readonly PhoneEntry[] | Promise<readonly PhoneEntry[]>;
  /** Keeps a number that is yet to be proven, in place of any other unconfirmed one. A confirmed number stays as it is. */
  addUnconfirmed(userId: UserId, mobile: string): unknown;
  /**
   * Makes the number a confirmed one; the user's first becomes the default. False, and nothing changes, when it is not
   * among the unconfirmed any more: another enrolment has come first.
   */
  confirm(userId: UserId, mobile: string): boolean | Promise<boolean>;
  /**
   * Makes `mobile` a confirmed number in the place of `replaced`, the default if that was it. False, and nothing changes,
   * when `mobile` is not among the unconfirmed any more or `replaced` not among the confirmed.
   */
  replace(userId: UserId, replaced: string, mobile: string): boolean | Promise<boolean>;
  /**
   * Takes a number away; was it the default, another confirmed one becomes it. False when it was not there, or, with
   * `keepsLast`, when it is the last confirmed one.
   */
  remove(
    userId: UserId,
    mobile: string,
    options: { readonly keepsLast: boolean },
  ): boolean | Promise<boolean>;
  /** Makes a confirmed number the default. False when it is not among the confirmed. */
  setDefault(userId: UserId, mobile: string): boolean | Promise<boolean>;
}
