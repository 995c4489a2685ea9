import type { SmsOtpStore } from 'passport-sms-otp';
import { storeChecks, type StoreCheck } from 'passport-sms-otp/testing';

import { joinChecks, roomChecks } from '../checks/store/begin-checks';
import { amountChecks, counterChecks, raiseChecks } from '../checks/store/counter-checks';
import { finishChangeChecks, finishChecks } from '../checks/store/finish-checks';
import { lockChecks, unlockChecks } from '../checks/store/lock-checks';
import { pendingLoginChecks, pendingOtpChecks } from '../checks/store/pending-login-checks';
import { recordChecks, recordLifeChecks } from '../checks/store/record-checks';
import { tokenChecks } from '../checks/store/token-checks';
import { memoryStore } from '../../src/stores/memory/memory-store';

/** Makes a right store wrong. `now`: its clock, in milliseconds since 1970. */
export interface Sabotage {
  (store: SmsOtpStore, now: () => number): SmsOtpStore;
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

const CHECKS: Readonly<Record<keyof SmsOtpStore, readonly StoreCheck[]>> = {
  pendingLogins: [...joinChecks, ...roomChecks, ...pendingOtpChecks, ...pendingLoginChecks],
  counters: [...counterChecks, ...amountChecks, ...raiseChecks, ...lockChecks, ...unlockChecks],
  records: [...recordChecks, ...recordLifeChecks],
  tokens: tokenChecks,
  finish: [...finishChecks, ...finishChangeChecks],
};

export function checksAbout(part: keyof SmsOtpStore): readonly StoreCheck[] {
  return CHECKS[part];
}

/** What the checks, by default those of the part that is wrong, have against a store. */
export async function failuresOf(
  sabotage: Sabotage,
  checks: readonly StoreCheck[] = sabotage.part ? checksAbout(sabotage.part) : storeChecks,
): Promise<unknown[]> {
  return (await failedChecks(sabotage, checks)).map(({ failure }) => failure);
}

/**
 * The checks that fail for a store, with what each has against it.
 * @param clients Two are wrong each by itself, as in two processes.
 */
export async function failedChecks(
  sabotage: Sabotage,
  checks: readonly StoreCheck[],
  clients: 1 | 2 = 1,
): Promise<readonly { readonly title: string; readonly failure: unknown }[]> {
  const outcomes = checks.map(async ({ title, run }) => {
    let nowMs = 0;
    const now = (): number => nowMs;
    const database = memoryStore({ now });
    const first = sabotage(database, now);
    const makeStore = (): SmsOtpStore => (clients === 1 ? first : sabotage(database, now));
    const failure = run(makeStore, (seconds) => void (nowMs += seconds * 1000));
    return { title, failure: await failure.catch((error: unknown) => error) };
  });
  return (await Promise.all(outcomes)).filter(({ failure }) => failure !== undefined);
}
