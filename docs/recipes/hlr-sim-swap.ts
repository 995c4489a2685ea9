import { createHmac } from 'node:crypto';
import type {
  Counter,
  CounterStore,
  PolicyContext,
  SmsOtpStore,
  VerifiedContext,
} from 'passport-sms-otp';
import type { Lookup } from 'passport-sms-otp/client';
import {
  type NumberFinding,
  type NumberLookups,
  numberLookups,
  type NumberLookupsOptions,
  policyNotes,
  type SimSwapCheck,
  type SimSwapProvider,
  type SimSwapQuestion,
} from 'passport-sms-otp/policies';
import { z } from 'zod';

export interface HlrSimSwapOptions {
  /**
   * A secret of at least 32 bytes. Identities are kept as keyed digests only. With another key all
   * numbers start again.
   */
  readonly key: string | Buffer;
  /**
   * How to treat a number that moved to another operator when no identity can be compared. The
   * move is a weak sign, because numbers are ported. `report`: an event. `deny`: a SIM swap.
   * `ignore`: nothing, and no lookup is paid for it. Default: `report`.
   */
  readonly onNetworkChange?: 'ignore' | 'report' | 'deny';
  /** Options of its lookups. Default: those of `numberLookups`. */
  readonly lookups?: Omit<NumberLookupsOptions, 'toIdentity'>;
}

/** A provider for `simSwap` that compares lookups. */
export interface HlrSimSwap extends SimSwapProvider {
  /** Its lookups, for other policies to share: `numberCheck({ lookups: sims.lookups })`. */
  readonly lookups: NumberLookups;
  /**
   * Forgets what is kept about a number: for a deleted account, or for a user who proved in another
   * way that a change was their own. The next right code starts again.
   * @param store The one that was passed to `createSmsOtp`.
   * @param mobile E.164 with plus.
   */
  forget(store: SmsOtpStore, mobile: string): Promise<void>;
}

/**
 * Reports when the subscriber identity that the gateway returns for a number differs from the one
 * seen when the number was last verified. Many networks hide this value; absence of a report is not
 * evidence that no SIM swap happened. It does not know when a swap happened: a change counts from
 * when it was first seen.
 *
 * It looks a number up before a message if there is something to compare with, and after a right
 * code at most every 12 h, until three equal identities over 24 h make the number comparable. It
 * keeps, for 400 days, a keyed digest, the network and times.
 * @throws {TypeError} that names the option.
 */
export function hlrSimSwap(options: HlrSimSwapOptions): HlrSimSwap {
  const { key, onNetworkChange = 'report' } = options;
  if (!isSecret(key)) throw new TypeError('hlrSimSwap: key must be a secret of 32 bytes or more');
  if (!['ignore', 'report', 'deny'].includes(onNetworkChange))
    throw new TypeError("hlrSimSwap: onNetworkChange must be 'ignore', 'report' or 'deny'");
  const { toNoteKey, toIdentity } = createSimKeys(key);
  const lookups = numberLookups({ ...options.lookups, toIdentity });

  async function readNote({ notes, mobile }: NumberContext): Promise<SimNote | null> {
    return parseNote(await notes.read(toNoteKey(mobile)));
  }

  async function writeNote({ notes, mobile }: NumberContext, note: SimNote): Promise<void> {
    await notes.write(toNoteKey(mobile), JSON.stringify(note), NOTE_SECONDS);
  }

  /**
   * Observes a number after a right code, which alone shows that it is the user's. Nothing is
   * observed while a change counts, because the code may have reached someone else. An enrolled
   * number starts again: its user has proved more than a code.
   */
  async function observe(
    context: VerifiedContext,
    { maxAgeHours }: SimSwapQuestion,
  ): Promise<void> {
    const previous = context.purpose === 'enroll' ? null : await readNote(context);
    if (previous !== null && !isDue(previous, context.now(), maxAgeHours)) return;
    const finding = await lookups.find(context);
    if (finding.verdict !== 'valid') return;
    const { counters } = context;
    if (previous?.change !== null || previous.state === 'hidden') {
      const isWithoutImsi = await isNetworkWithoutImsi(counters, describeNetwork(finding).network);
      return writeNote(context, beginSimNote(finding, isWithoutImsi));
    }
    const note = continueSimNote(previous, finding);
    // The end of learning shows whether the network has lasting identities. The number itself is
    // not counted.
    if (previous.state === 'learning' && note.state !== 'learning' && previous.network !== null) {
      await counters.charge([toCounter(previous.network, note.state === 'comparable')]);
    }
    await writeNote(context, note);
  }

  /** Compares before a message. Looks a number up only if there is something to compare with. */
  async function check(
    context: PolicyContext<unknown>,
    { maxAgeHours }: SimSwapQuestion,
  ): Promise<SimSwapCheck> {
    const note = await readNote(context);
    if (note === null) return UNKNOWN;
    const isComparable = note.state === 'comparable';
    if (!isComparable && (onNetworkChange === 'ignore' || note.network === null)) return UNKNOWN;
    const comparison = await compare(context, note, await lookups.find(context));
    if (comparison === 'same') {
      if (note.change !== null) await writeNote(context, { ...note, change: null });
      // An equal network alone says nothing about the SIM.
      return isComparable ? { swapped: false } : UNKNOWN;
    }
    // An earlier change keeps counting when a lookup reveals nothing.
    const current = comparison === 'unknown' ? note : await noteChange(context, note, comparison);
    if (!isChangeRecent(current, context.now(), maxAgeHours)) return UNKNOWN;
    const isIdentity = current.change?.what === 'identity';
    const what = isIdentity ? 'subscriber identity' : 'network';
    const date = new Date(current.lastAt).toISOString().slice(0, 10);
    const hint = `${what} differs from the one last seen on ${date}`;
    return { swapped: isIdentity || onNetworkChange === 'deny' ? true : null, hint };
  }

  /** Returns what differs from the state after the last right code. */
  async function compare({ counters }: NumberContext, note: SimNote, finding: NumberFinding) {
    if (finding.verdict !== 'valid') return 'unknown';
    const isComparable = note.state === 'comparable';
    if (isComparable && finding.identity === note.identity) return 'same';
    if (isComparable && finding.identity !== null) {
      const networks = [note.network, describeNetwork(finding).network];
      const areWithoutImsi = networks.map((network) => isNetworkWithoutImsi(counters, network));
      if (!(await Promise.all(areWithoutImsi)).includes(true)) return 'identity';
    }
    if (onNetworkChange === 'ignore' || finding.network === undefined) return 'unknown';
    if (isNetworkChanged(note, finding)) return 'network';
    return isComparable ? 'unknown' : 'same';
  }

  /**
   * Stores a change with the time when it was first seen. A changed identity replaces a changed
   * network.
   */
  async function noteChange(
    context: NumberContext,
    note: SimNote,
    what: 'identity' | 'network',
  ): Promise<SimNote> {
    if (note.change !== null && (note.change.what === 'identity' || what === 'network'))
      return note;
    const changed: SimNote = { ...note, change: { what, at: context.now() } };
    await writeNote(context, changed);
    return changed;
  }

  return {
    needsClient: true,
    lookups,
    check,
    verified: observe,
    forget: (store, mobile) => policyNotes(store).remove(toNoteKey(mobile)),
  };
}

type NumberContext = PolicyContext<unknown> | VerifiedContext;

const UNKNOWN: SimSwapCheck = { swapped: null };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long a note is kept after it was last written. */
const NOTE_SECONDS = 400 * 86_400;

/** Earlier observations would cost money and reveal nothing new. */
const OBSERVE_AFTER_MS = 12 * HOUR_MS;

/** When a number whose network hides identities is observed again. */
const OBSERVE_HIDDEN_AFTER_MS = 30 * DAY_MS;

function isDue(note: SimNote, nowMs: number, maxAgeHours: number): boolean {
  if (note.change !== null) return !isChangeRecent(note, nowMs, maxAgeHours);
  return (
    nowMs - note.lastAt >= (note.state === 'hidden' ? OBSERVE_HIDDEN_AFTER_MS : OBSERVE_AFTER_MS)
  );
}

/** Returns true while a change counts. During that time no new identity is accepted as the user's. */
function isChangeRecent({ change }: SimNote, nowMs: number, maxAgeHours: number): boolean {
  return change !== null && nowMs - change.at < maxAgeHours * HOUR_MS;
}

const time = z.number().min(0);

/** The note about a number between logins. Times are milliseconds since 1970. */
const noteSchema = z.strictObject({
  version: z.literal(1),
  /**
   * `learning`: not seen often enough to be compared. `hidden`: the network reveals no lasting
   * identity.
   */
  state: z.enum(['learning', 'comparable', 'hidden']),
  /** A keyed digest; null when no identity was revealed. */
  identity: z.string().nullable(),
  /** "262-01", and the normalized name of the operator; null when unknown. */
  network: z.string().nullable(),
  operator: z.string().nullable(),
  /** The first and last time this identity was seen after a right code, and how many times. */
  firstAt: time,
  lastAt: time,
  times: z.int().min(1),
  /** The first difference seen since then. */
  change: z.strictObject({ what: z.enum(['identity', 'network']), at: time }).nullable(),
});

type SimNote = Readonly<z.output<typeof noteSchema>>;

/** Returns null for a note that cannot be read: the number then starts again. */
function parseNote(note: string | null): SimNote | null {
  try {
    return noteSchema.parse(JSON.parse(note ?? 'null'));
  } catch {
    return null;
  }
}

/**
 * A number becomes comparable after three equal observations over a day, because some networks make
 * up temporary identities.
 */
const TIMES = 3;
const SPREAD_MS = DAY_MS;

/** Returns the first note of a number, after a right code. */
function beginSimNote(finding: NumberFinding, isWithoutImsi: boolean): SimNote {
  const { at } = finding;
  const identity = isWithoutImsi ? null : finding.identity;
  return {
    ...{ version: 1, identity, state: identity === null ? 'hidden' : 'learning' },
    ...describeNetwork(finding),
    ...{ firstAt: at, lastAt: at, times: 1, change: null },
  };
}

/**
 * Returns the note after another right code. A missing or different identity means, while learning,
 * that the network hides identities. It leaves the note of a comparable number as it is, for the
 * next comparison to detect.
 */
function continueSimNote(note: SimNote, finding: NumberFinding): SimNote {
  const { identity, at } = finding;
  if (identity === null || identity !== note.identity) {
    return note.state === 'learning' ? beginSimNote(finding, true) : note;
  }
  const times = note.times + 1;
  const isStable = times >= TIMES && at - note.firstAt >= SPREAD_MS;
  return {
    ...note,
    ...describeNetwork(finding),
    ...{ times, lastAt: at, state: isStable ? 'comparable' : note.state },
  };
}

/**
 * Returns true when the operator differs; one operator may have several networks. Missing data is
 * not a change.
 */
function isNetworkChanged(note: SimNote, finding: NumberFinding): boolean {
  const { network, operator } = describeNetwork(finding);
  if (network === null || note.network === null) return false;
  // Within one country "1" and "01" are the same network.
  const [one, other] = [network, note.network].map((codes) =>
    codes.split('-').map(Number).join('-'),
  );
  return one !== other && (operator === null || operator !== note.operator);
}

/** Returns the network in the form of notes and counters. */
function describeNetwork({
  network,
  operator,
}: NumberFinding): Pick<SimNote, 'network' | 'operator'> {
  return {
    network: network === undefined ? null : `${network.mcc}-${network.mnc}`,
    operator: operator ?? null,
  };
}

function isSecret(key: unknown): boolean {
  return (typeof key === 'string' || Buffer.isBuffer(key)) && Buffer.byteLength(key) >= 32;
}

/** Derives everything that is kept of numbers and subscriber identities. */
function createSimKeys(key: string | Buffer) {
  const hmac = (value: string): string =>
    createHmac('sha256', key).update(value).digest('base64url');
  return {
    /** Returns the store key of a number's note: with another secret another one. */
    toNoteKey: (mobile: string): string => `sim-swap:${hmac(`note ${mobile}`).slice(0, 22)}`,
    /**
     * Returns a digest of number and identity; null when the identity is missing, masked or
     * malformed. The number is part of it, so that the digests of one SIM under two numbers do not
     * match.
     */
    toIdentity: (lookup: Lookup, mobile: string): string | null => {
      const imsi = readImsi(lookup);
      // Begins with the version of the format.
      return imsi === null ? null : hmac(`1 ${mobile} ${imsi}`);
    },
  };
}

/**
 * Returns an identity that can be real: 14 or 15 digits that begin with the country code of the
 * network and do not end in zeros only. Networks that hide it return "0", country and network
 * alone, or a tail of zeros; the gateway's document does not say how it is masked.
 */
function readImsi({ imsi, mcc }: Lookup): string | null {
  if (imsi === null || mcc === null || !/^[0-9]{14,15}$/.test(imsi)) return null;
  const isMasked = /^0+$/.test(imsi.slice(6)) || !imsi.startsWith(mcc) || mcc.length !== 3;
  return isMasked ? null : imsi;
}

/**
 * Changed numbers that mark a network, if no more were stable. More than one, because a few people
 * do change their SIM.
 */
const MIN_CHANGED = 3;

/** Returns true when the network was found to reveal no lasting identity. */
async function isNetworkWithoutImsi(
  counters: CounterStore,
  network: string | null,
): Promise<boolean> {
  if (network === null) return false;
  const asked = [false, true].map((isStable) => ({
    ...toCounter(network, isStable),
    isOnlyRead: true,
  }));
  const [unstable, stable] = (await counters.charge(asked)).counts;
  const changed = unstable?.count ?? 0;
  return changed >= MIN_CHANGED && changed >= (stable?.count ?? 0);
}

/**
 * Counts the numbers of a network ("262-01") that are stable or not, to find the networks that
 * reveal no lasting identity.
 */
function toCounter(network: string, isStable: boolean): Counter {
  return { key: `sim-swap:${isStable ? 'stable' : 'unstable'}:${network}`, windowSeconds: null };
}
