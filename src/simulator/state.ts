import { toDigits } from '../protocol/mobile';
import type { CheckedOptions } from './options';
import { createClock } from './state/clock';
import { Ledger } from './state/ledger';
import { OtpStore } from './state/otp-store';
import { Outbox } from './state/outbox';
import { PinGenerator } from './state/pins';
import { StatsStore } from './state/stats';
import { Subscribers } from './state/subscribers';
import { TokenStore } from './state/token-store';

/** Everything a call may read and change. */
export type SimulatorState = Readonly<ReturnType<typeof createState>>;

/** Creates the state a simulator starts with. */
export function createState(options: CheckedOptions) {
  const { variant, readings, randomness, pinDigits } = options;
  const clock = createClock(options.now);
  const fixedPins = new Map(
    Object.entries(options.fixedPins).map(([mobile, pin]) => [toDigits(mobile) ?? mobile, pin]),
  );
  return {
    variant,
    readings,
    /** The account and what it may do. */
    account: options,
    clock,
    tokens: new TokenStore(clock, readings, randomness),
    otps: new OtpStore(variant, readings, randomness),
    pins: new PinGenerator(variant, pinDigits, fixedPins, readings.firstPinDigit, randomness),
    outbox: new Outbox(),
    ledger: new Ledger(options.balance),
    subscribers: new Subscribers(),
    stats: new StatsStore(),
  };
}
