import type { PolicyContext } from '../policy';
import type { Finding } from './finding';
import { isHidingNetwork } from './hiding-networks';
import type { SimChangeCheck, SimChangeQuestion } from './sim-change-provider';
import { isHeld, readNote, writeNote, type SimDesk } from './sim-desk';
import { describeNetwork, isNetworkChanged, type SimNote } from './sim-note';

/** How what is seen now stands to what was seen after the last right code. */
type Comparison = 'same' | 'identity' | 'network' | 'unknown';

const UNKNOWN: SimChangeCheck = { swapped: null };

/** Compares before a text. Looks up only where there is something to compare with. */
export async function compareSim(
  desk: SimDesk,
  context: PolicyContext<unknown>,
  { maxAgeHours }: SimChangeQuestion,
): Promise<SimChangeCheck> {
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

function report({ onNetworkChange }: SimDesk, { change, lastAt }: SimNote): SimChangeCheck {
  const isIdentity = change?.what === 'identity';
  const what = isIdentity ? 'subscriber identity' : 'network';
  const hint = `${what} differs from the one last seen on ${new Date(lastAt).toISOString().slice(0, 10)}`;
  return { swapped: isIdentity || onNetworkChange === 'deny' ? true : null, hint };
}
