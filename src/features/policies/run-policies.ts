import { readFields, StoreError } from '../../errors';
import { toAddressBlocks } from '../../limits/address-block';
import { sideOf } from '../../limits/buckets';
import { type About, provenCounter } from '../../limits/table';
import type {
  Policy,
  PolicyCharge,
  PolicyContext,
  PolicyServices,
  PolicyStage,
  SendSettlement,
  VerifiedContext,
} from '../../limits/policy';
import type { Counter, PendingLogin, SentOtp } from '../../stores/store';
import type { Core, UserPhone } from '../../core/context';
import type { DecisionEvent } from '../../core/events';
import { REASONS, type Refusal } from '../../core/outcome';

type Asked = Pick<PolicyContext, 'user' | 'userId' | 'purpose' | 'address' | 'mobile'> &
  Pick<PendingLogin, 'bucket'> &
  Pick<UserPhone, 'isConfirmed'>;

/** A context whose number is read once for all policies. */
export type SendContext = PolicyContext & { readonly origin: NonNullable<PolicyContext['origin']> };

/**
 * Makes the context of a send. The number's keys are made once, for the policies and for our own
 * counters.
 */
export async function createPolicyContext(
  core: Core,
  { user, userId, purpose, address, mobile, bucket, isConfirmed }: Asked,
): Promise<SendContext> {
  const origin = core.readNumber(mobile);
  const {
    number: numberKey,
    prefix: prefixKey,
    allNumbers,
  } = await core.numberKeys(mobile, origin);
  const provenKeys = allNumbers.map((key) => provenCounter(userId, key).key);
  const { gateway, counters, notes, now, emit } = toServices(core);
  // One literal: an object that is put together from others costs ten times as much, and this one
  // is made for every send.
  const context: SendContext = {
    stage: 'send',
    user,
    userId,
    purpose,
    address,
    mobile,
    numberKey,
    prefixKey,
    provenKeys,
    isConfirmed,
    origin,
    side: sideOf(bucket),
    lookupCounters: () => {
      const addresses = toAddressBlocks(address);
      const about = { user: userId, bucket, purpose, prefix: prefixKey, addresses };
      return toLookupCounters(core, { ...about, provenKeys, isConfirmed });
    },
    reportCost: (cost) => reportCost(core.policies, context, cost),
    gateway,
    counters,
    notes,
    now,
    emit,
  };
  return context;
}

/** Tells all policies of a lookup that one of them has paid for. */
async function reportCost(
  policies: readonly Policy[],
  context: PolicyContext | VerifiedContext,
  cost: string | null,
): Promise<void> {
  await Promise.all(policies.map((policy) => callQuietly(() => policy.spent?.(context, cost))));
}

/** The denial of one policy. */
export interface PolicyDenial {
  readonly policy: string;
  readonly refusal: Refusal;
}

/** The policies that cost nothing come first, so that a send that they refuse costs no lookup. */
type PolicyRound = 'free' | 'lookups';

/**
 * Checks every policy of the round for a send, in the order of the list. For a number that is new
 * to the user, those of the stage `enroll` come before those of the stage `send`.
 */
export async function runSendPolicies(
  core: Core,
  context: PolicyContext,
  round: PolicyRound,
): Promise<PolicyDenial | null> {
  for (const stage of stagesOf(context)) {
    // Policies know a send by its context: the one of the stage `send` stays the same object.
    const staged = stage === context.stage ? context : { ...context, stage };
    const denial = await runStage(core, staged, round);
    if (denial !== null) return denial;
  }
  return null;
}

/** Returns whether a policy that needs a lookup is to be checked for a send. */
export function needsLookup(policies: readonly Policy[], context: PolicyContext): boolean {
  const stages = stagesOf(context);
  return policies.some((policy) => policy.needsLookup === true && stages.includes(policy.stage));
}

function stagesOf({ purpose }: PolicyContext): readonly PolicyStage[] {
  return purpose === 'enroll' ? ['enroll', 'send'] : ['send'];
}

/**
 * Checks the policies of one stage and round in their order, emits each decision, and stops at the
 * first enforced denial.
 */
async function runStage(
  { policies, emit }: Core,
  context: PolicyContext,
  round: PolicyRound,
): Promise<PolicyDenial | null> {
  for (const policy of policies) {
    const isOfRound = (policy.needsLookup === true) === (round === 'lookups');
    if (policy.stage !== context.stage || !isOfRound) continue;
    const { refusal, reasons } = await runPolicy(policy, context);
    emit(toDecision(policy, context, refusal === null ? 'allow' : 'deny', reasons));
    if (refusal !== null && policy.mode !== 'report') return { policy: policy.name, refusal };
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
    // A policy that could not be asked has not allowed anything.
    return { refusal: { reason: 'denied' }, reasons: ['it could not be asked'] };
  }
}

/** That the store fails is not a decision about the user. A policy that only reports has no say. */
function rethrowOutage({ mode }: Policy, error: unknown): void {
  if (error instanceof StoreError && mode !== 'report') throw error;
}

/**
 * Only `'allow'` allows. Untyped policies may return anything: everything else denies, without a
 * valid reason as `denied`.
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

/** Returns the refusal of a policy or its counter. */
export function toRefusal(deny: unknown, retryAfterSeconds: unknown): Refusal {
  const reason = REASONS.find((known) => known === deny) ?? 'denied';
  const isWait =
    typeof retryAfterSeconds === 'number' && retryAfterSeconds > 0 && retryAfterSeconds < Infinity;
  return isWait ? { reason, retryAfterSeconds: Math.ceil(retryAfterSeconds) } : { reason };
}

/** A counter that a policy charges with the send. */
export interface PlannedCharge extends PolicyCharge {
  readonly policy: Policy;
}

/**
 * Returns the counters that the policies charge with the send; a denial when one of them cannot
 * say.
 */
export async function planCharges(
  policies: readonly Policy[],
  context: PolicyContext,
): Promise<readonly PlannedCharge[] | PolicyDenial> {
  const planned: PlannedCharge[] = [];
  for (const policy of policies) {
    if (policy.stage !== 'send' || policy.charges === undefined) continue;
    try {
      for (const charge of await policy.charges(context)) planned.push({ ...charge, policy });
    } catch (error) {
      rethrowOutage(policy, error);
      // A policy that could not be asked has not allowed anything; one that only reports has no
      // say.
      if (policy.mode !== 'report') return { policy: policy.name, refusal: { reason: 'denied' } };
    }
  }
  return planned;
}

export function isDenial(
  planned: readonly PlannedCharge[] | PolicyDenial,
): planned is PolicyDenial {
  return 'refusal' in planned;
}

/** The result of charging the counters of the policies. */
export interface ChargeVerdict {
  readonly refusedBy?: PlannedCharge | null;
  /** Counters of reporting policies that would have refused. */
  readonly exceeded?: readonly PlannedCharge[];
}

/**
 * Emits the denials of the policies' counters. That a policy allows was emitted with the result of
 * `check`.
 */
export function emitChargeDenials(
  context: PolicyContext,
  { refusedBy, exceeded = [] }: ChargeVerdict,
  emit: (event: DecisionEvent) => void,
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
  const { name, mode = 'enforce' } = policy;
  return {
    type: 'policy-decided',
    userId,
    purpose,
    address,
    stage,
    policy: name,
    mode,
    decision,
    reasons,
  };
}

/** Calls `settle` of the policies with the outcome of a send, without waiting for them. */
export function settlePolicies(
  { policies }: Core,
  context: PolicyContext,
  settlement: SendSettlement,
): void {
  for (const policy of policies) {
    if (policy.stage === 'send') void callQuietly(() => policy.settle?.(context, settlement));
  }
}

/** Calls `verified` of the policies after a right code, without waiting for them. */
export function emitVerified(core: Core, verified: VerifiedOtp): void {
  if (core.policies.some((policy) => 'verified' in policy))
    void callQuietly(() => callVerified(core, verified));
}

/** An OTP whose code was right. */
interface VerifiedOtp {
  readonly pending: PendingLogin;
  readonly otp: SentOtp;
  readonly sends: number;
}

async function callVerified(core: Core, { pending, otp, sends }: VerifiedOtp): Promise<void> {
  const { userId, purpose, bucket } = pending;
  const { mobile, numberKey, isNewNumber, sentAt } = otp;
  const origin = core.readNumber(mobile);
  const { prefix: prefixKey } = await core.numberKeys(mobile, origin);
  const context: VerifiedContext = {
    ...{ userId, purpose, mobile, isNewNumber, sentAt, sends, numberKey, prefixKey, origin },
    side: sideOf(bucket),
    // The number is proven, and no address asks for the lookup.
    lookupCounters: () =>
      toLookupCounters(core, {
        user: userId,
        bucket,
        purpose,
        prefix: prefixKey,
        isConfirmed: true,
      }),
    reportCost: (cost) => reportCost(core.policies, context, cost),
    ...toServices(core),
  };
  for (const policy of core.policies) void callQuietly(() => policy.verified?.(context));
}

/** Returns the counters of one paid lookup about a number. */
function toLookupCounters({ limits }: Core, about: About): readonly Counter[] {
  return limits.rowsOf('lookup', about).map(({ counter }) => counter);
}

function toServices({ policyGateway, store, now, emit }: Core): PolicyServices {
  return { gateway: policyGateway, counters: store.counters, notes: store.notes, now, emit };
}

async function callQuietly(notify: () => unknown): Promise<void> {
  try {
    await notify();
  } catch {
    // The decision has been made: what a policy fails to remember must not change it.
  }
}
