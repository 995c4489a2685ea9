import type { NumberKeys } from '../limits/number-keys';
import type {
  Policy,
  PolicyCharge,
  PolicyContext,
  PolicyServices,
  SendSettlement,
  VerifiedContext,
} from '../limits/policy';
import type { Challenge } from '../stores/store';
import type { LoginContext } from './context';
import type { DecisionEvent } from './events';
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
async function runPolicies(
  policies: readonly Policy[],
  context: PolicyContext,
  emit: Emit,
): Promise<Denial | null> {
  for (const policy of policies) {
    if (policy.stage !== context.stage) continue;
    const { refusal, reasons } = await runPolicy(policy, context);
    emit(toDecision(policy, context, refusal === null ? 'allow' : 'deny', reasons));
    if (refusal !== null && policy.mode !== 'report') return { policy: policy.name, refusal };
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
      if (policy.mode !== 'report') return { policy: policy.name, refusal: { reason: 'denied' } };
    }
  }
  return planned;
}

export function isDenial(planned: readonly PlannedCharge[] | Denial): planned is Denial {
  return 'refusal' in planned;
}

/** What the counters of the policies have said. */
export interface ChargeVerdict {
  readonly refusedBy?: PlannedCharge | null;
  /** Counters of recording policies that would have refused. */
  readonly exceeded?: readonly PlannedCharge[];
}

/** Tells each no of a policy's counter. Its yes has been told: that was what `check` said. */
export function emitChargeDenials(
  context: PolicyContext,
  { refusedBy, exceeded = [] }: ChargeVerdict,
  emit: Emit,
): void {
  for (const { policy, reason } of refusedBy == null ? exceeded : [refusedBy]) {
    emit(toDecision(policy, context, 'deny', [reason]));
  }
}

function toDecision(
  policy: Policy,
  { userId, purpose, address, stage }: PolicyContext,
  decision: DecisionEvent['decision'],
  reasons: readonly string[],
): DecisionEvent {
  return {
    type: 'policy-decided',
    userId,
    purpose,
    address,
    stage,
    policy: policy.name,
    mode: policy.mode ?? 'enforce',
    decision,
    reasons,
  };
}

interface Answer {
  readonly refusal: Refusal | null;
  readonly reasons: readonly string[];
}

async function runPolicy(policy: Policy, context: PolicyContext): Promise<Answer> {
  try {
    return readAnswer(await policy.check(context));
  } catch {
    // A rule that cannot be asked has not allowed anything.
    return { refusal: { reason: 'denied' }, reasons: ['it could not be asked'] };
  }
}

/** No refusal for exactly `'allow'`. Policies without types may answer anything: all else denies, if need be without a reason of its own. */
function readAnswer(answer: unknown): Answer {
  if (answer === 'allow') return { refusal: null, reasons: [] };
  const { deny, retryAfterSeconds, reasons } = Object(answer) as Partial<Record<string, unknown>>;
  const words: readonly unknown[] = Array.isArray(reasons) ? reasons : [];
  return {
    refusal: toRefusal(deny, retryAfterSeconds),
    reasons: words.filter((word) => typeof word === 'string'),
  };
}

/** A refusal in a policy's name. */
export function toRefusal(deny: unknown, retryAfterSeconds: unknown): Refusal {
  const reason = REASONS.find((known) => known === deny) ?? 'denied';
  const isWait =
    typeof retryAfterSeconds === 'number' && retryAfterSeconds > 0 && retryAfterSeconds < Infinity;
  return isWait ? { reason, retryAfterSeconds: Math.ceil(retryAfterSeconds) } : { reason };
}

type Asked = Pick<PolicyContext, 'user' | 'userId' | 'purpose' | 'address' | 'mobile'>;

/** A context whose number is read once for all who ask. */
export type SendContext = PolicyContext & { readonly origin: NonNullable<PolicyContext['origin']> };

/** What policies see of a send. The number's keys are made once, for them and for our own counters. */
export async function createPolicyContext(parts: LoginContext, asked: Asked): Promise<SendContext> {
  const { number, prefix } = await parts.numberKeys(asked.mobile);
  const keys = { numberKey: number, prefixKey: prefix, origin: parts.readNumber(asked.mobile) };
  return { stage: 'send', ...asked, ...keys, ...toServices(parts) };
}

/** Asks every policy; a new number of a user's also those of the stage `enroll`, and those first. */
export async function runSendPolicies(parts: LoginContext, context: PolicyContext): Promise<Denial | null> {
  const { policies, emit } = parts;
  if (context.purpose === 'enroll') {
    const denial = await runPolicies(policies, { ...context, stage: 'enroll' }, emit);
    if (denial !== null) return denial;
  }
  return runPolicies(policies, context, emit);
}

/** Tells the policies what became of a send. Nobody waits for what they make of it, and nothing they do changes it. */
export function settlePolicies(
  { policies }: LoginContext,
  context: PolicyContext,
  settlement: SendSettlement,
): void {
  for (const policy of policies) {
    if (policy.stage === 'send') quietly(() => policy.settle?.(context, settlement));
  }
}

/** Tells the policies of a right code. */
export function emitVerified(
  parts: LoginContext,
  challenge: Challenge,
  keys: Awaited<ReturnType<NumberKeys>>,
): void {
  if (!parts.policies.some((policy) => 'verified' in policy)) return;
  const { userId, purpose, mobile, isNewNumber, sentAt, sends } = challenge;
  const context: VerifiedContext = {
    ...{ userId, purpose, mobile, isNewNumber, sentAt, sends },
    ...{ numberKey: keys.number, prefixKey: keys.prefix, origin: parts.readNumber(mobile) },
    ...toServices(parts),
  };
  for (const policy of parts.policies) quietly(() => policy.verified?.(context));
}

function toServices({ gateway, store, now, emit }: LoginContext): PolicyServices {
  return { gateway, counters: store.counters, notes: store.notes, now, emit };
}

function quietly(tell: () => unknown): void {
  try {
    Promise.resolve(tell()).catch(ignore);
  } catch {
    ignore();
  }
}

function ignore(): void {
  // The decision has been made: what a policy fails to remember must not change it.
}
