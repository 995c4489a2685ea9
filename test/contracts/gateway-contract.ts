import type { GatewayFact } from './gateway/context';
import { judgementFailureContract, textFailureContract } from './gateway/failure-contract';
import { judgementContract } from './gateway/judgement-contract';
import { otherContract } from './gateway/other-contract';
import { textContract } from './gateway/text-contract';

export type {
  GatewayFact,
  GatewayFailure,
  GatewayUnderTest,
  MakeGateway,
  ReceivedText,
} from './gateway/context';

/**
 * The facts that hold for every `OtpGateway`, for any test runner:
 *
 * ```ts
 * for (const { title, run } of gatewayContract) test(title, () => run(() => makeMyGateway()));
 * ```
 *
 * `makeMyGateway` returns the gateway with a provider, most often a small fake of it, that a fact
 * can look at and make fail: a `GatewayUnderTest`. Each fact makes one, and closes it.
 */
export const gatewayContract: readonly GatewayFact[] = [
  ...textContract,
  ...textFailureContract,
  ...judgementContract,
  ...judgementFailureContract,
  ...otherContract,
];
