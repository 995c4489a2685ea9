import type { Variant } from '../protocol/paths';
import type { Readings } from './readings';
import type { Clock } from './state/clock';
import type { Ledger } from './state/ledger';
import type { OtpBook } from './state/otp-book';
import type { Outbox } from './state/outbox';
import type { PinMaker } from './state/pins';
import type { StatsBook } from './state/stats';
import type { Subscribers } from './state/subscribers';
import type { TokenBook } from './state/token-book';

/** Everything a call may read and change. */
export interface World {
  readonly variant: Variant;
  readonly readings: Readings;
  readonly account: Account;
  readonly clock: Clock;
  readonly tokens: TokenBook;
  readonly otps: OtpBook;
  readonly pins: PinMaker;
  readonly outbox: Outbox;
  readonly ledger: Ledger;
  readonly subscribers: Subscribers;
  readonly stats: StatsBook;
}

/** The account and what it may do. */
export interface Account {
  readonly username: string;
  readonly password: string;
  /** Permission for OTP; without it 2100. OTP spec §7. */
  readonly maySendOtp: boolean;
  /** Permission for lookups; without it 2004. HLR spec §7. */
  readonly mayLookUp: boolean;
  /** Beginnings of numbers, digits without plus, that are refused as unknown (2101). */
  readonly unknownDestinations: readonly string[];
  /** Beginnings of numbers, digits without plus, that are refused as forbidden (2102). */
  readonly forbiddenDestinations: readonly string[];
}
