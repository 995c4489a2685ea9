import type { Counter } from '../stores/store';
import { browserIdOf, OTHER_BROWSERS, type Side, sideOf } from './buckets';
import { createCounter, readOnly } from './charge';
import {
  type About,
  type Act,
  type Clearing,
  type LimitRule,
  type LimitSettings,
  listLimits,
} from './table';

/**
 * Makes the readers of the table of limits, once for an app.
 * @param methods The factors whose codes can be guessed: each has a lock of its own.
 */
export function createLimitTable(settings: LimitSettings, methods: readonly string[]): LimitTable {
  const rules = listLimits(settings).map(compile);
  const rulesOf = { known: groupByAct(rules, 'known'), others: groupByAct(rules, 'others') };

  function rowsOf(act: Act, about: About): readonly LimitRow[] {
    const words = readWords(act, about);
    const rows: LimitRow[] = [];
    for (const compiled of rulesOf[sideOf(about.bucket)][act]) {
      if (compiled.rule.when?.(about) !== false) addRows(rows, compiled, about, words);
    }
    return rows;
  }

  const keysFor = (isMeant: (rule: LimitRule) => boolean, reach: Partial<Reach>) =>
    keysOf(rules, isMeant, { ...EVERYWHERE, methods, ...reach });

  return {
    methods,
    rowsOf,
    guardsOf: (about) => rowsOf('guess', { ...about, method: 'sms' }).map(toGuard),
    refundsOf: (act, budgets, about) =>
      rowsOf(act, about)
        .filter(({ budget }) => budget !== null && budgets.includes(budget))
        .map(({ counter: { key, windowSeconds } }) =>
          createCounter(key, windowSeconds, { amount: -1 }),
        ),
    keysNamed: (name, user, reach) => keysFor((rule) => rule.name === name, { user, ...reach }),
    keysClearedBySuccess: ({ user, bucket, ownAddresses }) => {
      const here = { user, buckets: [bucket], sides: [sideOf(bucket)], ownAddresses };
      return [
        ...keysFor(isClearedBy('success'), { user }),
        ...keysFor(isClearedBy('success-here'), here),
      ];
    },
    keysClearedBy: (clearing, user, browserIds = []) =>
      keysFor(isClearedBy(clearing), { user, buckets: [OTHER_BROWSERS, ...browserIds] }),
    keysOfUser: (user, browserIds) =>
      keysFor(isOfUser, { user, buckets: [OTHER_BROWSERS, ...browserIds] }),
    keysOfBrowsers: (user, browserIds) => keysFor(isOfBrowser, { user, buckets: browserIds }),
  };
}

/** Reads the table of limits. No other file makes the key of a counter that a limit has. */
export interface LimitTable {
  readonly methods: readonly string[];
  /** Returns every counter of an action, so that one call counts them all. */
  readonly rowsOf: (act: Act, about: About) => readonly LimitRow[];
  /**
   * Returns counters that refuse as long as texted codes of this browser are refused. Nothing is
   * counted in them.
   */
  readonly guardsOf: (about: Pick<About, 'user' | 'bucket'>) => readonly LimitRow[];
  /** Returns what refunds an action to some budgets after its charge is out of reach. */
  readonly refundsOf: (
    act: Act,
    budgets: readonly NonNullable<LimitRule['budget']>[],
    about: Pick<About, 'user' | 'bucket'>,
  ) => readonly Counter[];
  /** Returns the keys of one row, on both sides. */
  readonly keysNamed: (name: string, user: string, reach?: Pick<Reach, 'methods'>) => Keys;
  /** Returns the keys that a right code in one browser clears. */
  readonly keysClearedBySuccess: (about: Pick<About, 'user' | 'bucket' | 'ownAddresses'>) => Keys;
  /** Returns the keys that an action of an operator clears, also of the given known browsers. */
  readonly keysClearedBy: (
    clearing: Exclude<Clearing, 'success' | 'success-here'>,
    user: string,
    browserIds?: readonly string[],
  ) => Keys;
  /** Returns the keys of all counters that are named by a user, and by the given known browsers. */
  readonly keysOfUser: (user: string, browserIds: readonly string[]) => Keys;
  /** Returns the keys of what is counted of some known browsers alone. */
  readonly keysOfBrowsers: (user: string, browserIds: readonly string[]) => Keys;
}

type Keys = readonly string[];

/** A row of the table with the counter of one action. */
export interface LimitRow extends Pick<
  LimitRule,
  'name' | 'limit' | 'budget' | 'option' | 'countsDifferent'
> {
  readonly counter: Counter;
  /** Whether the factors have a count each. */
  readonly isPerMethod: boolean;
}

/** A rule whose key is split at its braces: even parts are literal, odd ones are words. */
interface Compiled {
  readonly rule: LimitRule;
  readonly parts: readonly string[];
  readonly blocks: 'addresses' | 'ownAddresses' | null;
}

function compile(rule: LimitRule): Compiled {
  const parts = rule.key.split(/[{}]/);
  const own = parts.includes('ownBlock') ? 'ownAddresses' : null;
  return { rule, parts, blocks: parts.includes('block') ? 'addresses' : own };
}

function groupByAct(
  rules: readonly Compiled[],
  side: Side,
): Readonly<Record<Act, readonly Compiled[]>> {
  const onSide = rules.filter(({ rule }) => (rule.side ?? side) === side);
  const of = (act: Act): readonly Compiled[] =>
    onSide.filter(({ rule }) => rule.acts.includes(act));
  return {
    guess: of('guess'),
    recovery: of('recovery'),
    answer: of('answer'),
    send: of('send'),
    lookup: of('lookup'),
    wait: of('wait'),
    enroll: of('enroll'),
  };
}

/** The words of keys: what stands in their braces. */
type Words = Readonly<Record<string, string | undefined>>;

function readWords(act: Act, about: About): Words {
  const { user, bucket, method, number, prefix, pair, purpose } = about;
  return {
    user,
    side: sideOf(bucket),
    browser: browserIdOf(bucket),
    method,
    number,
    prefix,
    pair,
    // Enrollments are counted apart from all else.
    kind: purpose === 'enroll' ? 'enroll' : 'login',
    family: act === 'lookup' ? 'lookups' : 'sends',
  };
}

function fill(parts: readonly string[], words: Words, block = ''): string {
  let key = '';
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? '';
    // Only `block` and `ownBlock` are no words: there are several in one action.
    key += index % 2 === 0 ? part : (words[part] ?? block);
  }
  return key;
}

function addRows(rows: LimitRow[], { rule, parts, blocks }: Compiled, about: About, words: Words) {
  if (blocks === null) {
    rows.push(toRow(rule, fill(parts, words), about, 1));
    return;
  }

  for (const { block, factor } of about[blocks] ?? []) {
    rows.push(toRow(rule, fill(parts, words, block), about, factor));
  }
}

/** @param factor How many times the limit a wide block of addresses may use. */
function toRow(rule: LimitRule, key: string, about: About, factor: number): LimitRow {
  const { name, limit, budget, option, countsDifferent, isOnlyRead } = rule;
  const max = typeof rule.max === 'function' ? rule.max(about) : rule.max;
  const lock = typeof rule.lock === 'function' ? rule.lock(about) : rule.lock;
  const counter = createCounter(key, rule.windowSeconds, {
    max: max === undefined ? undefined : max * factor,
    isOnlyRead,
    exemptBy: rule.exemptBy?.(about),
    lock,
  });
  const isPerMethod = rule.key.includes('{method}');
  return { name, limit, budget, option, countsDifferent, counter, isPerMethod };
}

function toGuard(row: LimitRow): LimitRow {
  return { ...row, budget: null, counter: readOnly(row.counter) };
}

/** Selects counters of one user. */
interface Reach {
  readonly user: string;
  readonly buckets: readonly string[];
  readonly sides: readonly Side[];
  readonly methods: readonly string[];
  readonly ownAddresses: About['ownAddresses'];
}

const EVERYWHERE = {
  user: '',
  buckets: [OTHER_BROWSERS],
  sides: ['others', 'known'],
  ownAddresses: undefined,
} as const;

const isClearedBy =
  (clearing: Clearing) =>
  ({ clearedBy }: LimitRule): boolean =>
    clearedBy.includes(clearing);

/** Nothing is counted in a row that is only read: its key is not the user's to clear. */
const isOfUser = ({ key, isOnlyRead }: LimitRule): boolean =>
  key.includes('{user}') && isOnlyRead !== true;

const isOfBrowser = ({ key }: LimitRule): boolean => key.includes('{browser}');

/** Returns the keys of some rows with every word that they can have within a reach. */
function keysOf(
  rules: readonly Compiled[],
  isMeant: (rule: LimitRule) => boolean,
  reach: Reach,
): readonly string[] {
  const meant = rules.filter(({ rule }) => isMeant(rule));
  return [...new Set(meant.flatMap((compiled) => keysWithin(compiled, reach)))];
}

function keysWithin({ rule, parts, blocks }: Compiled, reach: Reach): readonly string[] {
  const { user, sides } = reach;
  const buckets = reach.buckets.filter(
    (bucket) => (rule.side ?? sideOf(bucket)) === sideOf(bucket),
  );
  const methods = parts.includes('method') ? reach.methods : [''];
  const own = blocks === null ? [''] : (reach.ownAddresses ?? []).map(({ block }) => block);
  const keys: string[] = [];
  for (const bucket of buckets) {
    for (const side of sides) {
      for (const method of methods) {
        const words = { user, side, browser: browserIdOf(bucket), method };
        for (const block of own) keys.push(fill(parts, words, block));
      }
    }
  }
  return keys;
}
