import type { SimulatorSettings } from './options';
import { Outbox, StatsStore } from './state/history';
import { Ledger } from './state/ledger';
import { OtpStore } from './state/otps';
import { Subscribers } from './state/subscribers';
import { IssuedTokens } from './state/issued-tokens';

/** Everything that a call may read and change. */
export type SimulatorState = Readonly<ReturnType<typeof createState>>;

export function createState(options: SimulatorSettings) {
  const { readings } = options;
  const clock = createClock(options.now);

  return {
    variant: options.variant,
    readings,
    /** The options of the account, with its permissions. */
    account: options,
    clock,
    tokens: new IssuedTokens(clock, readings, options.randomness),
    otps: new OtpStore(options),
    outbox: new Outbox(),
    ledger: new Ledger(options.balance),
    subscribers: new Subscribers(),
    stats: new StatsStore(),
  };
}

/** Creates the simulator's clock: the given clock plus an offset. */
export function createClock(now: () => number) {
  let offsetMs = 0;

  return {
    /** Returns the time in milliseconds since 1970. */
    nowMs: (): number => now() + offsetMs,
    advanceSeconds(seconds: number): void {
      if (!Number.isFinite(seconds) || seconds < 0) {
        throw new RangeError('advanceSeconds: seconds must be a number from 0');
      }
      offsetMs += Math.round(seconds * 1000);
    },
  };
}
