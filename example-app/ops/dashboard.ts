import { MINUTES_OPEN, type Figure, type Series } from './figures';
import { fromLatencyClass, isFailure, OTHERS } from './record-events';

/** The time ranges of the page, and the minutes per point of a chart. */
export const RANGES = {
  '15m': { minutes: 15, step: 1, label: '15 min' },
  '1h': { minutes: 60, step: 1, label: '1 h' },
  '6h': { minutes: 360, step: 5, label: '6 h' },
  '24h': { minutes: 1_440, step: 15, label: '24 h' },
} as const;
export type Range = keyof typeof RANGES;

/**
 * The values from which a figure turns amber (`watch`) or red (`alarm`). Adapt them to your
 * traffic.
 */
const THRESHOLDS = {
  /**
   * The share of calls without an answer: amber over the window, red in the last minute with calls.
   */
  gateway: { windowMinutes: 5, watchShare: 0.05, alarmShare: 0.5, idleMinutes: 15 },
  /**
   * The number of wrong codes, which counts only if they are also that share of all codes that were
   * entered.
   */
  guessing: {
    windowMinutes: 15,
    watchCount: 5,
    watchShare: 0.3,
    alarmCount: 10,
    alarmShare: 0.5,
    alarmLocks: 3,
  },
  /**
   * The number of messages to one country or prefix, and the share of them whose code was entered.
   */
  pumping: { windowMinutes: 60, minSent: 10, watchConversion: 0.4, alarmConversion: 0.2 },
  /** How long the balance lasts at the last hour's rate. */
  money: { watchHours: 24, alarmHours: 4 },
  latency: { watchP95Ms: 2_000, alarmP95Ms: 5_000 },
} as const;
/** Limits that count messages of many users together. */
const PREFIX_LIMITS: readonly string[] = ['per-prefix', 'per-number', 'total'];
/** OTP spec §7. All other rejections of every user concern our credentials. */
const REFUSALS: Readonly<Record<number, string>> = { 1006: 'no balance', 2100: 'no permission' };
const isGuess = (reason: string): boolean =>
  reason === 'wrong-code' || reason === 'too-many-attempts';
const isBreakerOpen = (counted: Counted, minute: number) =>
  counted.last('breaker', minute)?.amount === 1;
const answer = (level: Level, word: string, detail: string) => ({ level, word, detail });
const [LOG_LINES, MOST_KNOWN] = [30, 20_000];

type Level = 'ok' | 'watch' | 'alarm' | 'unknown';
type Answer = ReturnType<typeof answer>;
type Filter = (label: string) => boolean;
type Shares = readonly (readonly [label: string, count: number])[];
export type Dashboard = ReturnType<typeof toDashboard>;

/**
 * Returns the content of the page. `known`: answers for minutes that no longer change, kept from
 * one call to the next.
 */
export function toDashboard(
  figures: readonly Figure[],
  now: number,
  range: Range,
  known = new Map<string, string>(),
) {
  const counted = new Counted(figures);
  const { minutes, step } = RANGES[range];
  const first = Math.floor((now - minutes + step) / step) * step;
  const totals = toPoint(counted, first, now);
  const by = (series: Series): Shares =>
    counted.by(series, first, now).toSorted(([, one], [, other]) => other - one);
  const withSince = (name: string, ask: typeof askGateway) => {
    const wordAt = (minute: number): string => {
      const word = known.get(`${name} ${minute}`) ?? ask(counted, minute).word;
      if (minute < now - MINUTES_OPEN) known.set(`${name} ${minute}`, word);
      return word;
    };
    const current = ask(counted, now);
    let since = now;
    while (since > counted.firstMinute && wordAt(since - 1) === current.word) since -= 1;
    return { name, ...current, since };
  };
  if (known.size > MOST_KNOWN) known.clear();
  return {
    firstMinute: counted.firstMinute,
    statuses: {
      gateway: withSince('Gateway', askGateway),
      breaker: withSince('Circuit breaker', askBreaker),
      guessing: withSince('Code guessing', askGuessing),
      pumping: withSince('SMS pumping', askPumping),
      money: withSince('Balance', askMoney),
    },
    totals,
    latencyLevel: grade(
      totals.p95 ?? 0,
      THRESHOLDS.latency.watchP95Ms,
      THRESHOLDS.latency.alarmP95Ms,
    ),
    currency: counted.last('currency', now)?.label ?? '',
    balance: counted.last('balance', now),
    points: Array.from({ length: Math.ceil((now + 1 - first) / step) }, (_gap, index) => {
      const minute = first + index * step;
      // Nothing is known about the time before the first figure.
      const isKnown = minute + step > counted.firstMinute;
      return { minute, values: isKnown ? toPoint(counted, minute, minute + step - 1) : null };
    }),
    countries: join(by('sent'), by('verified')),
    prefixes: join(by('sent-prefix'), by('verified-prefix')).slice(0, 10),
    purposes: join(by('sent-purpose'), by('verified-purpose')),
    methods: by('method'),
    denials: by('denied'),
    rejections: by('rejected'),
    log: counted.between('log', first, now).slice(-LOG_LINES).reverse(),
  };
}

/** Figures by series, from the oldest to the newest. */
class Counted {
  readonly firstMinute: number;
  readonly #series: Partial<Record<Series, Figure[]>> = {};

  constructor(figures: readonly Figure[]) {
    this.firstMinute = figures[0]?.minute ?? Infinity;
    for (const figure of figures) (this.#series[figure.series] ??= []).push(figure);
  }

  /** Returns the newest figure of a series up to that minute. */
  last(series: Series, minute: number): Figure | undefined {
    return this.#series[series]?.findLast((figure) => figure.minute <= minute);
  }

  between(series: Series, first: number, last: number): readonly Figure[] {
    const list = this.#series[series] ?? [];
    return list.slice(findMinute(list, first), findMinute(list, last + 1));
  }

  by(series: Series, first: number, last: number): Shares {
    const sums = new Map<string, number>();
    for (const { label, amount } of this.between(series, first, last))
      sums.set(label, (sums.get(label) ?? 0) + amount);
    return [...sums];
  }

  sum(series: Series, first: number, last: number, isCounted: Filter = () => true): number {
    const figures = this.between(series, first, last).filter(({ label }) => isCounted(label));
    return figures.reduce((total, { amount }) => total + amount, 0);
  }
}

/** Returns the index of the first figure of that minute in a sorted list. */
function findMinute(list: readonly Figure[], minute: number, low = 0, high = list.length): number {
  const middle = (low + high) >>> 1;
  if (low === high) return low;
  const isBefore = (list[middle]?.minute ?? minute) < minute;
  return isBefore
    ? findMinute(list, minute, middle + 1, high)
    : findMinute(list, minute, low, middle);
}

function toPoint(counted: Counted, first: number, last: number) {
  const sum = (series: Series, isCounted?: Filter): number =>
    counted.sum(series, first, last, isCounted);
  const [calls, failed] = [sum('call'), sum('call', isFailure)];
  const [passed, byText] = [sum('method'), sum('method', (method) => method === 'sms')];
  const classes = counted
    .by('latency', first, last)
    .toSorted(([one], [other]) => Number(one) - Number(other));
  return {
    ...{
      sent: sum('sent'),
      verified: sum('verified'),
      wrong: sum('rejected', isGuess),
      locks: sum('lock'),
    },
    ...{ byText, byOther: passed - byText },
    ...{ denied: sum('denied'), answered: calls - failed, failed, cost: sum('cost') },
    ...{
      p50: findPercentile(classes, 0.5),
      p95: findPercentile(classes, 0.95),
      p99: findPercentile(classes, 0.99),
    },
  };
}

/** Returns the milliseconds within which that share of the answers arrived, by nearest rank. */
function findPercentile(classes: Shares, share: number): number | null {
  let left = Math.ceil(classes.reduce((total, [, count]) => total + count, 0) * share);
  const found = classes.find(([, count]) => (left -= count) <= 0);
  return found ? fromLatencyClass(Number(found[0])) : null;
}

function askGateway(counted: Counted, minute: number): Answer {
  const { windowMinutes, watchShare, alarmShare, idleMinutes } = THRESHOLDS.gateway;
  const call = counted.last('call', minute);
  const code = counted.last('refusing', minute)?.amount ?? 0;
  const refusal = `It sends nothing: ${REFUSALS[code] ?? 'wrong credentials'} (${code}).`;
  if (code !== 0) return answer('alarm', 'Refusing', refusal);
  if (!call) return answer('unknown', 'No calls yet', 'No one has asked for a code.');
  const failedShare = (first: number, last: number): number =>
    counted.sum('call', first, last, isFailure) / Math.max(1, counted.sum('call', first, last));
  const first = minute - windowMinutes + 1;
  const failures = counted
    .by('call', Math.min(first, call.minute), minute)
    .filter(([outcome]) => isFailure(outcome));
  const detail = `Failed calls: ${failures.map(([outcome, count]) => `${count} ${outcome}`).join(', ') || 'none'}.`;
  const isDown =
    failedShare(call.minute, call.minute) >= alarmShare || isBreakerOpen(counted, minute);
  if (isDown) return answer('alarm', 'Down', detail);
  if (failedShare(first, minute) >= watchShare) return answer('watch', 'Failing', detail);
  if (call.minute > minute - idleMinutes) return answer('ok', 'Up', detail);
  return answer('unknown', 'Idle', `No calls for ${idleMinutes} min. The last one was answered.`);
}

function askBreaker(counted: Counted, minute: number): Answer {
  const open = answer('alarm', 'Open', 'Calls are refused until a trial succeeds.');
  return isBreakerOpen(counted, minute) ? open : answer('ok', 'Closed', 'Calls go through.');
}

function askGuessing(counted: Counted, minute: number): Answer {
  const { windowMinutes, watchCount, watchShare, alarmCount, alarmShare, alarmLocks } =
    THRESHOLDS.guessing;
  const first = minute - windowMinutes + 1;
  const sum = (series: Series, isCounted?: Filter): number =>
    counted.sum(series, first, minute, isCounted);
  const [wrong, right, locks] = [sum('rejected', isGuess), sum('verified'), sum('lock')];
  const isCertain =
    sum('lock', (type) => type !== 'locked' && type !== 'browser-unknown') > 0 ||
    locks >= alarmLocks;
  const share = wrong / Math.max(1, wrong + right);
  const detail = `Last ${windowMinutes} min: ${wrong} wrong, ${right} right, ${locks} locked.`;
  if (isCertain || (wrong >= alarmCount && share >= alarmShare))
    return answer('alarm', 'Likely', detail);
  const isPossible = locks > 0 || (wrong >= watchCount && share >= watchShare);
  return isPossible ? answer('watch', 'Possible', detail) : answer('ok', 'No sign', detail);
}

function askPumping(counted: Counted, minute: number): Answer {
  const { windowMinutes, minSent } = THRESHOLDS.pumping;
  const first = minute - windowMinutes + 1;
  // Leave out messages of this minute: entering a code takes a while.
  const places = (['-prefix', ''] as const).flatMap((by) =>
    join(counted.by(`sent${by}`, first, minute - 1), counted.by(`verified${by}`, first, minute)),
  );
  const counts = places.filter(({ label, sent }) => sent >= minSent && label !== OTHERS);
  const [worst] = counts.sort((one, other) => one.share - other.share);
  const isByPlace = (label: string): boolean => PREFIX_LIMITS.includes(label.split('\t')[1] ?? '');
  const refused = counted.sum('denied', first, minute, isByPlace);
  const found = worst
    ? `${worst.label}: ${worst.sent} messages, ${Math.round(worst.share * 100)} % entered.`
    : `Fewer than ${minSent} messages to any one place.`;
  const detail = `Last ${windowMinutes} min: ${found}${refused ? ` Refused by limits: ${refused}.` : ''}`;
  if (worst?.level === 'alarm') return answer('alarm', 'Likely', detail);
  return worst?.level === 'watch' || refused
    ? answer('watch', 'Possible', detail)
    : answer('ok', 'No sign', detail);
}

function askMoney(counted: Counted, minute: number): Answer {
  const { watchHours, alarmHours } = THRESHOLDS.money;
  const balance = counted.last('balance', minute);
  const isRefused = counted.last('refusing', minute)?.amount === 1006;
  if (isRefused || (balance && balance.amount <= 0))
    return answer('alarm', 'Used up', 'The gateway sends nothing.');
  if (!balance) return answer('unknown', 'Not known yet', 'It is requested after a message.');
  const hours = balance.amount / spentInAnHour(counted, minute);
  const time = hours < 48 ? `${Math.floor(hours)} h` : `${Math.floor(hours / 24)} days`;
  const detail =
    hours < Infinity
      ? `Lasts ${time} at the last hour's rate.`
      : 'Nothing was spent in the last hour.';
  if (hours < alarmHours) return answer('alarm', 'Running out', detail);
  return hours < watchHours ? answer('watch', 'Low', detail) : answer('ok', 'Enough', detail);
}

/** Adds up by how much the balance fell. Money that was paid in is not subtracted. */
function spentInAnHour(counted: Counted, minute: number): number {
  let before = counted.last('balance', minute - 60)?.amount;
  return counted.between('balance', minute - 59, minute).reduce((spent, { amount }) => {
    const fall = Math.max(0, (before ?? amount) - amount);
    before = amount;
    return spent + fall;
  }, 0);
}

/** Joins messages sent and codes entered. */
function join(sent: Shares, verified: Shares) {
  const { minSent, watchConversion, alarmConversion } = THRESHOLDS.pumping;
  const entered = new Map(verified);
  return sent.map(([label, count]) => {
    const right = entered.get(label) ?? 0;
    const level =
      count < minSent ? 'ok' : grade(-right / count, -watchConversion, -alarmConversion);
    return { label, sent: count, verified: right, share: right / count, level };
  });
}

function grade(value: number, watch: number, alarm: number): Level {
  return value > alarm ? 'alarm' : value > watch ? 'watch' : 'ok';
}
