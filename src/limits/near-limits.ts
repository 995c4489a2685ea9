import { BoundedMap } from '../bounded-map';
import type { Counted } from './charge';
import type { LimitRow } from './rows';

/** A limit shared by all users that a send has used up by half. */
export interface NearLimit {
  readonly limit: SharedLimitName;
  /** Whether it is the part for unproven numbers. */
  readonly isUnproven: boolean;
  readonly sends: number;
  readonly max: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

/** The limits that all users share. */
type SharedLimitName = 'per-address' | 'per-prefix' | 'total';

/** A limit of which half is used up, and the option that sets it: `limits.total.max`. */
interface FoundNear {
  readonly near: NearLimit;
  readonly option: string;
}

/** How many windows a process remembers, so that a refund does not lead to a second report. */
const REMEMBERED = 1_000;

/**
 * Returns a function that finds the limits shared by all users of which this very send has used up
 * half. Each is found once per window, because the store counts every send by one.
 */
export function createNearWatch(): (rows: readonly Counted<LimitRow>[]) => readonly FoundNear[] {
  const reported = new BoundedMap<string, number>(REMEMBERED);

  return (rows) =>
    rows.flatMap(({ row, count }) => {
      const { option } = row;
      const { key, max = Infinity } = row.counter;
      if (option === undefined || count.count !== Math.ceil(max / 2)) return [];
      if (reported.get(key) === count.generation) return [];

      reported.set(key, count.generation);
      const near = {
        limit: row.limit as SharedLimitName,
        isUnproven: option.endsWith('.maxUnproven'),
        sends: count.count,
        max,
        resetSeconds: count.resetSeconds ?? 0,
      };
      return [{ near, option: `limits.${option}` }];
    });
}
