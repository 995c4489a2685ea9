import type { GatewayCheck } from './context';
import { validateFailureChecks, generateFailureChecks } from './failure-checks';
import { validateChecks } from './validate-checks';
import { otherChecks } from './other-checks';
import { generateChecks } from './generate-checks';

export type {
  GatewayCheck,
  GatewayFailure,
  GatewayUnderTest,
  MakeGateway,
  ReceivedText,
} from './context';

/**
 * The checks that every `OtpGateway` must pass, for any test runner:
 *
 * ```ts
 * for (const { title, run } of gatewayChecks) test(title, () => run(() => makeMyGateway()));
 * ```
 *
 * `makeMyGateway` returns a `GatewayUnderTest`: the gateway with a provider that a check can
 * inspect and make fail, usually a small fake. Each check creates one and closes it.
 */
export const gatewayChecks: readonly GatewayCheck[] = [
  ...generateChecks,
  ...generateFailureChecks,
  ...validateChecks,
  ...validateFailureChecks,
  ...otherChecks,
];
