import { mayHaveArrived } from '../errors';
import { toAddressBlocks } from '../limits/address-block';
import { chargeBrowser } from '../limits/attempts';
import { type Counted, chargeRows } from '../limits/charge';
import {
  findGivenBack,
  giveBack,
  type OutageWatch,
  type SendOutcome,
  SENDS_GIVEN_BACK,
} from '../limits/give-back';
import { type NearLimit, nearOption } from '../limits/near-limits';
import { type LimitName, type SendRow, sendRows, userGiveBack } from '../limits/sends';
import type { PolicyContext } from '../limits/policy';
import type { Count, Counter, PendingLogin } from '../stores/store';
import type { LoginContext, UserPhone } from './context';
import type { Refusal } from './outcome';
import { type PlannedCharge, toRefusal } from './run-policies';

/** A send that is charged. */
type ChargedSend = Pick<
  PolicyContext,
  'userId' | 'purpose' | 'address' | 'numberKey' | 'prefixKey' | 'provenKeys'
>;

/** Charged, or refused with nothing charged at all: by our own limits, or by a policy's counter. */
export type SendCharge =
  | {
      readonly isCharged: true;
      /** The bucket that was charged. A known browser that is full counts as one of the others. */
      readonly bucket: string;
      /** Seconds until another text may be asked for. */
      readonly waitSeconds: number;
      readonly isNewNumber: boolean;
      /** The user's texts of the day, when this was the last one; null: there are more. */
      readonly usedUp: number | null;
      /** Counters of reporting policies that would have refused. */
      readonly exceeded: readonly PlannedCharge[];
      /** Our own counters with their counts. */
      readonly rows: readonly Counted<SendRow>[];
      /** Takes the send out of what an outcome leaves; returns the seconds until another text. */
      readonly giveBack: (outcome: 'not-sent' | 'may-be-sent') => Promise<number>;
    }
  | RefusedCharge;

/** A refused send: nothing was charged. */
interface RefusedCharge {
  readonly isCharged: false;
  readonly refusal: Refusal;
  /** The policy's counter or the built-in limit that refused: one of them is null. */
  readonly refusedBy: PlannedCharge | null;
  readonly limit: LimitName | null;
  /** Whether the gap after the user's last send is still running, whatever else refuses. */
  readonly isInGap: boolean;
}

/** A counter of a policy that is charged with the send. */
interface PolicyRow {
  readonly limit: null;
  readonly counter: Counter;
  readonly planned: PlannedCharge;
}

type Row = SendRow | PolicyRow;

/** The user's browser, and whether the app says that the number is the user's. */
type ChargedFor = { readonly bucket: string } & Pick<UserPhone, 'isConfirmed'>;

/**
 * Charges a send to all its counters in one round trip, before anything is sent: our limits, and
 * what the policies have planned. Only a policy's own settlement takes back what it has charged.
 */
export async function chargeSend(
  parts: LoginContext,
  send: ChargedSend,
  { bucket, isConfirmed }: ChargedFor,
  planned: readonly PlannedCharge[],
  outages: OutageWatch,
): Promise<SendCharge> {
  const rowsOf = prepareRows(parts, send, isConfirmed, planned);
  const charged = await chargeBrowser(bucket, (one) =>
    chargeRows(parts.store.counters, rowsOf(one)),
  );
  const { refusedBy, rows } = charged;
  if (refusedBy !== null) return { isCharged: false, ...explainRefusal(refusedBy, rows) };
  return toCharged(parts, charged, outages);
}

/**
 * Returns why a send would be refused now, and charges nothing. Null: it would be charged. Asked
 * before a lookup is paid for.
 */
export async function findSendRefusal(
  parts: LoginContext,
  send: ChargedSend,
  { bucket, isConfirmed }: ChargedFor,
  planned: readonly PlannedCharge[],
): Promise<RefusedCharge | null> {
  const rowsOf = prepareRows(parts, send, isConfirmed, planned);
  const { refusedBy, rows } = await chargeBrowser(bucket, (one) =>
    chargeRows(parts.store.counters, rowsOf(one).map(toAsked)),
  );
  return refusedBy === null ? null : { isCharged: false, ...explainRefusal(refusedBy, rows) };
}

function toAsked(row: Row): Row {
  return { ...row, counter: { ...row.counter, isOnlyRead: true } };
}

/** Prepares everything that a send is counted in, for any of the user's browsers. */
function prepareRows(
  parts: LoginContext,
  send: ChargedSend,
  isConfirmed: boolean,
  planned: readonly PlannedCharge[],
): (bucket: string) => readonly Row[] {
  const { settings, random } = parts;
  const policyRows = planned.map(toPolicyRow);
  return (bucket) => [
    ...sendRows(
      settings.limits,
      toKeys(parts, send, bucket, isConfirmed),
      settings.resendCooldownSeconds,
      random(),
    ),
    ...policyRows,
  ];
}

function toKeys(
  { browsers }: LoginContext,
  send: ChargedSend,
  bucket: string,
  isConfirmed: boolean,
) {
  return {
    user: send.userId,
    bucket,
    hasKnownBrowsers: browsers.isOn,
    purpose: send.purpose,
    number: send.numberKey,
    prefix: send.prefixKey,
    addresses: toAddressBlocks(send.address),
    provenKeys: send.provenKeys,
    isConfirmed,
  };
}

/** A reporting policy counts and refuses nothing. */
function toPolicyRow(planned: PlannedCharge): PolicyRow {
  const { counter, policy } = planned;
  if (policy.mode !== 'report') return { limit: null, counter, planned };
  const { max: _max, lock: _lock, ...counted } = counter;
  return { limit: null, counter: counted, planned };
}

function toCharged(
  { store }: LoginContext,
  { bucket, rows }: { readonly bucket: string; readonly rows: readonly Counted<Row>[] },
  outages: OutageWatch,
): Extract<SendCharge, { readonly isCharged: true }> {
  const own: Counted<SendRow>[] = [];
  const exceeded: PlannedCharge[] = [];
  let [waitSeconds, gapSeconds] = [0, 0];
  let isNewNumber = false;
  let usedUp: number | null = null;
  for (const { row, count } of rows) {
    if (row.limit === null) {
      if (wouldRefuse(row, count)) exceeded.push(row.planned);
      continue;
    }
    own.push({ row, count });
    const wait = row.role === 'numbers' ? 0 : waitOf(row, count);
    waitSeconds = Math.max(waitSeconds, wait);
    if (row.limit === 'gap') gapSeconds = wait;
    // An exempt counter is not charged, so its count is 0.
    if (row.role === 'strangers') isNewNumber = count.count > 0;
    if (row.role === 'user-day' && count.count === row.counter.max) usedUp = count.count;
  }
  return {
    isCharged: true,
    ...{ bucket, waitSeconds, isNewNumber, usedUp, exceeded, rows: own },
    async giveBack(outcome) {
      const given = SENDS_GIVEN_BACK[outcome];
      const isLost = outcome === 'may-be-sent';
      const budgets = isLost && outages.isOutage() ? [...given, 'in-all' as const] : given;
      const isGiven = await giveBack(store.counters, findGivenBack(own, budgets));
      return isGiven && !isLost ? gapSeconds : waitSeconds;
    },
  };
}

/** Tells the operator while messages still go out: a full limit refuses them for everyone. */
export function reportNearLimits(
  { emit, warn }: Pick<LoginContext, 'emit' | 'warn'>,
  { userId, purpose, address }: ChargedSend,
  near: readonly NearLimit[],
): void {
  for (const found of near) {
    emit({ type: 'limit-near', userId, purpose, address, ...found });
    const option = nearOption(found);
    warn(
      'SMS_OTP_LIMIT_NEAR',
      `${option} is half used up: ${found.sends} of ${found.max} messages. When it is full, ` +
        'messages are refused until its window ends. Look for an attack, or raise the limit',
      option,
    );
  }
}

/** Returns what came of a send whose generate call has thrown. */
export function toSendOutcome(error: unknown): 'not-sent' | 'may-be-sent' {
  return mayHaveArrived(error) ? 'may-be-sent' : 'not-sent';
}

/**
 * Returns what takes a text out of its user's budgets, once the request that sent it has ended. The
 * totals stay.
 */
export function findTextGivenBack(
  { settings }: Pick<LoginContext, 'settings'>,
  { userId, bucket }: Pick<PendingLogin, 'userId' | 'bucket'>,
  outcome: Exclude<SendOutcome, 'not-sent' | 'may-be-sent'>,
): readonly Counter[] {
  const isGiven = SENDS_GIVEN_BACK[outcome].includes('user');
  return isGiven ? userGiveBack(settings.limits, userId, bucket) : [];
}

/** Gives a text that is out, and that nobody can use, back to its user. */
export async function giveBackUnusable(
  login: Pick<LoginContext, 'settings' | 'store'>,
  sent: Pick<PendingLogin, 'userId' | 'bucket'>,
): Promise<void> {
  await giveBack(login.store.counters, findTextGivenBack(login, sent, 'unusable'));
}

function wouldRefuse({ planned: { counter, policy } }: PolicyRow, { count }: Count): boolean {
  return policy.mode === 'report' && count > (counter.max ?? Infinity);
}

function explainRefusal({ row, count }: Counted<Row>, rows: readonly Counted<Row>[]) {
  if (row.limit === null) {
    const { deny = 'send-limit' } = row.planned;
    const wait = count.lockedSeconds > 0 ? count.lockedSeconds : count.resetSeconds;
    return {
      refusal: toRefusal(deny, wait),
      ...{ refusedBy: row.planned, limit: null, isInGap: false },
    };
  }
  const isInGap = row.limit === 'gap';
  return { ...explainLimit(row, count, rows), refusedBy: null, isInGap };
}

function explainLimit(
  { limit }: SendRow,
  { lockedSeconds }: Count,
  rows: readonly Counted<Row>[],
): { readonly refusal: Refusal; readonly limit: LimitName } {
  if (limit === 'failures') return { refusal: { reason: 'disabled' }, limit };
  if (limit === 'lock')
    return {
      refusal: { reason: 'locked', retryAfterSeconds: Math.max(1, lockedSeconds) },
      limit,
    };
  // Report the limit with the longest wait.
  let [longest, seconds]: [LimitName, number] = [limit, 0];
  for (const { row, count } of rows) {
    if (row.limit === null || waitOf(row, count) <= seconds) continue;
    [longest, seconds] = [row.limit, waitOf(row, count)];
  }
  const reason = longest === 'gap' ? 'resend-too-soon' : 'send-limit';
  return { refusal: { reason, retryAfterSeconds: Math.max(1, seconds) }, limit: longest };
}

/** Seconds until a counter admits another send, unless others are sent meanwhile. */
function waitOf({ counter: { max = Infinity } }: Row, count: Count): number {
  return Math.max(count.lockedSeconds, count.count >= max ? (count.resetSeconds ?? 0) : 0);
}
