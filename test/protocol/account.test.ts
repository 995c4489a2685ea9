import { describe, expect, it } from '@jest/globals';
import { readBalance, readPricing } from '../../src/protocol/account';

describe('the balance object (OTP spec §2, HLR spec §2)', () => {
  it('is a decimal string and stays one', () => {
    expect(readBalance({ balance: '104.2500' })).toEqual({ balance: '104.2500' });
  });

  it('is read as a JSON number too', () => {
    expect(readBalance({ balance: 104.25 })).toEqual({ balance: '104.25' });
  });

  it.each([
    [''],
    [null],
    [[]],
    [{}],
    [{ balance: '' }],
    [{ balance: null }],
    [{ balance: 'much' }],
    ['104.2500'],
  ])('%j is none', (payload: unknown) => {
    expect(readBalance(payload)).toBeNull();
  });
});

/** OTP spec §2, pricing object: one operator with two MNCs has two entries. Values of our own. */
const ROW = {
  id: 311,
  countryname: 'Freedonia',
  operatorname: 'Freedonia Mobile',
  mcc: '999',
  mnc: '01',
  price: '0.0450',
};
const LIST = {
  currency: { name: 'EUR', symbol: '€' },
  pricing: [ROW, { ...ROW, id: 312, mnc: '001', price: '0.0470' }],
};

describe('the pricing object', () => {
  it('is read row by row, codes and prices as the strings they are', () => {
    expect(readPricing(LIST)).toEqual({
      currency: { name: 'EUR', symbol: '€' },
      pricing: [
        {
          id: '311',
          countryName: 'Freedonia',
          operatorName: 'Freedonia Mobile',
          mcc: '999',
          mnc: '01',
          price: '0.0450',
        },
        {
          id: '312',
          countryName: 'Freedonia',
          operatorName: 'Freedonia Mobile',
          mcc: '999',
          mnc: '001',
          price: '0.0470',
        },
      ],
      oddRows: 0,
    });
  });

  it('may be empty', () => {
    expect(readPricing({ ...LIST, pricing: [] })).toMatchObject({ pricing: [], oddRows: 0 });
  });

  it('is read up to its 20,000th row, and the others are only counted', () => {
    const last = {
      get price(): string {
        throw new Error('read');
      },
    };
    const rows = Array.from({ length: 20_000 }, () => ROW);
    const list = readPricing({ ...LIST, pricing: [...rows, last, last] });
    expect([list?.pricing.length, list?.oddRows]).toEqual([20_000, 2]);
  });

  it('keeps a row that stands in it twice', () => {
    expect(readPricing({ ...LIST, pricing: [ROW, ROW] })).toMatchObject({
      pricing: [{ mnc: '01' }, { mnc: '01' }],
    });
  });

  it.each([
    ['null', null],
    ['a string', 'row'],
    ['an array', [ROW]],
    ['without mcc', { ...ROW, mcc: undefined }],
    ['with an empty mnc', { ...ROW, mnc: '' }],
    ['without price', { ...ROW, price: null }],
    ['with a price in words', { ...ROW, price: 'free' }],
  ])('leaves out and counts a row that is %s', (_what, odd) => {
    const list = readPricing({ ...LIST, pricing: [ROW, odd, ROW] });
    expect(list).toMatchObject({ oddRows: 1, pricing: [{ id: '311' }, { id: '311' }] });
  });

  it.each([
    ['id', 'id'],
    ['countryname', 'countryName'],
    ['operatorname', 'operatorName'],
  ])('does not need %s in a row', (wireName, name) => {
    const list = readPricing({ ...LIST, pricing: [{ ...ROW, [wireName]: undefined }] });
    expect(list?.pricing[0]).toHaveProperty(name, null);
  });

  it('has numeric codes read as their digits', () => {
    const list = readPricing({
      ...LIST,
      pricing: [
        { ...ROW, mcc: 310, mnc: 26 },
        { ...ROW, mnc: 1.5 },
      ],
    });
    expect(list).toMatchObject({ pricing: [{ mcc: '310', mnc: '26' }], oddRows: 1 });
  });

  it('takes the id of a row as digits too, and never a rounded one', () => {
    const ids = ['311', 2 ** 53].map(
      (id) => readPricing({ pricing: [{ ...ROW, id }] })?.pricing[0]?.id,
    );
    expect(ids).toEqual(['311', null]);
  });

  it.each([[undefined], [null], ['EUR'], [[]], [{}]])(
    'may have the currency %j',
    (currency: unknown) => {
      expect(readPricing({ ...LIST, currency })).toMatchObject({
        currency: { name: null, symbol: null },
      });
    },
  );

  it.each([[null], [''], [[]], [{}], [{ pricing: null }], [{ pricing: {} }], [[ROW]]])(
    'is not %j',
    (payload: unknown) => {
      expect(readPricing(payload)).toBeNull();
    },
  );
});
