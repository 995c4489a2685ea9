import { z } from 'zod';
import { callback, parseOptions, policyMode, strictOptions } from '../../define-options';
import { StoreError } from '../../errors';
import type { Policy, PolicyContext, PolicyServices } from '../../limits/policy';
import { type FindNetwork, findNetwork } from '../network';
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

const RATE = 'must be a number from 0.01 to 0.9';

const schema = strictOptions({
  /** A scope is blocked when the share of messages whose code is entered falls below this: 0.01 to 0.9. Default: 0.2. */
  minRate: z.number(RATE).min(0.01, RATE).max(0.9, RATE).default(0.2),
  /** Default: `report`. */
  mode: policyMode('report'),
  /**
   * Returns the network of a number, for example `networkOf` of `numberLookups`. A throw counts as unknown. Needs a store
   * that keeps notes. Default: networks are not counted.
   */
  networkOf: callback<FindNetwork>().optional(),
});

/** Options of `conversionBreaker`. Unknown fields are errors. */
export type ConversionBreakerOptions = z.input<typeof schema>;

interface CountedScope extends ScopeTraffic {
  readonly scope: TrafficScope;
}

/**
 * Blocks a prefix, a country or a network when the codes sent there are not entered: for 15 minutes, then for 1, 4 and 12
 * hours. Each block ends by itself, and the counting begins anew after it. Only numbers that are not proven for the user by a
 * texted code are counted and blocked, over the last half day, as soon as their codes have been entered or have expired.
 * A block needs proof: the upper end of the 95 % Wilson interval must lie below `minRate`. A country or a network also needs
 * 50 messages, so that an attack on a few prefixes blocks only these.
 *
 * Makes one round trip to the store before a send and one after it.
 * @throws {TypeError} that names the option.
 */
export function conversionBreaker(options: ConversionBreakerOptions = {}): Policy<unknown> {
  const { minRate, mode, networkOf } = parseOptions('conversionBreaker', schema, options);

  async function countScopes(context: PolicyContext<unknown>): Promise<readonly CountedScope[]> {
    const scopes = await findScopes(context, await findNetworkCode(networkOf, context));
    const asked = scopes.flatMap((scope) => trafficCounters(scope, context.now(), context.provenKeys));
    const { counts } = await context.counters.charge(asked);
    if (counts.length !== asked.length) throw new StoreError('charge: unexpected number of counts');
    return scopes.map((scope, index) => {
      const first = index * COUNTERS_PER_SCOPE;
      return { scope, ...readTraffic(counts.slice(first, first + COUNTERS_PER_SCOPE)) };
    });
  }

  function isLow({ scope, answered, matured }: CountedScope): boolean {
    return matured >= scope.minMessages && upperWilsonBound(answered, matured) < minRate;
  }

  return {
    name: 'conversion-breaker',
    stage: 'send',
    mode,
    check: async (context) => {
      const counted = await countScopes(context);
      const running = counted.filter(({ blockedSeconds }) => blockedSeconds > 0);
      const low = running.length > 0 ? [] : counted.filter(isLow);
      const blocked = [...running, ...(await Promise.all(low.map((found) => beginBlock(context, found))))];
      if (blocked.length === 0) return 'allow';
      return {
        deny: 'send-limit',
        retryAfterSeconds: Math.max(...blocked.map(({ blockedSeconds }) => blockedSeconds)),
        reasons: blocked.map(({ scope }) => `low conversion of ${scope.name}`),
      };
    },
    // Counted once the gateway has accepted the message: a failing gateway must not look like codes that no one enters.
    settle: async (context, { kind }) => {
      if (kind !== 'sent') return;
      const network = await findNetworkCode(networkOf, context);
      const scopes = await findScopes(context, network);
      const sent = scopes.flatMap((scope) => sentCounters(scope, context.now()));
      const counted = sent.map((counter) => ({ ...counter, exemptBy: context.provenKeys }));
      await Promise.all([context.counters.charge(counted), keepNetworkCode(context, network)]);
    },
    verified: async (context) => {
      if (!context.isNewNumber) return;
      const { sentAt, sends, counters } = context;
      const network = networkOf === undefined ? null : await recallNetworkCode(context);
      const scopes = await findScopes(context, network);
      await counters.charge(scopes.flatMap((scope) => answeredCounters(scope, sentAt, sends)));
    },
  };
}

/** Begins a block. When several processes detect the same scope, one begins the block and the others find it running. */
async function beginBlock(
  { counters, now, emit }: PolicyContext<unknown>,
  counted: CountedScope,
): Promise<CountedScope> {
  const { scope } = counted;
  const { refusedBy, counts } = await counters.charge([blockCounter(scope)]);
  const blockedSeconds = counts[0]?.lockedSeconds ?? 0;
  if (refusedBy === null) {
    await counters.clear(trafficKeys(scope, now()));
    emit({ type: 'conversion-blocked', scope: scope.name, blockedSeconds });
  }
  return { ...counted, blockedSeconds };
}

/** How long the network of a message is kept. A pending login lives 900 s at most. */
const NETWORK_SECONDS = 1_200;

type NetworkNote = Pick<PolicyServices, 'notes'> & Pick<PolicyContext, 'numberKey'>;

/** Returns the network as `mcc-mnc`; null when none is known, or when the store keeps no notes. */
async function findNetworkCode(
  networkOf: FindNetwork | undefined,
  context: PolicyContext<unknown>,
): Promise<string | null> {
  if (context.notes === undefined) return null;
  const network = await findNetwork(networkOf, context);
  return network && readNetworkCode(`${network.mcc}-${network.mnc}`);
}

/** Stores the network of a message, so that its right code is counted in the same place, whichever process receives it. */
async function keepNetworkCode({ notes, numberKey }: NetworkNote, network: string | null): Promise<void> {
  if (network !== null) await notes?.write(toNoteKey(numberKey), network, NETWORK_SECONDS);
}

async function recallNetworkCode({ notes, numberKey }: NetworkNote): Promise<string | null> {
  try {
    return readNetworkCode((await notes?.read(toNoteKey(numberKey))) ?? null);
  } catch {
    // Prefix and country are counted even if the network is unknown.
    return null;
  }
}

/** The code becomes part of keys and events, so anything else is dropped. */
function readNetworkCode(code: unknown): string | null {
  return typeof code === 'string' && /^\d{3}-\d{2,3}$/.test(code) ? code : null;
}

function toNoteKey(numberKey: string): string {
  return `conversion:network:${numberKey}`;
}
