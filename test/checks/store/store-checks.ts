import { joinChecks, roomChecks } from './begin-checks';
import type { StoreCheck } from './context';
import { amountChecks, counterChecks, raiseChecks } from './counter-checks';
import { finishChangeChecks, finishChecks } from './finish-checks';
import { lockChecks, unlockChecks } from './lock-checks';
import { pendingLoginChecks, pendingOtpChecks } from './pending-login-checks';
import { recordChecks, recordLifeChecks } from './record-checks';
import { tokenChecks } from './token-checks';

export type { PassSeconds, StoreCheck } from './context';

/**
 * The checks that every `SmsOtpStore` must pass, for any test runner:
 *
 * ```ts
 * for (const { title, run } of storeChecks) {
 *   test(title, () => run(() => myStore(openConnection())));
 * }
 * ```
 *
 * Some checks depend on time. `run` waits for it, 16 s at most, unless the second argument lets
 * time pass: `run(() => memoryStore({ now: () => time }), (seconds) => void (time += seconds *
 * 1000))`.
 */
export const storeChecks: readonly StoreCheck[] = [
  ...joinChecks,
  ...roomChecks,
  ...pendingOtpChecks,
  ...pendingLoginChecks,
  ...counterChecks,
  ...amountChecks,
  ...raiseChecks,
  ...lockChecks,
  ...unlockChecks,
  ...recordChecks,
  ...recordLifeChecks,
  ...finishChecks,
  ...finishChangeChecks,
  ...tokenChecks,
];
