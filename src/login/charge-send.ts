import { GatewayRejectedError, GatewayUnreachableError } from '../errors';
import { toAddressBlocks } from '../limits/address-block';
import { giveBackOf, OTHER_BROWSERS } from '../limits/failures';
import { type LimitName, lostSendCounter, type SendCounter, sendCounters } from '../limits/limits';
import type { PolicyContext } from '../limits/policy';
import type { Challenge, Charge, Count, Counter } from '../stores/store';
import type { LoginContext, UserPhone } from './context';
import type { Refusal } from './outcome';
import { type PlannedCharge, toRefusal } from './run-policies';

/** What a send is charged for. */
type ChargedSend = Pick<
  PolicyContext,
  'userId' | 'purpose' | 'address' | 'numberKey' | 'prefixKey' | 'provenKeys'
>;

/** Charged, or refused with nothing charged at all: by our own limits, or by a policy's counter. */
export type SendCharge =
  | {
      readonly isCharged: true;
      /** What the send was charged to. A known browser that is full counts as one of the others. */
      readonly bucket: string;
      /** Seconds until another text may be asked for. */
      readonly waitSeconds: number;
      /** Seconds until the gap ends: all that is left to wait for when the send is given back. */
      readonly gapSeconds: number;
      readonly isNewNumber: boolean;
      /**
       * The user's texts of the day, when this was the last one that may be sent; null: there are
       * more.
       */
      readonly usedUp: number | null;
      /** Counters of reporting policies that would have refused. */
      readonly exceeded: readonly PlannedCharge[];
      /** What `giveBackSend` charges. */
      readonly givenBack: () => readonly Counter[];
    }
  | {
      readonly isCharged: false;
      readonly refusal: Refusal;
      /** The policy's counter or the built-in limit that refused: one of them is null. */
      readonly refusedBy: PlannedCharge | null;
      readonly limit: LimitName | null;
      /** Whether the gap after the user's last send is still running, whatever else refuses. */
      readonly isInGap: boolean;
    };

/**
 * A store returns a count for each counter: where this stands in for one, it is for the compiler
 * alone.
 */
const NOTHING: Count = { count: 0, resetSeconds: null, lockedSeconds: 0 };

/**
 * Charges a send to all its counters in one round trip, before anything is sent: our limits, and
 * what the policies have planned. Nothing but a policy's own settlement takes back what that policy
 * has charged.
 */
export async function chargeSend(
  parts: LoginContext,
  send: ChargedSend,
  { bucket, isConfirmed }: { readonly bucket: string } & Pick<UserPhone, 'isConfirmed'>,
  planned: readonly PlannedCharge[],
): Promise<SendCharge> {
  const { limits, resendCooldownSeconds } = parts.settings;
  const keys = {
    user: send.userId,
    bucket,
    hasKnownBrowsers: parts.browsers.isOn,
    purpose: send.purpose,
    number: send.numberKey,
    prefix: send.prefixKey,
    addresses: toAddressBlocks(send.address),
    provenKeys: send.provenKeys,
    isConfirmed,
  };
  const plan = sendCounters(limits, keys, resendCooldownSeconds, parts.random());
  const counters = [...plan.map(({ counter }) => counter), ...planned.map(toCounter)];
  const charge = await parts.store.counters.charge(counters);
  const { refusedBy, counts } = charge;
  const policyCounts = counts.slice(plan.length);
  if (refusedBy === null) {
    const exceeded = planned.filter((entry, index) => wouldRefuse(entry, policyCounts[index]));
    return { isCharged: true, bucket, ...readCharged(plan, charge), exceeded };
  }
  const limit = plan[refusedBy]?.limit;
  if (bucket !== OTHER_BROWSERS && (limit === 'failures' || limit === 'lock')) {
    return chargeSend(parts, send, { bucket: OTHER_BROWSERS, isConfirmed }, planned);
  }
  const isInGap = limit === 'gap';
  const entry = planned[refusedBy - plan.length];
  if (entry === undefined)
    return { isCharged: false, refusedBy: null, ...readRefused(plan, charge, refusedBy), isInGap };
  const refusal = readPolicyRefusal(entry, policyCounts[refusedBy - plan.length] ?? NOTHING);
  return { isCharged: false, refusal, refusedBy: entry, limit: null, isInGap };
}

/**
 * Gives back all that a send was charged but its gap, if the error says that no text message has
 * left. Returns the seconds until another may be asked for. A failure to give back is ignored: the
 * counters are only stricter, and `store-failing` reports it.
 */
export async function giveBackSend(
  parts: LoginContext,
  { givenBack, waitSeconds, gapSeconds }: Extract<SendCharge, { readonly isCharged: true }>,
  error: unknown,
): Promise<number> {
  const isUnsent =
    error instanceof GatewayRejectedError ||
    (error instanceof GatewayUnreachableError && !error.mayHaveArrived);
  return isUnsent && (await giveBack(parts, givenBack())) ? gapSeconds : waitSeconds;
}

/** Gives back the send of a challenge that ended because the gateway's answer was lost. */
export async function giveBackLostSend(
  parts: LoginContext,
  { userId, bucket }: Challenge,
): Promise<void> {
  await giveBack(parts, [lostSendCounter(userId, bucket)]);
}

async function giveBack({ store }: LoginContext, counters: readonly Counter[]): Promise<boolean> {
  try {
    await store.counters.charge(counters);
    return true;
  } catch {
    // The login has failed already; see `giveBackSend`.
    return false;
  }
}

/** A reporting policy counts and refuses nothing. */
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

function readCharged(plan: readonly SendCounter[], { counts }: Charge) {
  let [waitSeconds, gapSeconds] = [0, 0];
  let isNewNumber = false;
  let usedUp: number | null = null;
  for (const [index, entry] of plan.entries()) {
    const { limit, counter, role } = entry;
    // An exempt counter is not touched, so its count is 0.
    const count = counts[index] ?? NOTHING;
    const wait = role === 'numbers' ? 0 : waitOf(entry, count);
    waitSeconds = Math.max(waitSeconds, wait);
    if (limit === 'gap') gapSeconds = wait;
    if (role === 'strangers') isNewNumber = count.count > 0;
    if (role === 'user-day' && count.count === counter.max) usedUp = count.count;
  }
  return {
    waitSeconds,
    gapSeconds,
    isNewNumber,
    usedUp,
    givenBack: () => findGivenBack(plan, counts),
  };
}

/** Returns what gives back all that a send was charged but its gap. */
function findGivenBack(plan: readonly SendCounter[], counts: readonly Count[]): readonly Counter[] {
  return plan
    .filter(
      ({ limit, counter }, index) =>
        limit !== 'gap' && !counter.isOnlyRead && (counts[index] ?? NOTHING).count > 0,
    )
    .map(({ counter }) => giveBackOf(counter));
}

function readRefused(
  plan: readonly SendCounter[],
  { counts }: Charge,
  refusedBy: number,
): { readonly refusal: Refusal; readonly limit: LimitName | null } {
  const count = counts[refusedBy] ?? NOTHING;
  const refusing = plan[refusedBy]?.limit;
  if (refusing === 'failures') return { refusal: { reason: 'disabled' }, limit: refusing };
  if (refusing === 'lock')
    return { refusal: readLockRefusal(count.lockedSeconds), limit: refusing };
  // The limit that is in the way for the longest gives the reason and the time.
  const waits = plan.map((entry, index) => waitOf(entry, counts[index] ?? NOTHING));
  const seconds = Math.max(1, ...waits);
  const limit = plan[waits.indexOf(seconds)]?.limit ?? plan[refusedBy]?.limit ?? null;
  const reason = limit === 'gap' ? 'resend-too-soon' : 'send-limit';
  return { refusal: { reason, retryAfterSeconds: seconds }, limit };
}

/** Seconds until a counter admits another send, unless others are sent meanwhile. */
function waitOf({ counter: { max = Infinity } }: SendCounter, count: Count): number {
  return Math.max(count.lockedSeconds, count.count >= max ? (count.resetSeconds ?? 0) : 0);
}

/** Returns the refusal of a factor that is locked. */
export function readLockRefusal(lockedSeconds: number): Refusal {
  return { reason: 'locked', retryAfterSeconds: Math.max(1, lockedSeconds) };
}
