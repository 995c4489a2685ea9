import { challengeContract } from './challenge-contract';
import { noteContract, recoveryCodeContract } from './code-and-note-contract';
import type { StoreFact } from './context';
import { amountContract, counterContract } from './counter-contract';
import { browserContract, deviceContract } from './device-contract';
import { lockContract } from './lock-contract';
import { loginContract } from './login-contract';
import { tokenContract } from './token-contract';

export type { OptionalPart, PassSeconds, StoreFact } from './context';
export type * from '../store';

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
