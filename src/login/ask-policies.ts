import type { Policy, PolicyCharge, PolicyContext } from '../policies/policy';
import type { DecisionEvent } from './life-events';
import { REASONS, type Refusal } from './outcome';

/** A policy's no. */
export interface Denial {
  readonly policy: string;
  readonly refusal: Refusal;
}

/** A counter that a policy wants charged with the send. */
export interface PlannedCharge extends PolicyCharge {
  readonly policy: Policy;
}

type Emit = (event: DecisionEvent) => void;

/** Asks the policies of the stage in their order and stops at the first no that counts. Tells each decision. */
export async function askPolicies(
  policies: readonly Policy[],
  context: PolicyContext,
  emit: Emit,
): Promise<Denial | null> {
  for (const policy of policies) {
    if (policy.stage !== context.stage) continue;
    const { refusal, because } = await ask(policy, context);
    emit(toDecision(policy, context, refusal === null ? 'allow' : 'deny', because));
    if (refusal !== null && policy.mode !== 'record') return { policy: policy.name, refusal };
  }
  return null;
}

/** The counters that the policies want charged with the send; a denial when one of them cannot say. */
export async function planCharges(
  policies: readonly Policy[],
  context: PolicyContext,
): Promise<readonly PlannedCharge[] | Denial> {
  const planned: PlannedCharge[] = [];
  for (const policy of policies) {
    if (policy.stage !== 'send' || policy.charges === undefined) continue;
    try {
      for (const charge of await policy.charges(context)) planned.push({ ...charge, policy });
    } catch {
      // A rule that cannot be asked has not allowed anything; one that only records has no say.
      if (policy.mode !== 'record') return { policy: policy.name, refusal: { reason: 'denied' } };
    }
  }
  return planned;
}

export function isPlan(planned: readonly PlannedCharge[] | Denial): planned is readonly PlannedCharge[] {
  return Array.isArray(planned);
}

/** What the counters of the policies have said. */
export interface ChargeVerdict {
  readonly refusedBy?: PlannedCharge | null;
  /** Counters of recording policies that would have refused. */
  readonly exceeded?: readonly PlannedCharge[];
}

/** Tells each no of a policy's counter. Its yes has been told: that was what `check` said. */
export function tellCharges(
  context: PolicyContext,
  { refusedBy, exceeded = [] }: ChargeVerdict,
  emit: Emit,
): void {
  for (const { policy, because } of refusedBy == null ? exceeded : [refusedBy]) {
    emit(toDecision(policy, context, 'deny', [because]));
  }
}

function toDecision(
  policy: Policy,
  { userId, purpose, address, stage }: PolicyContext,
  decision: DecisionEvent['decision'],
  because: readonly string[],
): DecisionEvent {
  return {
    type: 'policy-decided',
    userId,
    purpose,
    address,
    stage,
    policy: policy.name,
    mode: policy.mode ?? 'deny',
    decision,
    because,
  };
}

interface Answer {
  readonly refusal: Refusal | null;
  readonly because: readonly string[];
}

async function ask(policy: Policy, context: PolicyContext): Promise<Answer> {
  try {
    return readAnswer(await policy.check(context));
  } catch {
    // A rule that cannot be asked has not allowed anything.
    return { refusal: { reason: 'denied' }, because: ['it could not be asked'] };
  }
}

/** No refusal for exactly `'allow'`. Policies without types may answer anything: all else denies, if need be without a reason of its own. */
function readAnswer(answer: unknown): Answer {
  if (answer === 'allow') return { refusal: null, because: [] };
  const { deny, retryAfterSeconds, because } = Object(answer) as Partial<Record<string, unknown>>;
  const words: readonly unknown[] = Array.isArray(because) ? because : [];
  return {
    refusal: toRefusal(deny, retryAfterSeconds),
    because: words.filter((word) => typeof word === 'string'),
  };
}

/** A refusal in a policy's name. */
export function toRefusal(deny: unknown, retryAfterSeconds: unknown): Refusal {
  const reason = REASONS.find((known) => known === deny) ?? 'denied';
  const isWait =
    typeof retryAfterSeconds === 'number' && retryAfterSeconds > 0 && retryAfterSeconds < Infinity;
  return isWait ? { reason, retryAfterSeconds: Math.ceil(retryAfterSeconds) } : { reason };
}
