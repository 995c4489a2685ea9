import { z } from 'zod';
import { oneOf, parseOptions, strictOptions } from '../../define-options';
import { DAY_SECONDS } from '../../limits/failures';
import type { PolicyContext, VerifiedContext } from '../../limits/policy';
import type { NoteStore } from '../../stores/store';
import type { Finding, LookupContext } from '../number-check/decision-table';
import { type NumberLookups, numberLookups, sharedLookups } from '../number-check/number-lookups';
import {
  beginSimNote,
  continueSimNote,
  countNetwork,
  createSimKeys,
  describeNetwork,
  isNetworkChanged,
  isNetworkWithoutImsi,
  parseSimNote,
  type SimKeys,
  type SimNote,
} from './sim-note';
import type { SimSwapCheck, SimSwapProvider, SimSwapQuestion } from './sim-swap';

/** The built-in provider, which can also forget a number. */
export interface HlrSimSwap extends SimSwapProvider {
  /**
   * Forgets what is kept about a number: for a deleted account, or for a user who proved in another way that a change
   * was their own. The next right code begins anew.
   * @param notes `notes` of the store that was passed to `createSmsOtp`.
   * @param mobile E.164 with plus.
   */
  forget(notes: NoteStore, mobile: string): Promise<void>;
}

const schema = strictOptions({
  /** A secret of at least 32 bytes. Identities are kept as keyed digests only. With another key all numbers begin anew. */
  key: z.custom<string | Buffer>(isKey, 'must be a secret of 32 bytes or more'),
  /**
   * What a number that moved to another operator means where no identity can be compared. It is a weak sign, because
   * numbers are ported. `report`: an event. `deny`: a SIM swap. `ignore`: nothing, and no lookup is paid for it. Default: `report`.
   */
  onNetworkChange: oneOf('ignore', 'report', 'deny').default('report'),
  /** Lookups shared with other policies. Default: lookups of its own. */
  lookups: sharedLookups().optional(),
});

/** Options of `hlrSimSwap`. Unknown fields are errors. */
export type HlrSimSwapOptions = z.input<typeof schema>;

function isKey(value: unknown): boolean {
  return (typeof value === 'string' || Buffer.isBuffer(value)) && Buffer.byteLength(value) >= 32;
}

/**
 * Reports when the subscriber identity that the gateway returns for a number differs from the one seen when the number
 * was last verified. Many networks hide this value; absence of a report is not evidence that no SIM swap happened. It
 * does not know when a swap happened: a change counts from when it was first seen.
 *
 * It looks a number up before a message if there is something to compare with, and after a right code at most every 12 h,
 * until three equal identities over 24 h make the number comparable. It keeps, for 400 days, a keyed digest, the network
 * and times.
 * @throws {TypeError} that names the option.
 * @see HLR spec §2, imsi
 */
export function hlrSimSwap(options: HlrSimSwapOptions): HlrSimSwap {
  const checked = parseOptions('hlrSimSwap', schema, options);
  const { key, onNetworkChange, lookups = numberLookups() } = checked;
  const keys = createSimKeys(key);
  const hlr = { keys, onNetworkChange, lookups };
  lookups.keepIdentity(keys.toIdentity);
  return {
    needsNotes: true,
    check: (context, question) => compareSim(hlr, context, question),
    verified: (context, question) => observeSim(hlr, context, question),
    forget: (notes, mobile) => notes.remove(keys.toNoteKey(mobile)),
  };
}

interface HlrContext {
  readonly lookups: NumberLookups;
  readonly keys: SimKeys;
  readonly onNetworkChange: 'ignore' | 'report' | 'deny';
}

const HOUR_MS = 3_600_000;

/** Earlier observations would cost money and reveal nothing new. */
const OBSERVE_AFTER_MS = 12 * HOUR_MS;

/** When a number whose network hides identities is observed again. */
const OBSERVE_HIDDEN_AFTER_MS = 30 * 24 * HOUR_MS;

/**
 * Observes a number after a right code, which alone shows that it is the user's. Nothing is observed while a change counts,
 * because the code may have reached someone else. An enrolled number begins anew: its user has proved more than a code.
 */
async function observeSim(
  hlr: HlrContext,
  context: VerifiedContext,
  { maxAgeHours }: SimSwapQuestion,
): Promise<void> {
  const previous = context.purpose === 'enroll' ? null : await readNote(hlr, context);
  if (previous !== null && !isDue(previous, context.now(), maxAgeHours)) return;
  const finding = await hlr.lookups.find(context);
  if (finding.verdict !== 'valid') return;
  const { counters } = context;
  if (previous?.change !== null || previous.state === 'hidden') {
    const isWithoutImsi = await isNetworkWithoutImsi(counters, describeNetwork(finding).network);
    return writeNote(hlr, context, beginSimNote(hlr.keys.keyId, finding, isWithoutImsi));
  }
  const note = continueSimNote(previous, finding);
  // The end of learning shows whether the network has lasting identities.
  if (previous.state === 'learning' && note.state !== 'learning') {
    await countNetwork(counters, previous.network, note.state === 'comparable');
  }
  await writeNote(hlr, context, note);
}

function isDue(note: SimNote, nowMs: number, maxAgeHours: number): boolean {
  if (note.change !== null) return !isChangeRecent(note, nowMs, maxAgeHours);
  return nowMs - note.lastAt >= (note.state === 'hidden' ? OBSERVE_HIDDEN_AFTER_MS : OBSERVE_AFTER_MS);
}

/** Returns true while a change counts. During that time no new identity is accepted as the user's. */
function isChangeRecent({ change }: SimNote, nowMs: number, maxAgeHours: number): boolean {
  return change !== null && nowMs - change.at < maxAgeHours * HOUR_MS;
}

const UNKNOWN: SimSwapCheck = { swapped: null };

/** Compares before a message. Looks a number up only if there is something to compare with. */
async function compareSim(
  hlr: HlrContext,
  context: PolicyContext<unknown>,
  { maxAgeHours }: SimSwapQuestion,
): Promise<SimSwapCheck> {
  const note = await readNote(hlr, context);
  if (note === null || !isWorthLookup(hlr, note)) return UNKNOWN;
  const finding = await hlr.lookups.find(context);
  const comparison = await compare(hlr, context, note, finding);
  if (comparison === 'same') {
    if (note.change !== null) await writeNote(hlr, context, { ...note, change: null });
    // An equal network alone says nothing about the SIM.
    return note.state === 'comparable' ? { swapped: false } : UNKNOWN;
  }
  // An earlier change keeps counting when a lookup reveals nothing.
  const current = comparison === 'unknown' ? note : await noteChange(hlr, context, note, comparison);
  return isChangeRecent(current, context.now(), maxAgeHours) ? toReport(hlr, current) : UNKNOWN;
}

function isWorthLookup({ onNetworkChange }: HlrContext, { state, network }: SimNote): boolean {
  return state === 'comparable' || (onNetworkChange !== 'ignore' && network !== null);
}

/** What differs from the state after the last right code. */
type Comparison = 'same' | 'identity' | 'network' | 'unknown';

async function compare(
  { onNetworkChange }: HlrContext,
  { counters }: PolicyContext<unknown>,
  note: SimNote,
  finding: Finding,
): Promise<Comparison> {
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

/** Stores a change with the time when it was first seen. A changed identity replaces a changed network. */
async function noteChange(
  hlr: HlrContext,
  context: PolicyContext<unknown>,
  note: SimNote,
  what: 'identity' | 'network',
): Promise<SimNote> {
  if (note.change !== null && (note.change.what === 'identity' || what === 'network')) return note;
  const changed: SimNote = { ...note, change: { what, at: context.now() } };
  await writeNote(hlr, context, changed);
  return changed;
}

function toReport({ onNetworkChange }: HlrContext, { change, lastAt }: SimNote): SimSwapCheck {
  const isIdentity = change?.what === 'identity';
  const what = isIdentity ? 'subscriber identity' : 'network';
  const hint = `${what} differs from the one last seen on ${new Date(lastAt).toISOString().slice(0, 10)}`;
  return { swapped: isIdentity || onNetworkChange === 'deny' ? true : null, hint };
}

/** How long a note is kept after it was last written. */
const NOTE_SECONDS = 400 * DAY_SECONDS;

async function readNote({ keys }: HlrContext, { notes, mobile }: LookupContext): Promise<SimNote | null> {
  return parseSimNote((await notes?.read(keys.toNoteKey(mobile))) ?? null, keys.keyId);
}

async function writeNote(
  { keys }: HlrContext,
  { notes, mobile }: LookupContext,
  note: SimNote,
): Promise<void> {
  await notes?.write(keys.toNoteKey(mobile), JSON.stringify(note), NOTE_SECONDS);
}
