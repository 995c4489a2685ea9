import { toDigits } from '../protocol/mobile';
import type { CheckedOptions } from './options-schema';
import { createClock } from './state/clock';
import { Ledger } from './state/ledger';
import { OtpBook } from './state/otp-book';
import { Outbox } from './state/outbox';
import { PinMaker } from './state/pins';
import { StatsBook } from './state/stats';
import { Subscribers } from './state/subscribers';
import { TokenBook } from './state/token-book';
import type { World } from './world';

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
