import { storeContract, type PassSeconds, type SmsOtpStore } from 'passport-sms-otp/store-contract';

/** What one fact is run with. */
export interface Ground {
  readonly makeStore: () => Promise<SmsOtpStore> | SmsOtpStore;
  readonly passSeconds?: PassSeconds;
}

/** The facts of the contract as a table test. */
export interface ContractRuns {
  readonly rows: [title: string, run: () => Promise<void>][];
  /** Starts the facts, a few at once, so that waits on a real server's clock do not add up. */
  readonly start: () => void;
}

/**
 * How many facts run at once: enough for those that wait, few enough for a server on a busy
 * machine.
 */
const LANES = 6;

/** @param makeGround Called for each fact. */
export function contractRuns(makeGround: () => Ground): ContractRuns {
  // The last fact waits longest, so it goes first.
  const waiting = [...storeContract].reverse();
  const outcomes = new Map<string, Promise<void>>();
  const lanes: Promise<void>[] = [];

  async function runLane(): Promise<void> {
    for (let fact = waiting.shift(); fact !== undefined; fact = waiting.shift()) {
      const { makeStore, passSeconds } = makeGround();
      const outcome = fact.run(makeStore, passSeconds);
      outcomes.set(fact.title, outcome);
      // Who asks for the outcome hears of the failure.
      await outcome.catch(() => undefined);
    }
  }

  async function outcomeOf(title: string): Promise<void> {
    await Promise.all(lanes);
    if (!outcomes.has(title)) throw new Error('the contract was not started');
    await outcomes.get(title);
  }

  return {
    rows: storeContract.map(({ title }) => [title, () => outcomeOf(title)]),
    start: () => lanes.push(...Array.from({ length: LANES }, runLane)),
  };
}
