import type { Policy, PolicyAnswer, PolicyContext } from '../policies/policy';
import type { Refusal } from './outcome';

/** A policy's no. */
export interface Denial {
  readonly policy: string;
  readonly refusal: Refusal;
}

/** Asks the policies of the stage in their order and stops at the first no. */
export async function askPolicies(
  policies: readonly Policy[],
  context: PolicyContext,
): Promise<Denial | null> {
  for (const policy of policies) {
    if (policy.stage !== context.stage) continue;
    const answer = await ask(policy, context);
    if (answer === 'allow') continue;
    const { deny: reason, retryAfterSeconds } = answer;
    const refusal = retryAfterSeconds === undefined ? { reason } : { reason, retryAfterSeconds };
    return { policy: policy.name, refusal };
  }
  return null;
}

async function ask(policy: Policy, context: PolicyContext): Promise<PolicyAnswer> {
  try {
    return await policy.check(context);
  } catch {
    // A rule that cannot be asked has not allowed anything.
    return { deny: 'denied' };
  }
}
