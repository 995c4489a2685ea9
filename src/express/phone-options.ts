import { checkOptions, REDIRECT_TYPES, type OptionTypes } from './check-options';
import type { RedirectOptions } from './refuse';

/** Options of every middleware that changes a user's numbers. */
export interface PhoneOptions extends RedirectOptions {
  /** Seconds since the second factor was passed: above 0, at most 900. Default: 300. */
  readonly maxAgeSeconds?: number | undefined;
}

/** Options of `phones.enrol`. */
export interface EnrolOptions extends PhoneOptions {
  /**
   * The new number takes the place of another, at the moment its code is right: the one that the body names by its
   * `phoneId`, else the default. Default: false, it is added.
   */
  readonly replaces?: boolean | undefined;
  /** ISO 3166-1 code of the country whose national form is understood. Default: none, numbers begin with a plus. */
  readonly defaultCountry?: string | undefined;
}

/** Options of `phones.remove`. */
export interface RemoveOptions extends PhoneOptions {
  /** Whether the last confirmed number stays: without one, the next number is trusted on first use. Default: true. */
  readonly keepsLast?: boolean | undefined;
}

const DEFAULT_MAX_AGE_SECONDS = 300;
const FURTHEST_MAX_AGE_SECONDS = 900;

export const PHONE_TYPES: OptionTypes = { ...REDIRECT_TYPES, maxAgeSeconds: 'number' };

/**
 * Checks the options and gives the age as milliseconds.
 * @throws {TypeError} that names the option.
 */
export function readPhoneOptions(name: string, options: PhoneOptions, types: OptionTypes): number {
  checkOptions(name, options, types);
  const { maxAgeSeconds = DEFAULT_MAX_AGE_SECONDS } = options;
  if (maxAgeSeconds > 0 && maxAgeSeconds <= FURTHEST_MAX_AGE_SECONDS) return maxAgeSeconds * 1000;
  throw new TypeError(`${name}: maxAgeSeconds must be above 0 and at most ${FURTHEST_MAX_AGE_SECONDS}`);
}

/** @throws {TypeError} when it cannot be a country. Whether there is one of that name is known at the first number. */
export function checkCountry({ defaultCountry }: EnrolOptions): void {
  if (defaultCountry === undefined || /^[A-Z]{2}$/.test(defaultCountry)) return;
  throw new TypeError('phones.enrol: defaultCountry must be an ISO 3166-1 code such as US');
}
