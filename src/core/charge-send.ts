import { mayHaveArrived } from '../errors';
import { toAddressBlocks } from '../limits/address-block';
import { chargeBrowser } from '../limits/attempts';
import { pairOf } from '../limits/buckets';
import { chargeRows, type Counted, isFull, longestWait, waitOf } from '../limits/charge';
import { createNearWatch } from '../limits/near-limits';
import { findRefunds, type OutageWatch, refund, SEND_REFUNDS } from '../limits/refunds';
import type { LimitRow } from '../limits/rows';
import type { About, LimitName } from '../limits/table';
import type { Counter, CounterStore, PendingLogin } from '../stores/store';
import type { Core } from './context';
import type { FeatureRow, MessageFacts, UserAddress } from './feature';
import type { Refusal } from './outcome';

/**
 * The outcome of counting a send. Refused, with nothing counted: by our limits, or by a feature's
 * counter.
 */
export type SendCharge =
  | {
      readonly isCharged: true;
      /**
       * The browser for which it was counted. A known browser whose limit is used up counts as one
       * of the others.
       */
      readonly bucket: string;
      /** Seconds until the next message may be requested. */
      readonly waitSeconds: number;
      readonly isNewNumber: boolean;
      /** How many messages the user had today, if this was the last one; null: more are left. */
      readonly usedUp: number | null;
      /** Our own counters with their counts. */
      readonly rows: readonly Counted<LimitRow>[];
      /** Refunds what the outcome allows, and returns the seconds until the next message. */
      readonly refund: (outcome: 'not-sent' | 'may-be-sent') => Promise<number>;
    }
  | RefusedCharge;

/** A send that was refused, with nothing counted. */
export interface RefusedCharge {
  readonly isCharged: false;
  readonly refusal: Refusal;
  /** The feature's rule, or null if a built-in limit refused. */
  readonly by: string | null;
  readonly limit: LimitName | null;
  /**
   * Whether the gap after the user's last message is still running, even if something else refuses.
   */
  readonly isInGap: boolean;
}

type Row = LimitRow | FeatureRow;

/** The user's browser, and whether the app confirms that the address is the user's. */
type ChargedFor = { readonly bucket: string } & Pick<UserAddress, 'isConfirmed'>;

/**
 * Counts a send in all its counters in one round trip, before anything is sent: our limits, and
 * those of features. A feature alone refunds what was counted in its own counters.
 */
export async function chargeSend(
  core: Core,
  send: MessageFacts,
  { bucket, isConfirmed }: ChargedFor,
  more: readonly FeatureRow[],
  outages: OutageWatch,
): Promise<SendCharge> {
  const { counters } = core.store;
  const rowsOf = prepareRows(core, send, isConfirmed, more);
  const charged = await chargeIn(counters, bucket, rowsOf);
  if ('refusal' in charged) return charged;

  for (const { row, count } of charged.rows) if (row.limit === null) row.counted?.(count.count);
  return toCharged(counters, charged, outages);
}

/**
 * Returns why a send would be refused now, or null. Counts nothing. Called before a lookup is paid
 * for.
 */
export async function findSendRefusal(
  core: Core,
  send: MessageFacts,
  { bucket, isConfirmed }: ChargedFor,
  more: readonly FeatureRow[],
): Promise<RefusedCharge | null> {
  const rowsOf = prepareRows(core, send, isConfirmed, more);
  const asked = await chargeIn(core.store.counters, bucket, (one) => rowsOf(one).map(toAsked));
  return 'refusal' in asked ? asked : null;
}

/** Returns why the factor is locked or disabled in this browser now, or null. Counts nothing. */
export async function findLock(
  { store, limits }: Pick<Core, 'store' | 'limits'>,
  about: { readonly user: string; readonly method: string },
  bucket: string,
): Promise<RefusedCharge | null> {
  const asked = await chargeIn(store.counters, bucket, (one) =>
    limits.guardsOf({ ...about, bucket: one }),
  );
  return 'refusal' in asked ? asked : null;
}

/** The counts of a send, and the browser for which it was counted. */
interface CountedIn {
  readonly bucket: string;
  readonly rows: readonly Counted<Row>[];
}

/** Charges the rows of a browser: all of them, or none and says why. */
async function chargeIn(
  counters: CounterStore,
  bucket: string,
  rowsOf: (bucket: string) => readonly Row[],
): Promise<CountedIn | RefusedCharge> {
  const charged = await chargeBrowser(bucket, (one) => chargeRows(counters, rowsOf(one)));
  const { refusedBy, rows } = charged;
  return refusedBy === null ? charged : { isCharged: false, ...explainRefusal(refusedBy, rows) };
}

function toAsked(row: Row): Row {
  return { ...row, counter: { ...row.counter, isOnlyRead: true } };
}

/** Prepares all counters of a send, for any of the user's browsers. */
function prepareRows(
  { limits, random }: Core,
  send: MessageFacts,
  isConfirmed: boolean,
  more: readonly FeatureRow[],
): (bucket: string) => readonly Row[] {
  return (bucket) => {
    const about = toAbout(send, bucket, isConfirmed, random());
    return [...limits.guardsOf(about), ...limits.rowsOf('send', about), ...more];
  };
}

function toAbout(
  send: MessageFacts,
  bucket: string,
  isConfirmed: boolean,
  random: number,
): About & { readonly method: string } {
  return {
    user: send.userId,
    bucket,
    method: send.factor,
    purpose: send.purpose,
    number: send.numberKey,
    prefix: send.number?.prefixKey,
    pair: pairOf(send.userId, send.numberKey),
    addresses: toAddressBlocks(send.address),
    provenKeys: send.provenKeys,
    isConfirmed,
    random,
  };
}

function toCharged(
  counters: CounterStore,
  { bucket, rows }: CountedIn,
  outages: OutageWatch,
): Extract<SendCharge, { readonly isCharged: true }> {
  const own = rows.filter(isOwn);
  const find = (name: string) => own.find(({ row }) => row.name === name);
  const [gap, day, strangers] = ['gap', 'user-day', 'strangers'].map(find);
  const waitSeconds = longestWait(own);
  const gapSeconds = gap === undefined ? 0 : waitOf(gap);

  return {
    isCharged: true,
    bucket,
    waitSeconds,
    // A counter that does not apply is not counted, so its count is 0.
    isNewNumber: strangers !== undefined && strangers.count.count > 0,
    usedUp: day !== undefined && isFull(day) ? day.count.count : null,
    rows: own,
    async refund(outcome) {
      const isLost = outcome === 'may-be-sent';
      const budgets = [...SEND_REFUNDS[outcome]];
      if (isLost && outages.isOutage()) budgets.push('in-all');
      const refunds = findRefunds(own, budgets);
      const isRefunded = await refund(counters, refunds);
      return isRefunded && !isLost ? gapSeconds : waitSeconds;
    },
  };
}

function isOwn(counted: Counted<Row>): counted is Counted<LimitRow> {
  return counted.row.limit !== null;
}

/** Reports the limits shared by all users that a message has used up by half. */
export type ReportNear = (sent: MessageFacts, rows: readonly Counted<LimitRow>[]) => void;

/**
 * Creates the function that warns the operator while messages are still sent: once the limit is
 * used up, every message is refused.
 */
export function createNearReport({ emit, warn }: Pick<Core, 'emit' | 'warn'>): ReportNear {
  const findNear = createNearWatch();

  return function reportNear({ userId, purpose, address }, rows) {
    for (const { near, option } of findNear(rows)) {
      emit({ type: 'limit-near', userId, purpose, address, ...near });
      warn(
        'SMS_OTP_LIMIT_NEAR',
        `${option} is half used up: ${near.sends} of ${near.max} messages. When it is used up, ` +
          'messages are refused until its window ends. Look for an attack, or raise the limit',
        option,
      );
    }
  };
}

/** Returns whether the message may have been sent although the generate call threw. */
export function toSendOutcome(error: unknown): 'not-sent' | 'may-be-sent' {
  return mayHaveArrived(error) ? 'may-be-sent' : 'not-sent';
}

/**
 * Returns the counters to refund for a message whose code no one can use any more. The totals are
 * not refunded.
 */
export function findUnusableRefunds(
  { limits }: Pick<Core, 'limits'>,
  { userId, bucket }: Pick<PendingLogin, 'userId' | 'bucket'>,
): readonly Counter[] {
  const about = { user: userId, bucket };
  return limits.refundsOf('send', SEND_REFUNDS['not-checked'], about);
}

/** Refunds a message that was sent but whose code no user can enter. */
export async function refundUnusable(
  core: Pick<Core, 'limits' | 'store'>,
  sent: Pick<PendingLogin, 'userId' | 'bucket'>,
): Promise<void> {
  await refund(core.store.counters, findUnusableRefunds(core, sent));
}

function explainRefusal(
  refusing: Counted<Row>,
  rows: readonly Counted<Row>[],
): Omit<RefusedCharge, 'isCharged'> {
  const { row } = refusing;
  if (row.limit === null) return { ...row.refuse(waitOf(refusing)), limit: null, isInGap: false };

  const isInGap = row.limit === 'gap';
  return { ...explainLimit(row.limit, refusing, rows), by: null, isInGap };
}

function explainLimit(
  limit: LimitName,
  refusing: Counted<Row>,
  rows: readonly Counted<Row>[],
): { readonly refusal: Refusal; readonly limit: LimitName } {
  if (limit === 'failures') return { refusal: { reason: 'disabled' }, limit };
  if (limit === 'lock')
    return {
      refusal: { reason: 'locked', retryAfterSeconds: Math.max(1, waitOf(refusing)) },
      limit,
    };

  // Report the limit with the longest wait.
  let [longest, seconds]: [LimitName, number] = [limit, 0];
  for (const counted of rows.filter(isOwn)) {
    const wait = waitOf(counted);
    if (wait > seconds) [longest, seconds] = [counted.row.limit, wait];
  }
  const reason = longest === 'gap' ? 'resend-too-soon' : 'send-limit';
  return { refusal: { reason, retryAfterSeconds: Math.max(1, seconds) }, limit: longest };
}
