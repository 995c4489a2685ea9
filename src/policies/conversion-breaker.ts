import { z } from 'zod';
import { callback, parseOptions, policyMode, strictOptions } from '../define-options';
import { chargeRows, type Counted } from '../limits/charge';
import { originOf } from '../limits/number-country';
import type { Policy, PolicyContext, VerifiedContext } from '../limits/policy';
import type { Counter } from '../stores/store';
import { type FindNetwork, findNetwork } from './network';

const RATE = 'must be a number from 0.01 to 0.9';

const schema = strictOptions({
  /**
   * A scope is blocked if the share of messages whose code is entered falls below this: 0.01 to
   * 0.9. Default: 0.2.
   */
  minRate: z.number(RATE).min(0.01, RATE).max(0.9, RATE).default(0.2),
  /** `enforce` or `report`. Default: `report`. */
  mode: policyMode('report'),
  /**
   * Returns the network of a number, for example `networkOf` of `numberLookups`. If it throws, the
   * network is unknown. Default: networks are not counted.
   */
  networkOf: callback<FindNetwork>().optional(),
});

/** Options of `conversionBreaker`. Unknown fields are errors. */
export type ConversionBreakerOptions = z.input<typeof schema>;

/**
 * Blocks a prefix, a country or a network if codes sent there are not entered: for 15 minutes, then
 * for 1, 4 and 12 hours. Each block ends by itself, and the count then starts again. Only numbers
 * that the user has not proven by entering a code are counted and blocked. Messages of the last
 * half day count once their codes have been entered or have expired. A block needs proof: the upper
 * end of the 95 % Wilson interval must be below `minRate`. A country or a network also needs 50
 * messages, so that an attack on a few prefixes blocks only these.
 *
 * Makes one round trip to the store before a send and one after it.
 * @throws {TypeError} that names the option.
 */
export function conversionBreaker(options: ConversionBreakerOptions = {}): Policy<unknown> {
  const { minRate, mode, networkOf } = parseOptions('conversionBreaker', schema, options);

  /** Returns the network as `mcc-mnc`. Null if it is not known. */
  async function findNetworkCode(context: PolicyContext<unknown>): Promise<string | null> {
    const network = await findNetwork(networkOf, context);
    return network && readNetworkCode(`${network.mcc}-${network.mnc}`);
  }

  async function countScopes(context: PolicyContext<unknown>): Promise<readonly CountedScope[]> {
    const scopes = await findScopes(context, await findNetworkCode(context));
    const asked = scopes.flatMap((scope) => trafficRows(scope, context.now(), context.provenKeys));
    const { rows } = await chargeRows(context.counters, asked);
    return scopes.map((scope) => readTraffic(scope, rows));
  }

  return {
    name: 'conversion-breaker',
    stage: 'send',
    mode,
    needsLookup: networkOf !== undefined,
    check: async (context) => {
      const counted = await countScopes(context);
      const running = counted.filter((found) => found.blockedSeconds > 0);
      const isLow = (found: CountedScope): boolean =>
        found.matured >= found.scope.minMessages &&
        upperWilsonBound(found.answered, found.matured) < minRate;
      const low = running.length > 0 ? [] : counted.filter(isLow);

      const blocked = [
        ...running,
        ...(await Promise.all(low.map((found) => beginBlock(context, found)))),
      ];

      if (blocked.length === 0) return 'allow';
      return {
        deny: 'send-limit',
        retryAfterSeconds: Math.max(...blocked.map(({ blockedSeconds }) => blockedSeconds)),
        reasons: blocked.map(({ scope }) => `low conversion of ${scope.name}`),
      };
    },
    // Count a message only after the gateway has accepted it: a failing gateway must not look like
    // codes that are not entered.
    settle: async (context, settlement) => {
      if (settlement.kind !== 'sent') return;

      const network = await findNetworkCode(context);
      const scopes = await findScopes(context, network);
      const sent = scopes.flatMap((scope) => sentCounters(scope, context.now()));

      await Promise.all([
        context.counters.charge(
          sent.map((counter) => ({ ...counter, exemptBy: context.provenKeys })),
        ),
        // Remember the network: another process may receive the right code and must count it in the
        // same place.
        network !== null &&
          context.notes.write(toNoteKey(context.numberKey), network, NETWORK_SECONDS),
      ]);
    },
    verified: async (context) => {
      if (!context.isNewNumber) return;

      const network = networkOf === undefined ? null : await recallNetworkCode(context);
      const scopes = await findScopes(context, network);
      const { sentAt, sends, counters } = context;
      await counters.charge(scopes.flatMap((scope) => answeredCounters(scope, sentAt, sends)));
    },
  };
}

/**
 * Begins a block. If several processes detect the same scope, one begins the block and the others
 * find it there.
 */
async function beginBlock(
  context: PolicyContext<unknown>,
  counted: CountedScope,
): Promise<CountedScope> {
  const { scope } = counted;
  const { refusedBy, rows } = await chargeRows(context.counters, [blockRow(scope)]);
  const blockedSeconds = Math.max(...rows.map((row) => row.count.lockedSeconds));

  if (refusedBy === null) {
    const periods = periodRows(scope, context.now());
    await context.counters.clear(periods.map((row) => row.counter.key));
    context.emit({ type: 'conversion-blocked', scope: scope.name, blockedSeconds });
  }

  return { ...counted, blockedSeconds };
}

/** How long the network of a message is remembered. A pending login lasts 900 s at most. */
const NETWORK_SECONDS = 1_200;

async function recallNetworkCode(context: VerifiedContext): Promise<string | null> {
  try {
    return readNetworkCode(await context.notes.read(toNoteKey(context.numberKey)));
  } catch {
    // Without a network, prefix and country are still counted.
    return null;
  }
}

/** Returns the code if it is well-formed, otherwise null: it becomes part of keys and events. */
function readNetworkCode(code: unknown): string | null {
  return typeof code === 'string' && /^\d{3}-\d{2,3}$/.test(code) ? code : null;
}

function toNoteKey(numberKey: string): string {
  return `conversion:network:${numberKey}`;
}

/** Messages whose conversion is counted together. */
interface TrafficScope {
  /** The name in events: `prefix`, `country FR`, `network 208-01`. */
  readonly name: string;
  /** A part of store keys. */
  readonly key: string;
  /** The number of messages that a block needs at least. */
  readonly minMessages: number;
}

/**
 * The same for scopes of many prefixes, so that an attack on a few prefixes does not block their
 * country or network.
 */
const MIN_MESSAGES_OF_MANY_PREFIXES = 50;

/**
 * Returns the prefix of a number, and its country and network if they are known.
 * @param network `mcc-mnc`.
 */
async function findScopes(
  number: Pick<PolicyContext, 'mobile' | 'origin' | 'prefixKey'>,
  network: string | null,
) {
  const { country } = await originOf(number);

  return [
    { name: 'prefix', key: `prefix:${number.prefixKey}`, minMessages: 1 },
    ...Object.entries({ country, network }).flatMap(([kind, code]): TrafficScope[] => {
      if (code === null) return [];
      return [
        {
          name: `${kind} ${code}`,
          key: `${kind}:${code}`,
          minMessages: MIN_MESSAGES_OF_MANY_PREFIXES,
        },
      ];
    }),
  ];
}

/**
 * The length of a bucket in which messages and right codes are counted. All buckets together are
 * half a day.
 */
const BUCKET_SECONDS = 7_200;
const BUCKETS = 6;

/**
 * The longest `codeValiditySeconds`. Codes sent in the newest slots may still be valid, so they are
 * not counted as unanswered yet.
 */
const LONGEST_VALIDITY_SECONDS = 600;
const SLOT_SECONDS = 150;
const SLOTS = LONGEST_VALIDITY_SECONDS / SLOT_SECONDS + 1;

/** The length of the first, second, … block. A week after the first block the list starts again. */
const BLOCK_SECONDS = [900, 3_600, 14_400, 43_200];
const BLOCK_MEMORY_SECONDS = 604_800;

/** The totals of a scope's counters. */
interface CountedScope {
  readonly scope: TrafficScope;
  /** The remaining time of a block. 0: not blocked. */
  readonly blockedSeconds: number;
  /** Messages whose code was entered or has expired. */
  readonly matured: number;
  readonly answered: number;
}

/** A counter of a scope, and what it counts there. */
interface TrafficRow {
  readonly scope: TrafficScope;
  readonly kind: 'block' | Kind;
  readonly counter: Counter;
}

/** Returns the row that begins the next block when it is charged, unless a block is active. */
function blockRow(scope: TrafficScope): TrafficRow {
  const counter = {
    key: `conversion:block:${scope.key}`,
    windowSeconds: BLOCK_MEMORY_SECONDS,
    lock: { every: 1, seconds: BLOCK_SECONDS },
  };
  return { scope, kind: 'block', counter };
}

/**
 * Returns the rows to read for a scope. `readTraffic` evaluates their counts.
 * @param exemptBy See `Counter`.
 */
function trafficRows(
  scope: TrafficScope,
  nowMs: number,
  exemptBy: readonly string[],
): readonly TrafficRow[] {
  return [blockRow(scope), ...periodRows(scope, nowMs)].map((row) => {
    return { ...row, counter: { ...row.counter, isOnlyRead: true, exemptBy } };
  });
}

/** Returns the totals of a scope from the rows of all scopes. */
function readTraffic(scope: TrafficScope, rows: readonly Counted<TrafficRow>[]): CountedScope {
  const countsOf = (kind: TrafficRow['kind']) =>
    rows.filter(({ row }) => row.scope === scope && row.kind === kind).map((found) => found.count);
  const sum = (kind: Kind): number =>
    countsOf(kind).reduce((total, counted) => total + counted.count, 0);
  const answered = sum('answered');
  const blockedSeconds = Math.max(...countsOf('block').map((counted) => counted.lockedSeconds));
  return { scope, blockedSeconds, matured: sum('unanswered') + answered - sum('fresh'), answered };
}

/** Returns the counters for one message. */
function sentCounters(scope: TrafficScope, sentAt: number): readonly Counter[] {
  return [toCounter('unanswered', scope, sentAt), toCounter('fresh', scope, sentAt)];
}

/**
 * Returns the counters that a right code changes: all messages of its pending login become one
 * answered message, in the bucket of the last one.
 * @param sends The number of those messages.
 */
function answeredCounters(scope: TrafficScope, sentAt: number, sends: number): readonly Counter[] {
  const takenBack = sentCounters(scope, sentAt).map((counter) => ({ ...counter, amount: -sends }));
  return [...takenBack, toCounter('answered', scope, sentAt)];
}

/** Returns all rows of a scope except its block. */
function periodRows(scope: TrafficScope, nowMs: number): readonly TrafficRow[] {
  const listKind = (kind: Kind): readonly TrafficRow[] =>
    Array.from({ length: PERIODS[kind].count }, (_, age) => {
      return { scope, kind, counter: toCounter(kind, scope, nowMs, age) };
    });
  return [...listKind('unanswered'), ...listKind('answered'), ...listKind('fresh')];
}

/**
 * The periods in which messages are counted: without and with a right code, and the newest without
 * one.
 */
const PERIODS = {
  unanswered: { seconds: BUCKET_SECONDS, count: BUCKETS },
  answered: { seconds: BUCKET_SECONDS, count: BUCKETS },
  fresh: { seconds: SLOT_SECONDS, count: SLOTS },
};

type Kind = keyof typeof PERIODS;

/** Returns the counter of a period: the one that contains a moment, or an earlier one. */
function toCounter(kind: Kind, scope: TrafficScope, timeMs: number, age = 0): Counter {
  const { seconds, count } = PERIODS[kind];
  const period = Math.floor(timeMs / 1000 / seconds) - age;
  return { key: `conversion:${kind}:${scope.key}:${period}`, windowSeconds: count * seconds };
}

/** The standard deviations on either side that cover 95 % of a normal distribution. */
const DEVIATIONS = 1.96;

/**
 * Returns the upper end of the 95 % Wilson interval: the highest true rate that is still plausible.
 * 1 without any trials.
 * @param successes Successes out of `trials`.
 */
export function upperWilsonBound(successes: number, trials: number): number {
  if (trials <= 0) return 1;
  const square = DEVIATIONS ** 2;
  const rate = Math.min(1, successes / trials);
  const middle = rate + square / (2 * trials);
  const spread = DEVIATIONS * Math.sqrt((rate * (1 - rate)) / trials + square / (4 * trials ** 2));
  return Math.min(1, (middle + spread) / (1 + square / trials));
}
