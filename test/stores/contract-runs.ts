import { storeContract, type PassSeconds, type SmsOtpStore } from 'passport-sms-otp/store-contract';

/** What one fact is run with. */
export interface Ground {
  readonly makeStore: () => Promise<SmsOtpStore> | SmsOtpStore;
  readonly passSeconds?: PassSeconds;
}

/**
 * The facts of the contract as rows of a table test. The first row that is asked starts them all, so that the waits on
 * a real server's clock add up to the longest of them.
 */
export function contractRuns(makeGround: () => Ground): [title: string, run: () => Promise<void>][] {
  let runs: Map<string, Promise<void>> | undefined;

  function startAll(): Map<string, Promise<void>> {
    return new Map(storeContract.map(({ title, run }) => [title, settleLater(run, makeGround())]));
  }

  return storeContract.map(({ title }) => [title, async () => (runs ??= startAll()).get(title)]);
}

function settleLater(run: (typeof storeContract)[number]['run'], ground: Ground): Promise<void> {
  const outcome = run(ground.makeStore, ground.passSeconds);
  // Who asks for the outcome hears of the failure; until then it must not count as unhandled.
  outcome.catch(() => undefined);
  return outcome;
}
