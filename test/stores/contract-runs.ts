import { storeContract, type PassSeconds, type SmsOtpStore } from 'passport-sms-otp/store-contract';

/** What one fact is run with. */
export interface Ground {
  readonly makeStore: () => Promise<SmsOtpStore> | SmsOtpStore;
  readonly passSeconds?: PassSeconds;
}

/** The facts of the contract as a table test. */
export interface ContractRuns {
  readonly rows: [title: string, run: () => Promise<void>][];
  /** Starts all facts at once, so that waits on a real server's clock add up to the longest of them. */
  readonly start: () => void;
}

/** @param makeGround Called for each fact. */
export function contractRuns(makeGround: () => Ground): ContractRuns {
  const runs = new Map<string, Promise<void>>();

  function start(): void {
    for (const { title, run } of storeContract) {
      const { makeStore, passSeconds } = makeGround();
      const outcome = run(makeStore, passSeconds);
      // Who asks for the outcome hears of the failure; until then it must not count as unhandled.
      outcome.catch(() => undefined);
      runs.set(title, outcome);
    }
  }

  async function outcomeOf(title: string): Promise<void> {
    if (!runs.has(title)) throw new Error('the contract was not started');
    await runs.get(title);
  }

  return { rows: storeContract.map(({ title }) => [title, () => outcomeOf(title)]), start };
}
