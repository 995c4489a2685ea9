import type { SmsOtpStore } from 'passport-sms-otp';
import { storeChecks, type PassSeconds } from 'passport-sms-otp/testing';

/** What one check is run with. */
export interface Ground {
  readonly makeStore: () => Promise<SmsOtpStore> | SmsOtpStore;
  readonly passSeconds?: PassSeconds;
}

/** The checks as a table test. */
export interface CheckRuns {
  readonly rows: [title: string, run: () => Promise<void>][];
  /** Starts the checks, a few at once, so that waits on a real server's clock do not add up. */
  readonly start: () => void;
}

/**
 * How many checks run at once: enough for those that wait, few enough for a server on a busy
 * machine.
 */
const LANES = 6;

/** @param makeGround Called for each check. */
export function checkRuns(makeGround: () => Ground): CheckRuns {
  // The last check waits longest, so it goes first.
  const waiting = [...storeChecks].reverse();
  const outcomes = new Map<string, Promise<void>>();
  const lanes: Promise<void>[] = [];

  async function runLane(): Promise<void> {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const { makeStore, passSeconds } = makeGround();
      const outcome = check.run(makeStore, passSeconds);
      outcomes.set(check.title, outcome);
      // Who asks for the outcome hears of the failure.
      await outcome.catch(() => undefined);
    }
  }

  async function outcomeOf(title: string): Promise<void> {
    await Promise.all(lanes);
    if (!outcomes.has(title)) throw new Error('the checks were not started');
    await outcomes.get(title);
  }

  return {
    rows: storeChecks.map(({ title }) => [title, () => outcomeOf(title)]),
    start: () => lanes.push(...Array.from({ length: LANES }, runLane)),
  };
}
