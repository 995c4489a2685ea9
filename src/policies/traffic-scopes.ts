import { findNumberCountry } from './number-country';
import type { PolicyContext, VerifiedContext } from './policy';

/** What is known of a number both before a send and after a right code. */
export type TrafficContext = PolicyContext<unknown> | VerifiedContext;

/** Text messages that are judged together. */
export interface TrafficScope {
  /** As events show it: `prefix`, `country FR`, `network 208-01`. */
  readonly name: string;
  /** As a part of a store's keys. */
  readonly key: string;
  /** Fewer of them are no ground to block all of them. */
  readonly minMessages: number;
}

/** A few prefixes under attack must not block the country or the network they belong to. */
const MIN_MESSAGES_OF_MANY_PREFIXES = 50;

/** The network of a number as `mcc-mnc`, for example `208-01`, or null when nothing tells. */
export type FindNetwork = (context: TrafficContext) => string | null | Promise<string | null>;

/** A part of keys and events: nothing but codes may get there. */
const NETWORK = /^\d{3}-\d{2,3}$/;

/** The prefix of a number, its country and its network, as far as they are known. */
export async function findScopes(
  context: TrafficContext,
  networkOf: FindNetwork | undefined,
): Promise<readonly TrafficScope[]> {
  const [country, network] = await Promise.all([
    findNumberCountry(context.mobile),
    findNetwork(context, networkOf),
  ]);
  return [
    { name: 'prefix', key: `prefix:${context.prefixKey}`, minMessages: 1 },
    ...(country === null ? [] : [toWideScope('country', country)]),
    ...(network === null ? [] : [toWideScope('network', network)]),
  ];
}

function toWideScope(kind: 'country' | 'network', code: string): TrafficScope {
  return { name: `${kind} ${code}`, key: `${kind}:${code}`, minMessages: MIN_MESSAGES_OF_MANY_PREFIXES };
}

async function findNetwork(
  context: TrafficContext,
  networkOf: FindNetwork | undefined,
): Promise<string | null> {
  try {
    const network: unknown = await networkOf?.(context);
    return typeof network === 'string' && NETWORK.test(network) ? network : null;
  } catch {
    // A hint that cannot be had is no reason to refuse: prefix and country are judged all the same.
    return null;
  }
}
