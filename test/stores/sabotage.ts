import {
  nextContract,
  storeContract,
  type SmsOtpStore,
  type StoreFact,
  type TestedStore,
} from 'passport-sms-otp/store-contract';

import { challengeContract } from '../contracts/store/challenge-contract';
import { amountContract, counterContract } from '../contracts/store/counter-contract';
import { lockContract } from '../contracts/store/lock-contract';
import { tokenContract } from '../contracts/store/token-contract';
import { memoryStore } from '../../src/stores/memory/memory-store';
import type { NextParts } from '../../src/stores/store';

/** A store with all parts. */
export type WholeStore = Required<SmsOtpStore> & NextParts;

/** Makes a right store wrong. */
export interface Sabotage {
  (store: WholeStore): TestedStore;
  /** The part that is wrong, when all others are as they were. */
  readonly part?: keyof WholeStore;
}

/** A store of which one part is wrong. */
export function partWith<Part extends Exclude<keyof WholeStore, 'finish'>>(
  part: Part,
  change: (kept: WholeStore[Part]) => Partial<WholeStore[Part]>,
): Sabotage {
  const sabotage: Sabotage = (store) => ({
    ...store,
    [part]: { ...store[part], ...change(store[part]) },
  });
  return Object.assign(sabotage, { part });
}

/** The facts about parts that every store has: these do not say which part they are about. */
const NAMED: Partial<Record<keyof WholeStore, readonly StoreFact[]>> = {
  challenges: challengeContract,
  counters: [...counterContract, ...amountContract, ...lockContract],
  tokens: tokenContract,
};

/** All facts. */
export const FACTS = [...storeContract, ...nextContract];

export function factsAbout(part: keyof WholeStore): readonly StoreFact[] {
  return NAMED[part] ?? FACTS.filter((fact) => fact.part === part);
}

/** What the facts, by default those of the part that is wrong, have against a store. */
export async function failuresOf(
  sabotage: Sabotage,
  facts: readonly StoreFact[] = sabotage.part ? factsAbout(sabotage.part) : FACTS,
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
    const makeStore = (): TestedStore => sabotage(memoryStore({ now: () => nowMs }));
    const failure = run(makeStore, (seconds) => void (nowMs += seconds * 1000));
    return { title, failure: await failure.catch((error: unknown) => error) };
  });
  return (await Promise.all(outcomes)).filter(({ failure }) => failure !== undefined);
}
