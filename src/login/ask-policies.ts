import type { Policy, PolicyContext } from '../policies/policy';
import { REASONS, type Refusal } from './outcome';

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
    const refusal = await ask(policy, context);
    if (refusal !== null) return { policy: policy.name, refusal };
  }
  return null;
}

async function ask(policy: Policy, context: PolicyContext): Promise<Refusal | null> {
  try {
    return readAnswer(await policy.check(context));
  } catch {
    // A rule that cannot be asked has not allowed anything.
    return { reason: 'denied' };
  }
}

/** Null for exactly `'allow'`. Policies without types may answer anything: all else denies, if need be without a reason of its own. */
function readAnswer(answer: unknown): Refusal | null {
  if (answer === 'allow') return null;
  const { deny, retryAfterSeconds } = Object(answer) as Partial<Record<string, unknown>>;
  const reason = REASONS.find((known) => known === deny) ?? 'denied';
  const isWait =
    typeof retryAfterSeconds === 'number' && retryAfterSeconds > 0 && retryAfterSeconds < Infinity;
  return isWait ? { reason, retryAfterSeconds: Math.ceil(retryAfterSeconds) } : { reason };
}
