import { BoundedMap } from '../bounded-map';
import type { Counted } from './charge';
import type { SendRow } from './sends';

/** A limit that all users share, of which a send has used up half. */
export interface NearLimit {
  readonly limit: SharedLimitName;
  /** Whether it is the part of the limit for unproven numbers. */
  readonly isUnproven: boolean;
  readonly sends: number;
  readonly max: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

/** The limits that all users share. */
type SharedLimitName = keyof typeof OPTIONS;

/** The options of the shared limits. */
const OPTIONS = {
  'per-address': 'perAddress',
  'per-prefix': 'perPrefix',
  total: 'total',
} as const;

/** Returns the name of the option that sets a limit: `limits.total.max`. */
export function nearOption({ limit, isUnproven }: NearLimit): string {
  return `limits.${OPTIONS[limit]}.${isUnproven ? 'maxUnproven' : 'max'}`;
}

/** Windows that a process remembers, so that a refund does not lead to a second report. */
const REMEMBERED = 1_000;

/**
 * Watches the shared limits. The returned function finds those of which this very send has used up
 * half. Each is found once in its window, because the store counts every send by one.
 */
export function createNearWatch(): (rows: readonly Counted<SendRow>[]) => readonly NearLimit[] {
  const reported = new BoundedMap<string, number>(REMEMBERED);
  return (rows) =>
    rows.flatMap(({ row, count }) => {
      const { key, max = Infinity } = row.counter;
      const isShared = row.role === 'shared' || row.role === 'shared-unproven';
      if (!isShared || count.count !== Math.ceil(max / 2)) return [];
      if (reported.get(key) === count.generation) return [];
      reported.set(key, count.generation);
      const isUnproven = row.role === 'shared-unproven';
      return [
        {
          // Only these rows have the role.
          limit: row.limit as SharedLimitName,
          isUnproven,
          sends: count.count,
          max,
          resetSeconds: count.resetSeconds ?? 0,
        },
      ];
    });
}
