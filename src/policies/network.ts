import type { PolicyContext } from '../limits/policy';

/**
 * The network of a number, as a lookup returns it. Codes are strings: "01" and "001" differ. HLR
 * spec §2.
 */
export interface Network {
  /** Three digits. */
  readonly mcc: string | null;
  /** Two or three digits. */
  readonly mnc: string | null;
  readonly operator?: string | null;
}

/** Returns the network of a number from an earlier lookup. Null if none is known. */
export type FindNetwork = (
  context: PolicyContext<unknown>,
) => Network | null | undefined | Promise<Network | null | undefined>;

/** Calls `networkOf`. Returns null if it throws or knows no network. */
export async function findNetwork(
  networkOf: FindNetwork | undefined,
  context: PolicyContext<unknown>,
) {
  try {
    return (await networkOf?.(context)) ?? null;
  } catch {
    // Ignore the error: the decision can be made without the network.
    return null;
  }
}
