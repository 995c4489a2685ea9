import { challengeFacts } from './contract/challenge-facts';
import { counterFacts } from './contract/counter-facts';
import type { StoreFact } from './contract/fact';
import { lockFacts } from './contract/lock-facts';
import { tokenFacts } from './contract/token-facts';

export type { PassSeconds, StoreFact } from './contract/fact';
export type {
  Challenge,
  ChallengeStore,
  Charge,
  Claim,
  Count,
  Counter,
  CounterStore,
  Purpose,
  RenewedToken,
  SmsOtpStore,
  StoredToken,
  TokenStore,
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
 * Some facts are about time: `run` waits for it, 16 s at most, unless it is told how to let time pass:
 * `run(() => memoryStore({ now: () => time }), (seconds) => void (time += seconds * 1000))`.
 */
export const storeContract: readonly StoreFact[] = [
  ...challengeFacts,
  ...counterFacts,
  ...lockFacts,
  ...tokenFacts,
];
