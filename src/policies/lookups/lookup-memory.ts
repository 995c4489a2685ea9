import { DECISIONS, type Column } from './decision-table';
import type { Finding, LookupContext } from './finding';
import type { KnownNetwork } from './network';
import { createNewestMap } from './newest-map';

/** What this process knows of numbers, under their keys. */
export interface LookupMemory {
  /** The finding that still stands for a number. */
  find(context: LookupContext, column: Column): Finding | undefined;
  /** Keeps a finding of which the table says so. @returns it, with how often in a row the verdict came. */
  keep(context: LookupContext, finding: Finding): Finding;
  networkOf(context: Pick<LookupContext, 'numberKey' | 'now'>): KnownNetwork | undefined;
}

/** A network is believed for so long: numbers are ported. */
const NETWORK_MS = 86_400_000;

/** @param maxEntries The newest are kept. */
export function createLookupMemory(maxEntries: number): LookupMemory {
  const findings = createNewestMap<Finding>(maxEntries);
  const networks = createNewestMap<{ readonly network: KnownNetwork; readonly at: number }>(maxEntries);

  function find({ numberKey, now }: LookupContext, column: Column): Finding | undefined {
    const found = findings.get(numberKey);
    if (found === undefined) return undefined;
    const { keptSeconds } = DECISIONS[found.verdict];
    return isWithin(found.at, now(), keptSeconds[column] * 1_000) ? found : undefined;
  }

  function keep({ numberKey }: LookupContext, finding: Finding): Finding {
    const { verdict, network, operator = null, at } = finding;
    if (network !== undefined) networks.set(numberKey, { network: { ...network, operator }, at });
    const former = findings.get(numberKey);
    const keptMs = DECISIONS[verdict].keptSeconds.enrol * 1_000;
    const isRepeated = former?.verdict === verdict && isWithin(former.at, at, keptMs);
    const counted = { ...finding, timesInARow: isRepeated ? former.timesInARow + 1 : 1 };
    // What is not kept leaves the former result in its place: a timeout does not part two equal results.
    if (keptMs > 0) findings.set(numberKey, counted);
    return counted;
  }

  function networkOf({ numberKey, now }: Pick<LookupContext, 'numberKey' | 'now'>): KnownNetwork | undefined {
    const known = networks.get(numberKey);
    return known !== undefined && isWithin(known.at, now(), NETWORK_MS) ? known.network : undefined;
  }

  return { find, keep, networkOf };
}

/** A clock that was set back makes nothing young again. */
function isWithin(at: number, nowMs: number, milliseconds: number): boolean {
  return nowMs >= at && nowMs < at + milliseconds;
}
