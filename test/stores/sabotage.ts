import { storeContract, type SmsOtpStore, type StoreFact } from 'passport-sms-otp/store-contract';

import { memoryStore } from '../../src/stores/memory/memory-store';

/** Makes a right store wrong. */
export type Sabotage = (store: Required<SmsOtpStore>) => SmsOtpStore;

/** A store of which one part is wrong. */
export function partWith<Part extends keyof SmsOtpStore>(
  part: Part,
  change: (kept: Required<SmsOtpStore>[Part]) => Partial<Required<SmsOtpStore>[Part]>,
): Sabotage {
  return (store) => ({ ...store, [part]: { ...store[part], ...change(store[part]) } });
}

/** What the facts have against a store that is wrong. */
export async function failuresOf(
  sabotage: Sabotage,
  facts: readonly StoreFact[] = storeContract,
): Promise<unknown[]> {
  const outcomes = facts.map(async ({ run }) => {
    let nowMs = 0;
    const makeStore = (): SmsOtpStore => sabotage(memoryStore({ now: () => nowMs }));
    const failure = run(makeStore, (seconds) => void (nowMs += seconds * 1000));
    return failure.catch((error: unknown) => error);
  });
  return (await Promise.all(outcomes)).filter((outcome) => outcome !== undefined);
}
