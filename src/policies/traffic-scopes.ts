import { originOf } from './number-country';
import type { PolicyContext } from './policy';

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

/**
 * The prefix of a number, its country and its network, as far as they are known.
 * @param network `mcc-mnc`.
 */
export async function findScopes(
  number: Pick<PolicyContext, 'mobile' | 'origin' | 'prefixKey'>,
  network: string | null,
): Promise<readonly TrafficScope[]> {
  const { country } = await originOf(number);
  return [
    { name: 'prefix', key: `prefix:${number.prefixKey}`, minMessages: 1 },
    ...(country === null ? [] : [toWideScope('country', country)]),
    ...(network === null ? [] : [toWideScope('network', network)]),
  ];
}

function toWideScope(kind: 'country' | 'network', code: string): TrafficScope {
  return { name: `${kind} ${code}`, key: `${kind}:${code}`, minMessages: MIN_MESSAGES_OF_MANY_PREFIXES };
}
