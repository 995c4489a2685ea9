/** One count or amount in one minute. Amounts of money are whole millionths. */
export interface Figure {
  /** Minutes since 1970. */
  readonly minute: number;
  readonly series: Series;
  /** A country, a reason, an upper bound in milliseconds, a currency. */
  readonly label: string;
  readonly amount: number;
}

/** `balance` is the last known value; all others add up. */
export type Series = 'sent' | 'verified' | 'denied' | 'cost' | 'latency' | 'balance';

/** Where figures are stored. */
export interface FigureStore {
  add(figures: readonly Figure[]): Promise<void>;
  /** Returns all figures from that minute on. */
  read(sinceMinute: number): Promise<readonly Figure[]>;
}

/** The period that the page shows. */
export const MINUTES_SHOWN = 60;

/** Keeps figures in this process: they are lost at the next start, and each worker has its own. */
export function memoryFigures(): FigureStore {
  const kept = new Map<string, Figure>();
  return {
    add(figures) {
      for (const figure of figures) {
        const key = `${figure.minute} ${figure.series} ${figure.label}`;
        const before = figure.series === 'balance' ? 0 : (kept.get(key)?.amount ?? 0);
        kept.set(key, { ...figure, amount: before + figure.amount });
      }
      dropOld(kept);
      return Promise.resolve();
    },
    read: (sinceMinute) => Promise.resolve([...kept.values()].filter(({ minute }) => minute >= sinceMinute)),
  };
}

/** Removes old figures. Keys were added in order of time, so the oldest come first. */
function dropOld(kept: Map<string, Figure>): void {
  const newest = Math.max(...[...kept.values()].map(({ minute }) => minute));
  for (const [key, { minute }] of kept) {
    if (minute > newest - 2 * MINUTES_SHOWN) return;
    kept.delete(key);
  }
}
