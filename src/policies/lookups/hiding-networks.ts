import type { Counter, CounterStore } from '../../stores/store';

/** So many numbers must have changed, and as many as were stable: a few people do change their SIM. */
const LEAST = 3;

/**
 * Takes note of one number of a network that was found stable, or not: so networks that show no lasting identity are
 * learned. Nothing is counted of the number itself.
 * @param network "262-01"; null when unknown.
 */
export async function learnNetwork(
  counters: CounterStore,
  network: string | null,
  isStable: boolean,
): Promise<void> {
  if (network !== null) await counters.charge([toCounter(network, isStable)]);
}

/** True when the network has been learned to show no lasting identity. */
export async function isHidingNetwork(counters: CounterStore, network: string | null): Promise<boolean> {
  if (network === null) return false;
  const asked = [false, true].map((isStable) => ({ ...toCounter(network, isStable), isOnlyRead: true }));
  const [unstable, stable] = (await counters.charge(asked)).counts;
  const changed = unstable?.count ?? 0;
  return changed >= LEAST && changed >= (stable?.count ?? 0);
}

function toCounter(network: string, isStable: boolean): Counter {
  return { key: `sim-change:${isStable ? 'stable' : 'unstable'}:${network}`, windowSeconds: null };
}
