import type { StoreFact } from './store/context';
import { amountContract, counterContract, raiseContract } from './store/counter-contract';
import { finishChangeContract, finishContract } from './store/finish-contract';
import { lockContract, unlockContract } from './store/lock-contract';
import { pendingLoginContract, pendingTextContract } from './store/pending-login-contract';
import { recordContract, recordLifeContract } from './store/record-contract';
import { tokenContract } from './store/token-contract';

export type { PassSeconds, StoreFact } from './store/context';
export type { SmsOtpStore } from 'passport-sms-otp';

/**
 * The facts that hold for every `SmsOtpStore`, for any test runner:
 *
 * ```ts
 * for (const { title, run } of storeContract) {
 *   test(title, () => run(() => myStore()));
 * }
 * ```
 *
 * Some facts are about time: `run` waits for it, 16 s at most, unless the second argument lets time
 * pass: `run(() => memoryStore({ now: () => time }), (seconds) => void (time += seconds * 1000))`.
 */
export const storeContract: readonly StoreFact[] = [
  ...pendingTextContract,
  ...pendingLoginContract,
  ...counterContract,
  ...amountContract,
  ...raiseContract,
  ...lockContract,
  ...unlockContract,
  ...recordContract,
  ...recordLifeContract,
  ...finishContract,
  ...finishChangeContract,
  ...tokenContract,
];
