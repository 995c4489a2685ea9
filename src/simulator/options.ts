import type { Variant } from '../protocol/paths';
import type { Readings } from './readings';
import type { Randomness } from './state/randomness';

/** What a simulator is started with. */
export interface SimulatorOptions {
  /** Which of the two interfaces it plays. Default A. OTP spec §1. */
  readonly variant?: Variant;
  /** Default 0: any free port. */
  readonly port?: number;
  /** A loopback address: 127.0.0.0/8, ::1 or localhost. Default 127.0.0.1. */
  readonly host?: string;
  /** Default `demo`. */
  readonly username?: string;
  /** Default `demo-gateway-password`. */
  readonly password?: string;
  /** The account's money, a decimal string. Default 100.0000. */
  readonly balance?: string;
  /** Digits of a pin, 4 to 10. Default 6. Not shown in OTP spec §4: how many a pin has. */
  readonly pinDigits?: number;
  /**
   * Numbers, with or without plus, that always get the same pin of 4 to 10 digits. For demonstrations and tests; the
   * library itself has no such option. Default none.
   */
  readonly fixedPins?: Readonly<Record<string, string>>;
  /** How the open points of the documents are read. Default: the careful reading of each. */
  readonly readings?: Partial<Readings>;
  /** Whether the account may send OTPs; false gives 2100 in B. Default true. OTP spec §7. */
  readonly maySendOtp?: boolean;
  /** Whether the account may look numbers up; false gives 2004. Default true. HLR spec §7. */
  readonly mayLookUp?: boolean;
  /** Beginnings of numbers, digits without plus, that give 2101 in B. Default none. OTP spec §7. */
  readonly unknownDestinations?: readonly string[];
  /** Beginnings of numbers, digits without plus, that give 2102 in B. Default none. OTP spec §7. */
  readonly forbiddenDestinations?: readonly string[];
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Where pins, ids and tokens get their chance from. Default: the platform's cryptographic generator. */
  readonly randomness?: Randomness;
}
