import { z } from 'zod';
import { callback, parseOptions, policyMode, strictOptions } from '../../define-options';
import { StoreError } from '../../errors';
import { verifiedNumberCounter } from '../../limits/limits';
import { type Policy, type PolicyContext, type PolicyMode, type PolicyTools } from '../../limits/policy';
import type { Network } from '../number-check/decision-table';
import {
  answeredCounters,
  blockCounter,
  COUNTERS_PER_SCOPE,
  findScopes,
  readTraffic,
  type ScopeTraffic,
  sentCounters,
  trafficCounters,
  trafficKeys,
  type TrafficScope,
  upperWilsonBound,
} from './conversion-tally';

/** What `conversionBreaker` is made of. */
export interface ConversionBreakerOptions {
  /** The share of text messages whose code is typed in, below which a scope is blocked: 0.01 to 0.9. Default: 0.2. */
  readonly minRate?: number | undefined;
  /** Default: `record`. */
  readonly mode?: PolicyMode | undefined;
  /**
   * The network of a number, for example `networkOf` of `numberLookups`. A throw counts as not known. Needs a store that
   * keeps notes. Default: networks are not judged.
   */
  readonly networkOf?: FindTrafficNetwork | undefined;
}

const RATE = 'must be a number from 0.01 to 0.9';

const schema = strictOptions({
  minRate: z.number(RATE).min(0.01, RATE).max(0.9, RATE).default(0.2),
  mode: policyMode('report'),
  networkOf: callback<FindTrafficNetwork>().optional(),
});

interface JudgedScope extends ScopeTraffic {
  readonly scope: TrafficScope;
}

/**
 * Blocks a prefix, a country or a network when the codes sent there are not typed in: 15 minutes, then 1, 4 and 12 hours,
 * each block ending by itself and the counting beginning anew after it. Judged are the numbers on which no code was ever
 * right, in the last half day, as far as the time of their codes is over; the others are neither counted nor blocked.
 * A block needs proof: the upper end of the 95 % Wilson interval lies below `minRate`; a country or a network also needs 50
 * text messages, so that an attack on a few prefixes blocks these alone.
 *
 * One round trip to the store before a send and one after it.
 * @throws {TypeError} that names the option.
 */
export function conversionBreaker(options: ConversionBreakerOptions = {}): Policy<unknown> {
  const { minRate, mode, networkOf } = parseOptions('conversionBreaker', schema, options);
  const networks = createTrafficNetworks(networkOf);

  async function judge(context: PolicyContext<unknown>): Promise<readonly JudgedScope[]> {
    const scopes = await findScopes(context, await networks.find(context));
    const exemptBy = verifiedNumberCounter(context.numberKey).key;
    const asked = scopes.flatMap((scope) => trafficCounters(scope, context.now(), exemptBy));
    const { counts } = await context.counters.charge(asked);
    if (counts.length !== asked.length) throw new StoreError('charge: odd answer');
    return scopes.map((scope, index) => {
      const first = index * COUNTERS_PER_SCOPE;
      return { scope, ...readTraffic(counts.slice(first, first + COUNTERS_PER_SCOPE)) };
    });
  }

  function isLow({ scope, answered, matured }: JudgedScope): boolean {
    return matured >= scope.minMessages && upperWilsonBound(answered, matured) < minRate;
  }

  return {
    name: 'conversion-breaker',
    stage: 'send',
    mode,
    check: async (context) => {
      const judged = await judge(context);
      const blocked = judged.filter(({ blockedSeconds }) => blockedSeconds > 0);
      const found = blocked.length > 0 ? blocked : await block(context, judged.filter(isLow));
      if (found.length === 0) return 'allow';
      return {
        deny: 'send-limit',
        retryAfterSeconds: Math.max(...found.map(({ blockedSeconds }) => blockedSeconds)),
        reasons: found.map(({ scope }) => `low conversion of ${scope.name}`),
      };
    },
    // Counted when the gateway has taken it: its failures must not look like codes that nobody types in.
    settle: async (context, { kind }) => {
      if (kind !== 'sent') return;
      const exemptBy = verifiedNumberCounter(context.numberKey).key;
      const network = await networks.find(context);
      const scopes = await findScopes(context, network);
      const sent = scopes.flatMap((scope) => sentCounters(scope, context.now()));
      const counted = sent.map((counter) => ({ ...counter, exemptBy }));
      await Promise.all([context.counters.charge(counted), networks.keep(context, network)]);
    },
    verified: async (context) => {
      if (!context.isNewNumber) return;
      const { sentAt, sends, counters } = context;
      const scopes = await findScopes(context, await networks.recall(context));
      await counters.charge(scopes.flatMap((scope) => answeredCounters(scope, sentAt, sends)));
    },
  };
}

function block(
  context: PolicyContext<unknown>,
  found: readonly JudgedScope[],
): Promise<readonly JudgedScope[]> {
  return Promise.all(found.map((judged) => beginBlock(context, judged)));
}

/** Of several processes that find the same, one begins the block; the others find it running. */
async function beginBlock(
  { counters, now, emit }: PolicyContext<unknown>,
  judged: JudgedScope,
): Promise<JudgedScope> {
  const { scope } = judged;
  const { refusedBy, counts } = await counters.charge([blockCounter(scope)]);
  const blockedSeconds = counts[0]?.lockedSeconds ?? 0;
  if (refusedBy === null) {
    await counters.clear(trafficKeys(scope, now()));
    emit({ type: 'conversion-blocked', scope: scope.name, blockedSeconds });
  }
  return { ...judged, blockedSeconds };
}

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
function createTrafficNetworks(networkOf: FindTrafficNetwork | undefined): TrafficNetworks {
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
