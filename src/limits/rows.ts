import type { Counter } from '../stores/store';
import { browserIdOf, OTHER_BROWSERS, type Side, sideOf } from './buckets';
import { createCounter } from './charge';
import {
  type About,
  type Act,
  type Clearing,
  type LimitRule,
  type LimitSettings,
  listLimits,
} from './table';

/**
 * Prepares the table of limits, once for an app.
 * @param methods The factors whose codes can be guessed. Each has its own lock.
 */
export function createLimitTable(settings: LimitSettings, methods: readonly string[]): LimitTable {
  const rules = listLimits(settings).map(compile);
  const sides = { known: prepareSide(rules, 'known'), others: prepareSide(rules, 'others') };
  const rowsOf = (act: Act, about: About): readonly LimitRow[] =>
    toRows(sides[sideOf(about.bucket)].acts[act], act, about);
  const keysFor = (isMeant: (rule: LimitRule) => boolean, reach: Partial<Reach>) =>
    keysOf(rules.filter(isMeant), { ...EVERYWHERE, methods, ...reach });
  const withOthers = (browserIds: readonly string[]) => [OTHER_BROWSERS, ...browserIds];

  return {
    methods,
    rowsOf,
    guardsOf: (about) => toRows(sides[sideOf(about.bucket)].guards, 'guess', about),
    refundsOf: (act, budgets, about) =>
      rowsOf(act, about)
        .filter(({ budget }) => budgets.some((one) => one === budget))
        .map(({ counter }) => createCounter(counter.key, counter.windowSeconds, { amount: -1 })),
    keysNamed: (name, user, reach) => keysFor((rule) => rule.name === name, { user, ...reach }),
    keysClearedBySuccess(about) {
      const { user, ownAddresses } = about;
      const side = sideOf(about.bucket);
      const { everywhere, here } = sides[side].success;
      const own = { user, buckets: [about.bucket], sides: [side], methods, ownAddresses };
      return [...keysOf(everywhere, { ...EVERYWHERE, methods, user }), ...keysOf(here, own)];
    },
    keysClearedBy: (clearing, user, browserIds = []) =>
      keysFor(isClearedBy(clearing), { user, buckets: withOthers(browserIds) }),
    keysOfUser: (user, browserIds) => keysFor(isOfUser, { user, buckets: withOthers(browserIds) }),
    keysOfBrowsers: (user, browserIds) => keysFor(isOfBrowser, { user, buckets: browserIds }),
  };
}

/** Reads the table of limits. No other file makes the keys of these counters. */
export interface LimitTable {
  readonly methods: readonly string[];
  /** Returns every counter of an action, for one store call. */
  readonly rowsOf: (act: Act, about: About) => readonly LimitRow[];
  /**
   * Returns counters that refuse as long as codes of a factor are refused in this browser. Nothing
   * is counted in them. A known browser has no guard of one factor: its `method` is undefined.
   */
  readonly guardsOf: (
    about: Required<Pick<About, 'user' | 'bucket' | 'method'>>,
  ) => readonly LimitRow[];
  /** Returns the refunds of an action for some budgets, when its charge is no longer at hand. */
  readonly refundsOf: (
    act: Act,
    budgets: readonly NonNullable<LimitRule['budget']>[],
    about: Pick<About, 'user' | 'bucket'>,
  ) => readonly Counter[];
  /** Returns the keys of one row on both sides. */
  readonly keysNamed: (name: string, user: string, reach?: Pick<Reach, 'methods'>) => Keys;
  /** Returns the keys that a right code in a browser clears. */
  readonly keysClearedBySuccess: (about: Pick<About, 'user' | 'bucket' | 'ownAddresses'>) => Keys;
  /**
   * Returns the keys that an operator's action clears, including those of the given known browsers.
   */
  readonly keysClearedBy: (
    clearing: Exclude<Clearing, 'success' | 'success-here'>,
    user: string,
    browserIds?: readonly string[],
  ) => Keys;
  /** Returns the keys of all counters of a user, including those of the given known browsers. */
  readonly keysOfUser: (user: string, browserIds: readonly string[]) => Keys;
  /** Returns the keys of counters that belong to some known browsers alone. */
  readonly keysOfBrowsers: (user: string, browserIds: readonly string[]) => Keys;
}

type Keys = readonly string[];

export interface LimitRow extends Pick<
  LimitRule,
  'name' | 'limit' | 'budget' | 'option' | 'countsDifferent'
> {
  readonly counter: Counter;
  /** Whether each factor has its own count. */
  readonly isPerMethod: boolean;
}

/** A rule whose key has been split at its braces. */
interface Compiled extends LimitRule {
  /** Texts, and the indexes of words: `{user}` becomes 0. */
  readonly parts: readonly (string | number)[];
  readonly blocks: 'addresses' | 'ownAddresses' | null;
  readonly isPerSide: boolean;
  readonly isPerBrowser: boolean;
  readonly isPerMethod: boolean;
}

/** The words that keys may have in braces. `readWords` fills them in, in this order. */
const WORDS = [
  ...['user', 'side', 'browser', 'method', 'number', 'prefix', 'pair', 'kind', 'family'],
  'login',
];

function compile(rule: LimitRule): Compiled {
  const parts = rule.key.split(/[{}]/);
  const own = rule.key.includes('{ownBlock}') ? 'ownAddresses' : null;

  // Keep the same fields in the same order: V8 reads objects of one shape faster.
  return {
    name: rule.name,
    limit: rule.limit,
    key: rule.key,
    acts: rule.acts,
    budget: rule.budget,
    windowSeconds: rule.windowSeconds,
    max: rule.max,
    lock: rule.lock,
    isOnlyRead: rule.isOnlyRead,
    side: rule.side,
    when: rule.when,
    exemptBy: rule.exemptBy,
    countsDifferent: rule.countsDifferent,
    option: rule.option,
    clearedBy: rule.clearedBy,
    parts: parts.map((part, index) => (index % 2 === 0 ? part : WORDS.indexOf(part))),
    blocks: rule.key.includes('{block}') ? 'addresses' : own,
    isPerSide: rule.key.includes('{side}'),
    isPerBrowser: rule.key.includes('{browser}'),
    isPerMethod: rule.key.includes('{method}'),
  };
}

/** Prepares the rows that each login needs on one side. */
function prepareSide(rules: readonly Compiled[], side: Side) {
  const onSide = rules.filter((rule) => (rule.side ?? side) === side);
  const of = (act: Act): readonly Compiled[] => onSide.filter(({ acts }) => acts.includes(act));
  const guess = of('guess');

  return {
    acts: {
      guess,
      recovery: of('recovery'),
      answer: of('answer'),
      options: of('options'),
      send: of('send'),
      lookup: of('lookup'),
      wait: of('wait'),
      enroll: of('enroll'),
    },
    guards: guess.map(toGuard),
    success: {
      everywhere: onSide.filter(isClearedBy('success')),
      here: onSide.filter(isClearedBy('success-here')),
    },
  };
}

function toGuard(rule: Compiled): Compiled {
  return { ...rule, isOnlyRead: true, budget: null };
}

/** Returns the values of `WORDS`. */
function readWords(act: Act, about: About): Words {
  const { user, bucket, method, number, prefix, pair, login } = about;
  // Enrollments are counted apart from all else.
  const kind = about.purpose === 'enroll' ? 'enroll' : 'login';
  const family = act === 'lookup' ? 'lookups' : 'sends';
  const browser = browserIdOf(bucket);
  return [user, sideOf(bucket), browser, method, number, prefix, pair, kind, family, login];
}

type Words = readonly (string | undefined)[];

/** @param block Stands for every word that has no value: one action has several blocks. */
function fill(rule: Compiled, words: Words, block: string): string {
  let key = '';
  for (const part of rule.parts) key += typeof part === 'string' ? part : (words[part] ?? block);
  return key;
}

function toRows(rules: readonly Compiled[], act: Act, about: About): readonly LimitRow[] {
  const words = readWords(act, about);
  const rows: LimitRow[] = [];

  for (const rule of rules) {
    if (rule.when?.(about) === false) continue;

    if (rule.blocks === null) rows.push(toRow(rule, fill(rule, words, ''), about, 1));
    else
      for (const { block, factor } of about[rule.blocks] ?? [])
        rows.push(toRow(rule, fill(rule, words, block), about, factor));
  }

  return rows;
}

/** @param factor The factor by which the limit is multiplied for a wide block of addresses. */
function toRow(rule: Compiled, key: string, about: About, factor: number): LimitRow {
  const { name, limit, budget, option, countsDifferent, isPerMethod } = rule;
  const max = typeof rule.max === 'function' ? rule.max(about) : rule.max;
  const lock = typeof rule.lock === 'function' ? rule.lock(about) : rule.lock;

  const counter = createCounter(key, rule.windowSeconds, {
    max: max === undefined ? undefined : max * factor,
    isOnlyRead: rule.isOnlyRead,
    exemptBy: rule.exemptBy?.(about),
    lock,
  });

  return { name, limit, budget, option, countsDifferent, counter, isPerMethod };
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
  (rule: LimitRule): boolean =>
    rule.clearedBy?.includes(clearing) === true;

/**
 * Returns whether a key belongs to the user. Nothing is counted in a row that is only read, so its
 * key is not the user's to clear.
 */
const isOfUser = (rule: LimitRule): boolean =>
  rule.key.includes('{user}') && rule.isOnlyRead !== true;

const isOfBrowser = (rule: LimitRule): boolean => rule.key.includes('{browser}');

/** Returns the keys of some rows, with every value that their words can have within a reach. */
function keysOf(rules: readonly Compiled[], reach: Reach): readonly string[] {
  const keys: string[] = [];
  for (const rule of rules) addKeys(keys, rule, reach);
  return keys;
}

/** Adds each key once, whatever the values of words that the key does not contain. */
function addKeys(keys: string[], rule: Compiled, reach: Reach): void {
  const { side } = rule;
  const isCounted = (bucket: string): boolean => side === undefined || side === sideOf(bucket);
  const buckets = reach.buckets.filter(isCounted).slice(0, rule.isPerBrowser ? undefined : 1);
  const sides = rule.isPerSide ? reach.sides : reach.sides.slice(0, 1);
  const methods = rule.isPerMethod ? reach.methods : [''];
  const own = rule.blocks === null ? [''] : (reach.ownAddresses ?? []).map(({ block }) => block);

  for (const bucket of buckets)
    for (const one of sides)
      for (const method of methods)
        for (const block of own)
          keys.push(fill(rule, [reach.user, one, browserIdOf(bucket), method], block));
}
