import { challengeContract } from './store/challenge-contract';
import { noteContract, recoveryCodeContract } from './store/code-and-note-contract';
import type { StoreFact } from './store/context';
import { amountContract, counterContract, raiseContract } from './store/counter-contract';
import { browserContract, deviceContract } from './store/device-contract';
import { finishChangeContract, finishContract } from './store/finish-contract';
import { lockContract, unlockContract } from './store/lock-contract';
import { loginContract } from './store/login-contract';
import { pendingLoginContract, pendingTextContract } from './store/pending-login-contract';
import { recordContract, recordLifeContract } from './store/record-contract';
import { tokenContract } from './store/token-contract';

export type { OptionalPart, PassSeconds, StoreFact, TestedStore } from './store/context';
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
 * A store may leave out `recoveryCodes`, `devices`, `browsers`, `logins` and `notes`. Facts about
 * them carry a `part`, and fail where it is missing: a store without a part leaves out its facts
 * explicitly:
 *
 * ```ts
 * for (const { title, run } of storeContract.filter(({ part }) => part !== 'devices')) …
 * ```
 *
 * Some facts are about time: `run` waits for it, 16 s at most, unless the second argument lets time
 * pass: `run(() => memoryStore({ now: () => time }), (seconds) => void (time += seconds * 1000))`.
 */
export const storeContract: readonly StoreFact[] = [
  ...challengeContract,
  ...counterContract,
  ...amountContract,
  ...lockContract,
  ...recoveryCodeContract,
  ...deviceContract,
  ...browserContract,
  ...loginContract,
  ...noteContract,
  ...tokenContract,
];

/**
 * The facts about the parts that take the place of challenges and of the five kinds of records. A
 * store that has not all of them yet runs the facts of those it has, by their `part`.
 */
export const nextContract: readonly StoreFact[] = [
  ...raiseContract,
  ...unlockContract,
  ...recordContract,
  ...recordLifeContract,
  ...pendingTextContract,
  ...pendingLoginContract,
  ...finishContract,
  ...finishChangeContract,
];
