import { toMicros } from '../../policies/prices/micros';
import type { PriceRow } from './price-list';

/** What became of a row since the list was saved. */
export interface PriceChange {
  readonly kind: 'new' | 'gone' | 'dearer' | 'cheaper';
  readonly row: PriceRow;
  /** The price before; null for a new row. */
  readonly before: string | null;
}

/** What is different, in the order of the list; rows that are gone come last. Amounts are compared, not their writing. */
export function findChanges(before: readonly PriceRow[], after: readonly PriceRow[]): readonly PriceChange[] {
  const known = new Map(before.map((row) => [row.key, row]));
  const kept = new Set(after.map(({ key }) => key));
  const changes = after.flatMap((row): readonly PriceChange[] => {
    const earlier = known.get(row.key);
    if (earlier === undefined) return [{ kind: 'new', row, before: null }];
    const [from, to] = [toMicros(earlier.price), toMicros(row.price)];
    if (from === to && (from !== null || earlier.price === row.price)) return [];
    return [
      { kind: (to ?? Infinity) > (from ?? Infinity) ? 'dearer' : 'cheaper', row, before: earlier.price },
    ];
  });
  const gone = before.filter(({ key }) => !kept.has(key));
  return [...changes, ...gone.map((row): PriceChange => ({ kind: 'gone', row, before: row.price }))];
}
