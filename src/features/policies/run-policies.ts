import type { DecisionEvent } from '../../events';
import type { FeatureRow, RefusedMessage } from '../../core/feature';
import { REASONS, type Refusal } from '../../core/outcome';
import { readFields, StoreError } from '../../errors';
import type {
  Policy,
  PolicyCharge,
  PolicyContext,
  PolicyStage,
  SendSettlement,
  VerifiedContext,
} from '../../limits/policy';

type EmitDecision = (event: DecisionEvent) => void;

/**
 * The rounds of policies. Those that cost nothing come first, so a message that they refuse costs
 * no lookup.
 */
type PolicyRound = 'free' | 'lookups';

/**
 * Checks every policy of the round for a message, in the order of the list. For a number that is
 * new to the user, the policies of the stage `enroll` come before those of the stage `send`.
 */
export async function runPolicies(
  policies: readonly Policy[],
  context: PolicyContext,
  round: PolicyRound,
  emit: EmitDecision,
): Promise<RefusedMessage | null> {
  for (const stage of stagesOf(context)) {
    // The stage `send` always gets the same context object.
    const staged = stage === context.stage ? context : { ...context, stage };
    const denial = await runStage(policies, staged, round, emit);
    if (denial !== null) return denial;
  }
  return null;
}

/** Returns whether a message needs a policy that pays for a lookup. */
export function needsLookup(policies: readonly Policy[], context: PolicyContext): boolean {
  const stages = stagesOf(context);
  return policies.some((policy) => policy.needsLookup === true && stages.includes(policy.stage));
}

function stagesOf({ purpose }: PolicyContext): readonly PolicyStage[] {
  return purpose === 'enroll' ? ['enroll', 'send'] : ['send'];
}

/**
 * Checks the policies of one stage and round in order, emits each decision, and stops at the first
 * enforced denial.
 */
async function runStage(
  policies: readonly Policy[],
  context: PolicyContext,
  round: PolicyRound,
  emit: EmitDecision,
): Promise<RefusedMessage | null> {
  for (const policy of policies) {
    const isOfRound = (policy.needsLookup === true) === (round === 'lookups');
    if (policy.stage !== context.stage || !isOfRound) continue;

    const { refusal, reasons } = await runPolicy(policy, context);
    emit(toDecision(policy, context, refusal === null ? 'allow' : 'deny', reasons));
    if (refusal !== null && policy.mode !== 'report') return { by: policy.name, refusal };
  }
  return null;
}

interface Answer {
  readonly refusal: Refusal | null;
  readonly reasons: readonly string[];
}

async function runPolicy(policy: Policy, context: PolicyContext): Promise<Answer> {
  try {
    return readAnswer(await policy.check(context));
  } catch (error) {
    rethrowOutage(policy, error);
    // If a policy fails, deny: it has not allowed the message.
    return { refusal: { reason: 'denied' }, reasons: ['it could not be asked'] };
  }
}

/**
 * Rethrows an error of the store, which decides nothing about the user. A policy that only reports
 * stops no message.
 */
function rethrowOutage({ mode }: Policy, error: unknown): void {
  if (error instanceof StoreError && mode !== 'report') throw error;
}

/**
 * Reads the answer of a policy, which may be untyped. Only `'allow'` allows. Any other answer
 * denies, with the reason `denied` unless it has a valid one.
 */
function readAnswer(answer: unknown): Answer {
  if (answer === 'allow') return { refusal: null, reasons: [] };
  const { deny, retryAfterSeconds, reasons } = readFields(answer);
  const words: readonly unknown[] = Array.isArray(reasons) ? reasons : [];
  return {
    refusal: toRefusal(deny, retryAfterSeconds),
    reasons: words.filter((word) => typeof word === 'string'),
  };
}

/** Returns the refusal of a policy or of its counter. */
function toRefusal(deny: unknown, retryAfterSeconds: unknown): Refusal {
  const reason = REASONS.find((known) => known === deny) ?? 'denied';
  const isWait =
    typeof retryAfterSeconds === 'number' && retryAfterSeconds > 0 && retryAfterSeconds < Infinity;
  return isWait ? { reason, retryAfterSeconds: Math.ceil(retryAfterSeconds) } : { reason };
}

/** A counter of a policy in which the message is counted. */
interface PlannedCharge extends PolicyCharge {
  readonly policy: Policy;
}

/**
 * Returns the counters of the policies in which the message is counted, or a denial if a policy
 * fails.
 */
export async function planCharges(
  policies: readonly Policy[],
  context: PolicyContext,
): Promise<readonly PlannedCharge[] | RefusedMessage> {
  const planned: PlannedCharge[] = [];
  for (const policy of policies) {
    if (policy.stage !== 'send' || policy.charges === undefined) continue;
    try {
      for (const charge of await policy.charges(context)) planned.push({ ...charge, policy });
    } catch (error) {
      rethrowOutage(policy, error);
      // If a policy fails, deny: it has not allowed the message.
      if (policy.mode !== 'report') return { by: policy.name, refusal: { reason: 'denied' } };
    }
  }
  return planned;
}

/** Makes the row of a policy's counter. A policy that only reports counts, but refuses nothing. */
export function toRow(
  planned: PlannedCharge,
  context: PolicyContext,
  emit: EmitDecision,
): FeatureRow {
  const { counter, policy } = planned;
  const emitDenial = (): void => emit(toDecision(policy, context, 'deny', [planned.reason]));
  const refuse: FeatureRow['refuse'] = (waitSeconds) => {
    emitDenial();
    return { by: policy.name, refusal: toRefusal(planned.deny ?? 'send-limit', waitSeconds) };
  };
  if (policy.mode !== 'report') return { limit: null, counter, refuse };

  const { max = Infinity, lock: _lock, ...counted } = counter;
  return {
    limit: null,
    counter: counted,
    refuse,
    counted(count) {
      if (count > max) emitDenial();
    },
  };
}

function toDecision(
  policy: Policy,
  { userId, purpose, address, stage }: PolicyContext,
  decision: DecisionEvent['decision'],
  reasons: readonly string[],
): DecisionEvent {
  const { name, mode = 'enforce' } = policy;
  const about = { userId, purpose, address, stage };
  return { type: 'policy-decided', ...about, policy: name, mode, decision, reasons };
}

/** Passes the outcome of a message to `settle` of the policies, without waiting for them. */
export function settlePolicies(
  policies: readonly Policy[],
  context: PolicyContext,
  settlement: SendSettlement,
): void {
  for (const policy of policies) {
    if (policy.stage === 'send') void callQuietly(() => policy.settle?.(context, settlement));
  }
}

/** Passes the cost of a lookup, which one policy has paid for, to all policies. */
export async function reportCost(
  policies: readonly Policy[],
  context: PolicyContext | VerifiedContext,
  cost: string | null,
): Promise<void> {
  await Promise.all(policies.map((policy) => callQuietly(() => policy.spent?.(context, cost))));
}

export async function callQuietly(notify: () => unknown): Promise<void> {
  try {
    await notify();
  } catch {
    // Ignore the error: the decision has already been made.
  }
}
