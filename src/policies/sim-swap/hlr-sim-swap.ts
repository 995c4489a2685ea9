import { z } from 'zod';
import { oneOf, parseOptions, strictOptions } from '../../define-options';
import type { PolicyContext, VerifiedContext } from '../../limits/policy';
import type { NoteStore } from '../../stores/store';
import type { Finding, LookupContext } from '../number-check/decision-table';
import { type NumberLookups, numberLookups, sharedLookups } from '../number-check/number-lookups';
import {
  beginSimNote,
  continueSimNote,
  createSimKeys,
  describeNetwork,
  isHidingNetwork,
  isNetworkChanged,
  learnNetwork,
  parseSimNote,
  type SimKeys,
  type SimNote,
} from './sim-note';
import type { SimSwapCheck, SimSwapProvider, SimSwapQuestion } from './sim-swap';

/** What the two halves of the hint, comparing and observing, work with. */
export interface SimDesk {
  readonly lookups: NumberLookups;
  readonly keys: SimKeys;
  readonly onNetworkChange: 'ignore' | 'report' | 'deny';
}

/** A note lives so long from its last writing. */
const NOTE_SECONDS = 400 * 86_400;

const HOUR_MS = 3_600_000;

async function readNote({ keys }: SimDesk, { notes, mobile }: LookupContext): Promise<SimNote | null> {
  return parseSimNote((await notes?.read(keys.toNoteKey(mobile))) ?? null, keys.keyId);
}

async function writeNote({ keys }: SimDesk, { notes, mobile }: LookupContext, note: SimNote): Promise<void> {
  await notes?.write(keys.toNoteKey(mobile), JSON.stringify(note), NOTE_SECONDS);
}

/** True while a change that was seen still counts. Meanwhile nothing new is taken for the user's own. */
function isHeld({ change }: SimNote, nowMs: number, maxAgeHours: number): boolean {
  return change !== null && nowMs - change.at < maxAgeHours * HOUR_MS;
}

/** Observations that come sooner say nothing new and cost money. */
const OBSERVE_AFTER_MS = 12 * HOUR_MS;

/** A number whose network hides identities is tried again after this. */
const TRY_AGAIN_AFTER_MS = 30 * 24 * HOUR_MS;

/**
 * Observes after a right code, which alone shows that the number is its user's. While a change counts, nothing is: the
 * code may have reached somebody else. A number that is enrolled begins anew: its user has shown more than a code for it.
 */
async function observeSim(
  desk: SimDesk,
  context: VerifiedContext,
  { maxAgeHours }: SimSwapQuestion,
): Promise<void> {
  const isEnrolled = context.purpose === 'enroll';
  const former = isEnrolled ? null : await readNote(desk, context);
  if (former !== null && !isDue(former, context.now(), maxAgeHours)) return;
  const finding = await desk.lookups.find(context, isEnrolled ? 'enroll' : 'login');
  if (finding.verdict !== 'valid') return;
  const isContinued = former !== null && former.change === null && former.state !== 'hidden';
  const note = isContinued ? continueSimNote(former, finding) : await begin(desk, context, finding);
  if (isContinued) await learn(context, former, note);
  await writeNote(desk, context, note);
}

function isDue(note: SimNote, nowMs: number, maxAgeHours: number): boolean {
  if (note.change !== null) return !isHeld(note, nowMs, maxAgeHours);
  return nowMs - note.lastAt >= (note.state === 'hidden' ? TRY_AGAIN_AFTER_MS : OBSERVE_AFTER_MS);
}

async function begin({ keys }: SimDesk, { counters }: VerifiedContext, finding: Finding): Promise<SimNote> {
  const { network } = describeNetwork(finding);
  return beginSimNote(keys.keyId, finding, await isHidingNetwork(counters, network));
}

/** The end of learning says something of the network. */
async function learn({ counters }: VerifiedContext, former: SimNote, note: SimNote): Promise<void> {
  if (former.state === 'learning' && note.state !== 'learning') {
    await learnNetwork(counters, former.network, note.state === 'comparable');
  }
}

/** How what is seen now stands to what was seen after the last right code. */
type Comparison = 'same' | 'identity' | 'network' | 'unknown';

const UNKNOWN: SimSwapCheck = { swapped: null };

/** Compares before a text. Looks up only where there is something to compare with. */
async function compareSim(
  desk: SimDesk,
  context: PolicyContext<unknown>,
  { maxAgeHours }: SimSwapQuestion,
): Promise<SimSwapCheck> {
  const note = await readNote(desk, context);
  if (note === null || !hasSomethingToCompare(desk, note)) return UNKNOWN;
  const finding = await desk.lookups.find(context, 'login');
  const comparison = await compare(desk, context, note, finding);
  if (comparison === 'same') {
    if (note.change !== null) await writeNote(desk, context, { ...note, change: null });
    // The same network alone says nothing of the SIM.
    return note.state === 'comparable' ? { swapped: false } : UNKNOWN;
  }
  // A change that was seen stays one while lookups say nothing.
  const known = comparison === 'unknown' ? note : await noteChange(desk, context, note, comparison);
  return isHeld(known, context.now(), maxAgeHours) ? report(desk, known) : UNKNOWN;
}

function hasSomethingToCompare({ onNetworkChange }: SimDesk, { state, network }: SimNote): boolean {
  return state === 'comparable' || (onNetworkChange !== 'ignore' && network !== null);
}

async function compare(
  { onNetworkChange }: SimDesk,
  { counters }: PolicyContext<unknown>,
  note: SimNote,
  finding: Finding,
): Promise<Comparison> {
  if (finding.verdict !== 'valid') return 'unknown';
  const isComparable = note.state === 'comparable';
  if (isComparable && finding.identity === note.identity) return 'same';
  if (isComparable && finding.identity !== null) {
    const networks = [note.network, describeNetwork(finding).network];
    const areHiding = await Promise.all(networks.map((network) => isHidingNetwork(counters, network)));
    if (!areHiding.includes(true)) return 'identity';
  }
  if (onNetworkChange === 'ignore' || finding.network === undefined) return 'unknown';
  if (isNetworkChanged(note, finding)) return 'network';
  return isComparable ? 'unknown' : 'same';
}

/** The first sight of a change begins its time; an identity weighs more than a network. */
async function noteChange(
  desk: SimDesk,
  context: PolicyContext<unknown>,
  note: SimNote,
  what: 'identity' | 'network',
): Promise<SimNote> {
  if (note.change !== null && (note.change.what === 'identity' || what === 'network')) return note;
  const changed: SimNote = { ...note, change: { what, at: context.now() } };
  await writeNote(desk, context, changed);
  return changed;
}

function report({ onNetworkChange }: SimDesk, { change, lastAt }: SimNote): SimSwapCheck {
  const isIdentity = change?.what === 'identity';
  const what = isIdentity ? 'subscriber identity' : 'network';
  const hint = `${what} differs from the one last seen on ${new Date(lastAt).toISOString().slice(0, 10)}`;
  return { swapped: isIdentity || onNetworkChange === 'deny' ? true : null, hint };
}

/** What `hlrSimSwap` is made of. Unknown members are errors. */
export interface HlrSimSwapOptions {
  /** A secret of 32 bytes or more: identities are kept as keyed digests only. With another key all numbers begin anew. */
  readonly key: string | Buffer;
  /**
   * A number that went to another operator, where no identity can be compared: a weak sign, since numbers are ported.
   * `record`: told; `deny`: counts as a change; `ignore`: no lookup is paid for it. Default: `record`.
   */
  readonly onNetworkChange?: 'ignore' | 'report' | 'deny' | undefined;
  /** Lookups shared with other policies. Default: its own. */
  readonly lookups?: NumberLookups | undefined;
}

/** The built-in provider, with the way to forget a number. */
export interface HlrSimSwap extends SimSwapProvider {
  /**
   * Forgets what is kept of a number: when its account is deleted, or when its user has shown in another way that a change
   * was theirs. The next right code begins anew.
   * @param notes `notes` of the store that was handed to `createSmsOtp`.
   * @param mobile E.164 with plus.
   */
  forget(notes: NoteStore, mobile: string): Promise<void>;
}

const schema = strictOptions({
  key: z.custom<string | Buffer>(isKey, 'must be a secret of 32 bytes or more'),
  onNetworkChange: oneOf('ignore', 'report', 'deny').default('report'),
  lookups: sharedLookups().optional(),
});

function isKey(value: unknown): boolean {
  return (typeof value === 'string' || Buffer.isBuffer(value)) && Buffer.byteLength(value) >= 32;
}

/**
 * Reports when the subscriber identity that the gateway returns for a number differs from the one seen when the number
 * was last verified. Many networks hide this value; absence of a report is not evidence that no SIM swap happened. It
 * does not know when a swap happened: a change counts from when it was first seen.
 *
 * Before a text it looks up where there is something to compare; after a right code at most every 12 h, until three equal
 * identities over 24 h make a number comparable. Kept for 400 days: a keyed digest, the network, times.
 * @throws {TypeError} that names the option.
 * @see HLR spec §2, imsi
 */
export function hlrSimSwap(options: HlrSimSwapOptions): HlrSimSwap {
  const checked = parseOptions('hlrSimSwap', schema, options);
  const { key, onNetworkChange, lookups = numberLookups() } = checked;
  const keys = createSimKeys(key);
  const desk = { keys, onNetworkChange, lookups };
  lookups.keepIdentity(keys.toIdentity);
  return {
    needsNotes: true,
    check: (context, question) => compareSim(desk, context, question),
    verified: (context, question) => observeSim(desk, context, question),
    forget: (notes, mobile) => notes.remove(keys.toNoteKey(mobile)),
  };
}
