import { storeContract, type SmsOtpStore, type StoreFact } from 'passport-sms-otp/store-contract';

import { challengeContract } from '../contracts/store/challenge-contract';
import { amountContract, counterContract } from '../contracts/store/counter-contract';
import { lockContract } from '../contracts/store/lock-contract';
import { tokenContract } from '../contracts/store/token-contract';
import { memoryStore } from '../../src/stores/memory/memory-store';

/** Makes a right store wrong. */
export interface Sabotage {
  (store: Required<SmsOtpStore>): SmsOtpStore;
  /** The part that is wrong, when all others are as they were. */
  readonly part?: keyof SmsOtpStore;
}

/** A store of which one part is wrong. */
export function partWith<Part extends keyof SmsOtpStore>(
  part: Part,
  change: (kept: Required<SmsOtpStore>[Part]) => Partial<Required<SmsOtpStore>[Part]>,
): Sabotage {
  const sabotage: Sabotage = (store) => ({
    ...store,
    [part]: { ...store[part], ...change(store[part]) },
  });
  return Object.assign(sabotage, { part });
}

/** The facts about parts that every store has: these do not say which part they are about. */
const NAMED: Partial<Record<keyof SmsOtpStore, readonly StoreFact[]>> = {
  challenges: challengeContract,
  counters: [...counterContract, ...amountContract, ...lockContract],
  tokens: tokenContract,
};

export function factsAbout(part: keyof SmsOtpStore): readonly StoreFact[] {
  return NAMED[part] ?? storeContract.filter((fact) => fact.part === part);
}

/** What the facts, by default those of the part that is wrong, have against a store. */
export async function failuresOf(
  sabotage: Sabotage,
  facts: readonly StoreFact[] = sabotage.part ? factsAbout(sabotage.part) : storeContract,
): Promise<unknown[]> {
  const outcomes = facts.map(async ({ run }) => {
    let nowMs = 0;
    const makeStore = (): SmsOtpStore => sabotage(memoryStore({ now: () => nowMs }));
    const failure = run(makeStore, (seconds) => void (nowMs += seconds * 1000));
    return failure.catch((error: unknown) => error);
  });
  return (await Promise.all(outcomes)).filter((outcome) => outcome !== undefined);
}
