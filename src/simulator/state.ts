import { toDigits } from '../protocol/mobile';
import type { Variant } from '../protocol/paths';
import type { CheckedOptions } from './options';
import type { Readings } from './readings';
import { type Clock, createClock } from './state/clock';
import { Ledger } from './state/ledger';
import { OtpBook } from './state/otp-store';
import { Outbox } from './state/outbox';
import { PinMaker } from './state/pins';
import { StatsBook } from './state/stats';
import { Subscribers } from './state/subscribers';
import { TokenBook } from './state/token-store';

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

/** The state a simulator begins with. */
export function createWorld(options: CheckedOptions): World {
  const { variant, readings, randomness, pinDigits } = options;
  const clock = createClock(options.now);
  const fixedPins = new Map(
    Object.entries(options.fixedPins).map(([mobile, pin]) => [toDigits(mobile) ?? mobile, pin]),
  );
  return {
    variant,
    readings,
    account: options,
    clock,
    tokens: new TokenBook(clock, readings, randomness),
    otps: new OtpBook(variant, readings, randomness),
    pins: new PinMaker(variant, pinDigits, fixedPins, readings.firstPinDigit, randomness),
    outbox: new Outbox(),
    ledger: new Ledger(options.balance),
    subscribers: new Subscribers(),
    stats: new StatsBook(),
  };
}
