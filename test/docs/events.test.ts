import { beforeAll, describe, expect, it } from '@jest/globals';
import { readUnion } from './support/interfaces';
import { readPage } from './support/pages';
import { readRows, type Cells } from './support/tables';

describe('the table of events in docs/monitoring.md', () => {
  let events: ReadonlyMap<string, readonly string[]>;
  let rows: ReadonlyMap<string, Cells>;

  beforeAll(() => {
    events = readUnion('src/events.ts', 'SmsOtpEvent', 'type');
    const page = readPage('docs/monitoring.md');
    const [, table = ''] = page.text.split(/^\| Event +\|.*$/m);
    rows = readRows({ ...page, text: table.split('\n\n')[0] ?? '' });
  });

  it('has every event and no other', () => {
    expect(events.size).toBeGreaterThan(30);
    expect([...rows.keys()].sort()).toEqual([...events.keys()].sort());
  });

  it('has the fields of each event and no other', () => {
    const shown = Array.from(rows, ([name, [, fields = '']]) => [name, readFieldNames(fields)]);
    const real = Array.from(rows.keys(), (name) => [name, events.get(name)]);
    expect(shown).toEqual(real);
  });
});

/** What a cell names, without what it says of it in brackets. */
function readFieldNames(cell: string): readonly string[] {
  const names = cell.replace(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g);
  return Array.from(names, ([, name = '']) => name).sort();
}
