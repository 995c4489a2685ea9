import { challengeContract } from './store/challenge-contract';
import { noteContract, recoveryCodeContract } from './store/code-and-note-contract';
import type { StoreFact } from './store/context';
import { amountContract, counterContract } from './store/counter-contract';
import { browserContract, deviceContract } from './store/device-contract';
import { lockContract } from './store/lock-contract';
import { loginContract } from './store/login-contract';
import { tokenContract } from './store/token-contract';

export type { OptionalPart, PassSeconds, StoreFact } from './store/context';
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
