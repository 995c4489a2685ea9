import { describe, expect, it } from '@jest/globals';
import { createPriceTable, loadRegions } from '../../../src/policies/spend-limits/price-table';
import { countryRow, join, listOf, networkRow } from './rows';

const FRANCE = '208-01 0.0520 France Hexagone';

describe('the price lists', () => {
  it.each([
    ['the same name', 'France', 'FR'],
    ['case, accents and signs', "  CÔTE-D'IVOIRE ", 'CI'],
    ['another usual name', 'Ivory Coast', 'CI'],
    ['the article', 'The Bahamas', 'BS'],
    ['"and"', 'Bosnia and Herzegovina', 'BA'],
    ['"St"', 'St. Lucia', 'LC'],
    ['the name of old', 'Turkey', 'TR'],
    ['an abbreviation', 'USA', 'US'],
  ])('meet by the name of the country, whatever %s', async (_what, name, iso) => {
    const table = await join([`208-01 0.0520 ${name.replaceAll(' ', '_')}`]);
    expect([...table.highestByCountry]).toEqual([[iso, 52_000]]);
    expect(table.problems).toEqual([]);
  });

  it('meet by the names of the list of lookups first', async () => {
    const table = await join(
      ['208-01 0.0520 Frankreich', '234-10 0.0400 Albion'],
      ['33 fr Frankreich', '+44 UK Albion'],
    );
    expect([...table.highestByCountry]).toEqual([
      ['FR', 52_000],
      ['GB', 40_000],
    ]);
    expect(table.highestByDialCode.get('33')).toBe(52_000);
    expect(table.problems).toEqual([]);
  });

  it.each([
    ['no price', '208-01 free France', 'rows that cannot be read or have no usable price'],
    [
      'a negative price',
      '208-02 -0.0520 France',
      'rows that cannot be read or have no usable price',
    ],
    [
      'a price of nothing',
      '208-02 0.0000 France',
      'rows that cannot be read or have no usable price',
    ],
    [
      'a price beyond counting',
      '208-02 99999999999 France',
      'rows that cannot be read or have no usable price',
    ],
    ['an odd country code', '20-02 0.0520 France', 'rows without a network code'],
    ['an odd network code', '208-hexa 0.0520 France', 'rows without a network code'],
    ['no country', '208-02 0.0520', 'rows of a country whose name is unknown'],
    ['an unknown country', '208-02 0.0520 Atlantis', 'rows of a country whose name is unknown'],
    ['a network again', '208-01 0.0600 France', 'rows that repeat a network at another price'],
  ])('may have a row with %s', async (_what, row, problem) => {
    const table = await join([FRANCE, row]);
    expect(table.problems).toEqual([{ problem, rows: 1 }]);
  });

  it('may have rows of a country without a network: they count for the country alone', async () => {
    const table = await join([
      FRANCE,
      '-  France',
      '208-hexa 0.0900 France',
      '999-01 0.3000 Atlantis',
    ]);
    expect(table.highestByCountry.get('FR')).toBe(90_000);
    expect([...table.networksByMcc.keys()]).toEqual(['208', '999']);
  });

  it('may name a network twice at one price', async () => {
    expect((await join([FRANCE, FRANCE])).problems).toEqual([]);
  });

  it('may have invalid rows of lookups', async () => {
    const odd = ['+33 - France', '+33 FRA France', 'x33 FR France', '+033 FR France', '+33 FR'];
    const table = await join([FRANCE], odd);
    expect(table.problems).toEqual([
      { problem: 'rows of the lookup list without a country', rows: 5 },
    ]);
    expect(table.highestByCountry.get('FR')).toBe(52_000);
  });

  it('may be empty', async () => {
    const table = await join([], []);
    expect([table.networksByMcc.size, table.highestByCountry.size, table.problems]).toEqual([
      0,
      0,
      [],
    ]);
  });

  it('report the rows that the client could not read', async () => {
    const messages = listOf([networkRow(FRANCE)], { oddRows: 3 });
    const lookups = listOf([countryRow('+33 FR France')], { oddRows: 2 });
    expect(createPriceTable(messages, lookups, await loadRegions()).problems).toEqual([
      { problem: 'rows that cannot be read or have no usable price', rows: 3 },
      { problem: 'rows of the lookup list without a country', rows: 2 },
    ]);
  });

  it('are joined in a time that does not grow with the number of networks', async () => {
    const regions = await loadRegions();
    const measure = (codes: number): number => {
      const rows = Array.from({ length: 20_000 }, (_, index) =>
        networkRow(`${100 + (index % codes)}-${index % 1_000} 0.0520 France Hexagone`),
      );
      const times = [1, 2, 3].map(() => {
        const startedAt = performance.now();
        createPriceTable(listOf(rows), null, regions);
        return performance.now() - startedAt;
      });
      return Math.min(...times);
    };
    expect(measure(900)).toBeLessThan(4 * measure(1));
  });

  it.each([
    ['Euro', 1],
    ['us dollar', 0],
    [null, 0],
  ])('are told when their currencies differ: US Dollar and %s', async (name, count) => {
    const lookups = listOf([countryRow('+33 FR France')], { currency: { name, symbol: null } });
    const { problems } = createPriceTable(
      listOf([networkRow(FRANCE)]),
      lookups,
      await loadRegions(),
    );
    expect(problems).toHaveLength(count);
    expect(JSON.stringify(problems)).toContain(count === 1 ? 'different currencies' : '');
  });
});
