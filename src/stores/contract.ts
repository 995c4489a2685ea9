import { amountFacts } from './contract/amount-facts';
import { challengeFacts } from './contract/challenge-facts';
import { counterFacts } from './contract/counter-facts';
import { deviceFacts } from './contract/device-facts';
import type { StoreFact } from './contract/fact';
import { lockFacts } from './contract/lock-facts';
import { noteFacts } from './contract/note-facts';
import { recoveryCodeFacts } from './contract/recovery-code-facts';
import { tokenFacts } from './contract/token-facts';

export type { OptionalPart, PassSeconds, StoreFact } from './contract/fact';
export type {
  Challenge,
  ChallengeStore,
  Charge,
  Claim,
  Count,
  Counter,
  CounterStore,
  DeviceRotation,
  DeviceStore,
  NoteStore,
  Purpose,
  RecoveryCodeStore,
  RenewedToken,
  SmsOtpStore,
  StoredToken,
  TokenStore,
  Transaction,
  TrustedDevice,
  UserId,
} from './store';

/**
 * What every `SmsOtpStore` must keep to, for any test runner:
 *
 * ```ts
 * for (const { title, run } of storeContract) {
 *   test(title, () => run(() => myStore()));
 * }
 * ```
 *
 * A store may leave out `recoveryCodes`, `devices` and `notes`. Facts about them carry a `part`, and do not hold where it
 * is missing: who leaves a part out leaves out its facts, and says so:
 *
 * ```ts
 * for (const { title, run } of storeContract.filter(({ part }) => part !== 'devices')) …
 * ```
 *
 * Some facts are about time: `run` waits for it, 16 s at most, unless it is told how to let time pass:
 * `run(() => memoryStore({ now: () => time }), (seconds) => void (time += seconds * 1000))`.
 */
export const storeContract: readonly StoreFact[] = [
  ...challengeFacts,
  ...counterFacts,
  ...amountFacts,
  ...lockFacts,
  ...recoveryCodeFacts,
  ...deviceFacts,
  ...noteFacts,
  ...tokenFacts,
];
