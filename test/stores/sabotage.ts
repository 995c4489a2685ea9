import { storeContract, type SmsOtpStore, type StoreFact } from 'passport-sms-otp/store-contract';

import {
  amountContract,
  counterContract,
  raiseContract,
} from '../contracts/store/counter-contract';
import { finishChangeContract, finishContract } from '../contracts/store/finish-contract';
import { lockContract, unlockContract } from '../contracts/store/lock-contract';
import {
  pendingLoginContract,
  pendingTextContract,
} from '../contracts/store/pending-login-contract';
import { recordContract, recordLifeContract } from '../contracts/store/record-contract';
import { tokenContract } from '../contracts/store/token-contract';
import { memoryStore } from '../../src/stores/memory/memory-store';

/** Makes a right store wrong. */
export interface Sabotage {
  (store: SmsOtpStore): SmsOtpStore;
  /** The part that is wrong, when all others are as they were. */
  readonly part?: keyof SmsOtpStore;
}

/** The parts that have calls of their own. */
type Part = Exclude<keyof SmsOtpStore, 'finish'>;

/** A store of which one part is wrong. */
export function partWith<Name extends Part>(
  part: Name,
  change: (kept: SmsOtpStore[Name]) => Partial<SmsOtpStore[Name]>,
): Sabotage {
  const sabotage: Sabotage = (store) => ({
    ...store,
    [part]: { ...store[part], ...change(store[part]) },
  });
  return Object.assign(sabotage, { part });
}

const FACTS: Readonly<Record<keyof SmsOtpStore, readonly StoreFact[]>> = {
  pendingLogins: [...pendingTextContract, ...pendingLoginContract],
  counters: [
    ...counterContract,
    ...amountContract,
    ...raiseContract,
    ...lockContract,
    ...unlockContract,
  ],
  records: [...recordContract, ...recordLifeContract],
  tokens: tokenContract,
  finish: [...finishContract, ...finishChangeContract],
};

export function factsAbout(part: keyof SmsOtpStore): readonly StoreFact[] {
  return FACTS[part];
}

/** What the facts, by default those of the part that is wrong, have against a store. */
export async function failuresOf(
  sabotage: Sabotage,
  facts: readonly StoreFact[] = sabotage.part ? factsAbout(sabotage.part) : storeContract,
): Promise<unknown[]> {
  return (await failedFacts(sabotage, facts)).map(({ failure }) => failure);
}

/** The facts that do not hold for a store, with what each has against it. */
export async function failedFacts(
  sabotage: Sabotage,
  facts: readonly StoreFact[],
): Promise<readonly { readonly title: string; readonly failure: unknown }[]> {
  const outcomes = facts.map(async ({ title, run }) => {
    let nowMs = 0;
    const makeStore = (): SmsOtpStore => sabotage(memoryStore({ now: () => nowMs }));
    const failure = run(makeStore, (seconds) => void (nowMs += seconds * 1000));
    return { title, failure: await failure.catch((error: unknown) => error) };
  });
  return (await Promise.all(outcomes)).filter(({ failure }) => failure !== undefined);
}
