import type { RedisClientType } from 'redis';

/** Series of states, for which the last value of a minute counts. All other series add up. */
const STATES = ['balance', 'breaker', 'refusing', 'currency'] as const;
type Traffic = `${'sent' | 'verified'}${'' | '-prefix' | '-purpose'}`;
type Sum =
  | Traffic
  | 'method'
  | 'rejected'
  | 'denied'
  | 'lock'
  | 'call'
  | 'latency'
  | 'cost'
  | 'log';
export type Series = (typeof STATES)[number] | Sum;
const isState = (series: Series): boolean => STATES.some((state) => state === series);

/** A count, an amount or a state in one minute. All are whole numbers. Money is in millionths. */
export interface Figure {
  readonly minute: number;
  readonly series: Series;
  /** The label within the series: a country, a prefix, a reason. */
  readonly label: string;
  readonly amount: number;
}

export interface FigureStore {
  add(figure: Figure): Promise<void>;
  /** Returns all figures of the minutes from `first` to `last`, the oldest first. */
  read(first: number, last: number): Promise<readonly Figure[]>;
}

/** The longest time range of the page, plus the hour before it that its first minutes need. */
export const MINUTES_KEPT = 25 * 60;
/** A figure is stored within this time after its event. */
export const MINUTES_OPEN = 2;

/** Keeps figures in this process. They are lost when it ends, and each worker has its own. */
export function memoryFigures(): FigureStore {
  const kept = new Map<number, Map<string, Figure>>();
  return {
    add(figure) {
      const { minute, series, label, amount } = figure;
      const figures = kept.get(minute) ?? new Map<string, Figure>();
      const before = isState(series) ? 0 : (figures.get(`${series} ${label}`)?.amount ?? 0);
      kept.set(minute, figures.set(`${series} ${label}`, { ...figure, amount: before + amount }));
      for (const old of kept.keys()) if (old < minute - MINUTES_KEPT) kept.delete(old);
      return Promise.resolve();
    },
    read(first, last) {
      const minutes = [...kept]
        .filter(([minute]) => minute >= first && minute <= last)
        .sort(([one], [other]) => one - other);
      return Promise.resolve(minutes.flatMap(([, figures]) => [...figures.values()]));
    },
  };
}

/** Keeps figures for all processes, in one hash per minute. */
export function redisFigures(client: RedisClientType, prefix = 'harbour:ops:'): FigureStore {
  // Read minutes that no longer change only once: 24 hours are 1,440 hashes, every few seconds.
  const closed = new Map<number, readonly Figure[]>();

  async function readMinute(minute: number, last: number): Promise<readonly Figure[]> {
    const known = closed.get(minute);
    if (known) return known;
    const fields = Object.entries(await client.hGetAll(`${prefix}${minute}`));
    const figures = fields.map(([field, amount]) => {
      const [series = '', ...label] = field.split(' ');
      return { minute, series: series as Series, label: label.join(' '), amount: Number(amount) }; // written below
    });
    if (minute < last - MINUTES_OPEN) closed.set(minute, figures);
    return figures;
  }

  return {
    async add({ minute, series, label, amount }) {
      const [key, field] = [`${prefix}${minute}`, `${series} ${label}`];
      const added = isState(series)
        ? client.hSet(key, field, amount)
        : client.hIncrBy(key, field, amount);
      await Promise.all([added, client.expire(key, MINUTES_KEPT * 60)]);
    },
    async read(first, last) {
      for (const minute of closed.keys()) if (minute < first) closed.delete(minute);
      const minutes = Array.from({ length: last - first + 1 }, (_gap, index) => first + index);
      return (await Promise.all(minutes.map((minute) => readMinute(minute, last)))).flat();
    },
  };
}
