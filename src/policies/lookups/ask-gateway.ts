import { setTimeout as wait } from 'node:timers/promises';
import { remainingMs, type CallDeadline } from '../../client/admission/call-deadline';
import type { Lookup } from '../../protocol/hlr';
import { DECISIONS, type Verdict } from './decision-table';
import { recordSpend } from '../prices/spend-ledger';
import type { LookupContext } from './finding';
import { readFailure, readVerdict } from './read-verdict';

/** What the gateway has said; `lookup` is null when it was an error. */
export interface Asked {
  readonly verdict: Verdict;
  readonly lookup: Lookup | null;
}

/** Milliseconds before the second try: the least, and what chance may add. */
const PAUSE_MS = 50;
const JITTER_MS = 150;

/** A second try with less time than this is money for nothing. */
const LEAST_MS = 250;

/** One lookup, and a second one where the table says so and time is left. Never throws: a failure is a verdict. */
export async function askGateway(
  context: LookupContext,
  deadline: CallDeadline,
  random: () => number,
): Promise<Asked> {
  const first = await askOnce(context);
  if (DECISIONS[first.verdict].isRetried !== true) return first;
  const pauseMs = PAUSE_MS + random() * JITTER_MS;
  if (remainingMs(deadline) < pauseMs + LEAST_MS) return first;
  await wait(pauseMs);
  return askOnce(context);
}

async function askOnce({ gateway, counters, mobile }: LookupContext): Promise<Asked> {
  try {
    const lookup = await gateway.hlr.lookup(mobile);
    await recordSpend(counters, lookup.cost);
    return { verdict: readVerdict(lookup), lookup };
  } catch (error) {
    return { verdict: readFailure(error), lookup: null };
  }
}
