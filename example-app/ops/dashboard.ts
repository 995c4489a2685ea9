import { MINUTES_SHOWN, type Figure, type Series } from './figures';
import { LATENCY_BOUNDS_MS } from './record-events';

const MILLIONTHS = 1_000_000;

/** The last hour, ready to be drawn. Lists by minute go from the oldest to the newest. */
export interface Dashboard {
  readonly sent: readonly number[];
  readonly verified: readonly number[];
  readonly totals: { readonly sent: number; readonly verified: number; readonly denied: number };
  /** Most texted first. */
  readonly countries: readonly { readonly country: string; readonly sent: number; readonly verified: number }[];
  /** Most frequent first. */
  readonly denials: readonly { readonly reason: string; readonly count: number }[];
  /** Milliseconds within which that share of calls was answered; null in a minute without calls. */
  readonly latency: { readonly median: readonly (number | null)[]; readonly slow: readonly (number | null)[] };
  /** In the gateway's currency; null where it reports none (variant A). */
  readonly cost: number | null;
  readonly balance: number | null;
}

/** @param figures of the last hour, in any order. */
export function toDashboard(figures: readonly Figure[], nowMinute: number): Dashboard {
  const firstMinute = nowMinute - MINUTES_SHOWN + 1;
  const minutes = Array.from({ length: MINUTES_SHOWN }, (_gap, index) => firstMinute + index);
  const shown = figures.filter(({ minute }) => minute >= firstMinute && minute <= nowMinute);
  const of = (series: Series): readonly Figure[] => shown.filter((figure) => figure.series === series);
  const byMinute = (series: Series): number[] =>
    minutes.map((minute) => sum(of(series).filter((figure) => figure.minute === minute)));
  const latencies = minutes.map((minute) => of('latency').filter((figure) => figure.minute === minute));
  const costs = of('cost');
  const balances = [...of('balance')].sort((one, other) => one.minute - other.minute);
  return {
    sent: byMinute('sent'),
    verified: byMinute('verified'),
    totals: { sent: sum(of('sent')), verified: sum(of('verified')), denied: sum(of('denied')) },
    countries: toCountries(of('sent'), of('verified')),
    denials: toShares(of('denied')).map(([reason, count]) => ({ reason, count })),
    latency: {
      median: latencies.map((counts) => quantile(counts, 0.5)),
      slow: latencies.map((counts) => quantile(counts, 0.95)),
    },
    cost: costs.length === 0 ? null : sum(costs) / MILLIONTHS,
    balance: balances.length === 0 ? null : (balances.at(-1)?.amount ?? 0) / MILLIONTHS,
  };
}

function toCountries(sent: readonly Figure[], verified: readonly Figure[]): Dashboard['countries'] {
  const proven = new Map(toShares(verified));
  return toShares(sent).map(([country, count]) => ({ country, sent: count, verified: proven.get(country) ?? 0 }));
}

/** Returns the sum of each label, the largest first. */
function toShares(figures: readonly Figure[]): [label: string, amount: number][] {
  const sums = new Map<string, number>();
  for (const { label, amount } of figures) sums.set(label, (sums.get(label) ?? 0) + amount);
  return [...sums].sort(([, one], [, other]) => other - one);
}

/** Returns the bound under which that share of the calls was counted. */
function quantile(counts: readonly Figure[], share: number): number | null {
  const wanted = sum(counts) * share;
  if (wanted === 0) return null;
  let seen = 0;
  for (const bound of LATENCY_BOUNDS_MS) {
    seen += sum(counts.filter(({ label }) => label === String(bound)));
    if (seen >= wanted) return bound;
  }
  return LATENCY_BOUNDS_MS.at(-1) ?? null;
}

function sum(figures: readonly Figure[]): number {
  return figures.reduce((total, { amount }) => total + amount, 0);
}
