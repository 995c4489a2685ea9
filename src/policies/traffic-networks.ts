import type { Network } from './lookups/network';
import type { PolicyContext, PolicyTools } from './policy';

/** Finds the network of a number, from a lookup that was made before; null when none is known. */
export type FindTrafficNetwork = (
  context: PolicyContext<unknown>,
) => Network | null | undefined | Promise<Network | null | undefined>;

/** A text message's network, so that its right code counts where it was counted, whichever process hears of it. */
export interface TrafficNetworks {
  /** `mcc-mnc`, or null. */
  find(context: PolicyContext<unknown>): Promise<string | null>;
  keep(context: KeptFor, network: string | null): Promise<void>;
  recall(context: KeptFor): Promise<string | null>;
}

type KeptFor = Pick<PolicyTools, 'notes'> & Pick<PolicyContext, 'numberKey'>;

/** A pending login lives 900 s at most. */
const KEPT_SECONDS = 1_200;

/** A part of keys and events: nothing but codes may get there. */
const CODE = /^\d{3}-\d{2,3}$/;

/** @param networkOf left out: no network is known. Nor is one where the store keeps no notes. */
export function createTrafficNetworks(networkOf: FindTrafficNetwork | undefined): TrafficNetworks {
  return {
    find: (context) =>
      readCode(async () => {
        if (context.notes === undefined) return null;
        const network = await networkOf?.(context);
        return network == null ? null : `${network.mcc}-${network.mnc}`;
      }),
    keep: async ({ notes, numberKey }, network) => {
      if (network !== null) await notes?.write(toKey(numberKey), network, KEPT_SECONDS);
    },
    recall: ({ notes, numberKey }) =>
      readCode(async () =>
        networkOf === undefined ? null : ((await notes?.read(toKey(numberKey))) ?? null),
      ),
  };
}

function toKey(numberKey: string): string {
  return `conversion:network:${numberKey}`;
}

async function readCode(read: () => Promise<unknown>): Promise<string | null> {
  try {
    const code = await read();
    return typeof code === 'string' && CODE.test(code) ? code : null;
  } catch {
    // A hint that cannot be had is no reason to refuse: prefix and country are judged all the same.
    return null;
  }
}
