import type { PolicyContext, PolicyTools } from '../policy';
import type { Verdict } from './decision-table';
import type { Network } from './network';

/** Whom a lookup is about, and what it is made with: any context of a policy is one. */
export type LookupContext = PolicyTools &
  Pick<PolicyContext, 'userId' | 'mobile' | 'numberKey' | 'prefixKey'>;

/** What is kept of a lookup. Subscriber identity and switching centre are not among it. */
export interface Finding {
  readonly verdict: Verdict;
  /** An unknown word of the gateway, when it may be told. */
  readonly unknownWord: string | null;
  readonly network: Network | undefined;
  /** In a form to compare by. */
  readonly operator: string | undefined;
  /** What `keepIdentity` makes of the subscriber identity. */
  readonly identity: string | null;
  /** How often in a row this number got this verdict, this time included. */
  readonly timesInARow: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Verdict `too-many` only: until the user may have another lookup. */
  readonly retryAfterSeconds?: number;
}

/** A finding without any knowledge of the number. */
export function nothingFound(verdict: Verdict, at: number): Finding {
  return {
    verdict,
    unknownWord: null,
    network: undefined,
    operator: undefined,
    identity: null,
    timesInARow: 1,
    at,
  };
}
