import { toAddressBlock } from '../limits/address-block';
import { type SendCounter, sendCounters } from '../limits/limits';
import type { Charge, Count, Counter } from '../stores/store';
import type { LoginContext } from './context';
import type { Refusal } from './outcome';
import { type PlannedCharge, toRefusal } from './run-policies';

/** What a send is charged for. */
export interface ChargedSend {
  readonly userId: string;
  readonly address: string | undefined;
  readonly numberKey: string;
  readonly prefixKey: string;
}

/** Charged, or refused with nothing charged at all: by our own limits, or by a policy's counter. */
export type SendCharge =
  | {
      readonly isCharged: true;
      readonly waitSeconds: number;
      readonly isNewNumber: boolean;
      /** Counters of recording policies that would have refused. */
      readonly exceeded: readonly PlannedCharge[];
    }
  | { readonly isCharged: false; readonly refusal: Refusal; readonly refusedBy: PlannedCharge | null };

/** A store gives a count for each counter: where this stands in for one, it is for the compiler alone. */
const NOTHING: Count = { count: 0, resetSeconds: null, lockedSeconds: 0 };

/**
 * Charges a send to all its counters in one round trip, before anything is sent: our limits, and what the policies have
 * planned. Nothing but a policy's own settlement takes back what that policy has charged.
 */
export async function chargeSend(
  parts: LoginContext,
  { userId, address, numberKey, prefixKey }: ChargedSend,
  planned: readonly PlannedCharge[],
): Promise<SendCharge> {
  const { limits, resendCooldownSeconds } = parts.settings;
  const keys = { user: userId, address: toAddressBlock(address), number: numberKey, prefix: prefixKey };
  const plan = sendCounters(limits, keys, resendCooldownSeconds, parts.random());
  const counters = [...plan.map(({ counter }) => counter), ...planned.map(toCounter)];
  const charge = await parts.store.counters.charge(counters);
  const { refusedBy, counts } = charge;
  const policyCounts = counts.slice(plan.length);
  if (refusedBy === null) {
    const exceeded = planned.filter((entry, index) => wouldRefuse(entry, policyCounts[index]));
    return { isCharged: true, ...readCharged(plan, charge), exceeded };
  }
  const entry = planned[refusedBy - plan.length] ?? null;
  const refusal =
    entry === null
      ? readRefused(plan, charge, refusedBy)
      : readPolicyRefusal(entry, policyCounts[refusedBy - plan.length] ?? NOTHING);
  return { isCharged: false, refusal, refusedBy: entry };
}

/** A recording policy counts and refuses nothing. */
function toCounter({ counter, policy }: PlannedCharge): Counter {
  if (policy.mode !== 'report') return counter;
  const { max: _max, lock: _lock, ...counted } = counter;
  return counted;
}

function wouldRefuse({ counter, policy }: PlannedCharge, count: Count = NOTHING): boolean {
  return policy.mode === 'report' && count.count > (counter.max ?? Infinity);
}

function readPolicyRefusal({ deny = 'send-limit' }: PlannedCharge, count: Count): Refusal {
  return toRefusal(deny, count.lockedSeconds > 0 ? count.lockedSeconds : count.resetSeconds);
}

function readCharged(
  plan: readonly SendCounter[],
  { counts }: Charge,
): { readonly waitSeconds: number; readonly isNewNumber: boolean } {
  const newNumber = plan.findIndex(({ role }) => role === 'new-number');
  // An exempt counter is not touched, so its count is 0.
  const isNewNumber = counts[newNumber]?.count !== 0;
  return { waitSeconds: readWait(plan, counts), isNewNumber };
}

function readRefused(plan: readonly SendCounter[], { counts }: Charge, refusedBy: number): Refusal {
  const role = plan[refusedBy]?.role;
  const count = counts[refusedBy] ?? NOTHING;
  if (role === 'failures') return { reason: 'disabled' };
  if (role === 'lock') return readLockRefusal(count.lockedSeconds);
  const reason = role === 'gap' && count.lockedSeconds > 0 ? 'resend-too-soon' : 'send-limit';
  return { reason, retryAfterSeconds: Math.max(1, readWait(plan, counts)) };
}

/** Seconds until all counters admit another send, unless others are sent meanwhile. */
function readWait(plan: readonly SendCounter[], counts: readonly Count[]): number {
  // Each counter of ours has a max, and a window but for that of the failures, which refuses before: the defaults are for the compiler.
  const waits = plan.map(({ counter: { max = Infinity } }, index) => {
    const { count, resetSeconds, lockedSeconds } = counts[index] ?? NOTHING;
    return Math.max(lockedSeconds, count >= max ? (resetSeconds ?? 0) : 0);
  });
  return Math.max(...waits);
}

/** Returns the refusal of a factor that is locked. */
export function readLockRefusal(lockedSeconds: number): Refusal {
  return { reason: 'locked', retryAfterSeconds: Math.max(1, lockedSeconds) };
}
