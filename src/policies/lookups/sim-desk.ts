import type { LookupContext } from './finding';
import type { NumberLookups } from './number-lookups';
import type { SimKeys } from './sim-identity';
import { parseSimNote, type SimNote } from './sim-note';

/** What the two halves of the hint, comparing and observing, work with. */
export interface SimDesk {
  readonly lookups: NumberLookups;
  readonly keys: SimKeys;
  readonly onNetworkChange: 'ignore' | 'record' | 'deny';
}

/** A note lives so long from its last writing. */
const NOTE_SECONDS = 400 * 86_400;

const HOUR_MS = 3_600_000;

export async function readNote({ keys }: SimDesk, { notes, mobile }: LookupContext): Promise<SimNote | null> {
  return parseSimNote((await notes?.read(keys.toNoteKey(mobile))) ?? null, keys.keyId);
}

export async function writeNote(
  { keys }: SimDesk,
  { notes, mobile }: LookupContext,
  note: SimNote,
): Promise<void> {
  await notes?.write(keys.toNoteKey(mobile), JSON.stringify(note), NOTE_SECONDS);
}

/** True while a change that was seen still counts. Meanwhile nothing new is taken for the user's own. */
export function isHeld({ change }: SimNote, nowMs: number, maxAgeHours: number): boolean {
  return change !== null && nowMs - change.at < maxAgeHours * HOUR_MS;
}
