import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  findCountryPrice,
  findNetworkPrice,
  type FoundPrice,
  type PriceTable,
} from '../../../src/policies/spend-limits/price-table';
import type { Network } from '../../../src/policies/network';
import { toDecimal } from '../../../src/policies/spend-limits/micros';
import { join } from './rows';

function show(found: FoundPrice | null): string {
  return found === null ? 'none' : `${toDecimal(found.micros)} (${found.confidence})`;
}

const NETWORKS = [
  '208-01 0.0520 France Hexagone',
  '208-500 0.0530 France Hexagone',
  '208-10 0.0540 France Mistral',
  // Listed twice, and once more written otherwise.
  '262-02 0.0780 Germany Nordlicht',
  '262-02 0.0790 Germany Nordlicht',
  '262-6 0.0750 Germany Rheinfunk',
  '262-06 0.0750 Germany Rheinfunk',
  '262-1 0.0700 Germany Rheinfunk',
  '262-001 0.0710 Germany Rheinfunk',
  // Mexico is listed with three digits by some and with two by others.
  '334-020 0.0310 Mexico Tel Águila',
  '334-03 0.0400 Mexico Sol',
];

describe('the price of a network', () => {
  let table: PriceTable;
  beforeAll(async () => {
    table = await join(NETWORKS);
  });

  it.each<[string, Network, string]>([
    ['is that of its row', { mcc: '208', mnc: '01' }, '0.0520 (1)'],
    ['is that of the row that writes its code otherwise', { mcc: '208', mnc: '1' }, '0.0520 (2)'],
    ['is that of the row with a zero less', { mcc: '208', mnc: '010' }, '0.0540 (2)'],
    ['is the highest of its rows', { mcc: '262', mnc: '02' }, '0.0790 (3)'],
    ['is sure when several rows agree', { mcc: '262', mnc: '006' }, '0.0750 (2)'],
    ['is the highest of rows that are alike', { mcc: '262', mnc: '01' }, '0.0710 (3)'],
    ['is that of its operator', { mcc: '334', mnc: '02', operator: 'TEL  AGUILA' }, '0.0310 (4)'],
    [
      'is the highest of its operator',
      { mcc: '208', mnc: '02', operator: 'hexagone!' },
      '0.0530 (4)',
    ],
    ['is the highest of its country code', { mcc: '208', mnc: '02' }, '0.0540 (5)'],
    [
      'is that too when the network code is odd',
      { mcc: '208', mnc: 'x', operator: 'None' },
      '0.0540 (5)',
    ],
    ['is that too without a network code', { mcc: '208', mnc: null, operator: null }, '0.0540 (5)'],
    ['is that too with an empty network code', { mcc: '208', mnc: '' }, '0.0540 (5)'],
    ['is none for another country code', { mcc: '999', mnc: '01' }, 'none'],
    ['is none without a country code', { mcc: null, mnc: '01' }, 'none'],
  ])('%s', (_fact, network, price) => {
    expect(show(findNetworkPrice(table, network))).toBe(price);
  });
});

describe('the price of a country', () => {
  const find = (table: PriceTable, country: string | null, mobile: string): string =>
    show(findCountryPrice(table, country, mobile));

  it('is the highest of its networks', async () => {
    const table = await join(NETWORKS);
    expect(find(table, 'FR', '+33612345678')).toBe('0.0540 (6)');
    expect(find(table, 'DE', '+4915123456789')).toBe('0.0790 (6)');
  });

  it('is that of its dialling code when the list has other countries there', async () => {
    const table = await join([
      '234-10 0.0400 United_Kingdom',
      '234-55 0.0900 Jersey',
      '310-260 0.0075 USA',
    ]);
    expect(find(table, 'GB', '+447400123456')).toBe('0.0400 (6)');
    expect(find(table, 'GG', '+447911123456')).toBe('0.0900 (6)');
    expect(find(table, null, '+449999')).toBe('0.0900 (6)');
    expect(find(table, 'BS', '+12425551234')).toBe('0.0075 (6)');
  });

  it('is that of the longest dialling code', async () => {
    const table = await join(
      ['310-260 0.0075 United_States', '364-39 0.1900 Bahamas'],
      ['+1 US United_States', '+1242 BS Bahamas'],
    );
    expect(find(table, null, '+12425551234')).toBe('0.1900 (6)');
    expect(find(table, 'BS', '+12425551234')).toBe('0.1900 (6)');
    expect(find(table, 'US', '+12025550123')).toBe('0.0075 (6)');
  });

  it('is none for a country that no list knows', async () => {
    const table = await join(NETWORKS);
    expect(find(table, 'JP', '+819012345678')).toBe('none');
    expect(find(table, null, '+9991000')).toBe('none');
    expect(find(table, null, '+')).toBe('none');
  });
});
