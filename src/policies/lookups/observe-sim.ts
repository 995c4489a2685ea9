import type { VerifiedContext } from '../policy';
import type { Finding } from './finding';
import { isHidingNetwork, learnNetwork } from './hiding-networks';
import type { SimChangeQuestion } from './sim-change-provider';
import { isHeld, readNote, writeNote, type SimDesk } from './sim-desk';
import { beginSimNote, continueSimNote, describeNetwork, type SimNote } from './sim-note';

const HOUR_MS = 3_600_000;

/** Observations that come sooner say nothing new and cost money. */
const OBSERVE_AFTER_MS = 12 * HOUR_MS;

/** A number whose network hides identities is tried again after this. */
const TRY_AGAIN_AFTER_MS = 30 * 24 * HOUR_MS;

/**
 * Observes after a right code, which alone shows that the number is its user's. While a change counts, nothing is: the
 * code may have reached somebody else. A number that is enrolled begins anew: its user has shown more than a code for it.
 */
export async function observeSim(
  desk: SimDesk,
  context: VerifiedContext,
  { maxAgeHours }: SimChangeQuestion,
): Promise<void> {
  const isEnrolled = context.purpose === 'enrol';
  const former = isEnrolled ? null : await readNote(desk, context);
  if (former !== null && !isDue(former, context.now(), maxAgeHours)) return;
  const finding = await desk.lookups.find(context, isEnrolled ? 'enrol' : 'login');
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
