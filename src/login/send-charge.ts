import { toAddressBlock } from '../policies/address-block';
import { sendCounters, type Limits, type SendCounter } from '../policies/limits';
import type { Charge, Count } from '../stores/store';
import type { LoginParts } from './login-parts';
import type { Refusal } from './outcome';

/** What a send is charged for. */
export interface ChargedSend {
  readonly userId: string;
  readonly mobile: string;
  readonly address: string | undefined;
}

/** Charged, or refused with nothing charged at all. */
export type SendCharge =
  | { readonly isCharged: true; readonly waitSeconds: number; readonly isNewNumber: boolean }
  | { readonly isCharged: false; readonly refusal: Refusal };

const NOTHING: Count = { count: 0, resetSeconds: null, lockedSeconds: 0 };

/** Charges a send to all its counters in one round trip, before anything is sent. Nothing rolls it back. */
export async function chargeSend(
  parts: LoginParts,
  { userId, mobile, address }: ChargedSend,
): Promise<SendCharge> {
  const { limits, resendCooldownSeconds } = parts.settings;
  const keys = { user: userId, address: toAddressBlock(address), ...(await parts.numberKeys(mobile)) };
  const plan = sendCounters(limits, keys, resendCooldownSeconds, parts.random());
  const charge = await parts.store.counters.charge(plan.map(({ counter }) => counter));
  return charge.refusedBy === null
    ? readCharged(plan, charge)
    : { isCharged: false, refusal: readRefused(limits, plan, charge, charge.refusedBy) };
}

function readCharged(plan: readonly SendCounter[], { counts }: Charge): SendCharge {
  const newNumber = plan.findIndex(({ role }) => role === 'new-number');
  // An exempt counter is not touched, so its count is 0.
  const isNewNumber = counts[newNumber]?.count !== 0;
  return { isCharged: true, waitSeconds: readWait(plan, counts), isNewNumber };
}

function readRefused(
  limits: Limits,
  plan: readonly SendCounter[],
  { counts }: Charge,
  refusedBy: number,
): Refusal {
  const role = plan[refusedBy]?.role;
  const count = counts[refusedBy] ?? NOTHING;
  if (role === 'failures') return readFailureRefusal(limits, count);
  const reason = role === 'gap' && count.lockedSeconds > 0 ? 'resend-too-soon' : 'send-limit';
  return { reason, retryAfterSeconds: Math.max(1, readWait(plan, counts)) };
}

/** Seconds until all counters admit another send, unless others are sent meanwhile. */
function readWait(plan: readonly SendCounter[], counts: readonly Count[]): number {
  const waits = plan.map(({ counter: { max = Infinity } }, index) => {
    const { count, resetSeconds, lockedSeconds } = counts[index] ?? NOTHING;
    return Math.max(lockedSeconds, count >= max ? (resetSeconds ?? 0) : 0);
  });
  return Math.max(...waits);
}

/** Why the failure counter refuses: so many failures in a row that the factor is disabled, or a running lock. */
export function readFailureRefusal({ failures }: Limits, { count, lockedSeconds }: Count): Refusal {
  if (count >= failures.disableAfter) return { reason: 'disabled' };
  return { reason: 'locked', retryAfterSeconds: Math.max(1, lockedSeconds) };
}
