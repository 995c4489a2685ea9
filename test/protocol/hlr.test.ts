import { describe, expect, it } from '@jest/globals';
import {
  ADVANCED_STATUSES,
  LOOKUP_STATUSES,
  readHlrPricing,
  readLookup,
} from '../../src/protocol/hlr';

/** HLR spec §2, lookup result; values of our own. */
const FULL = {
  phone: '12025550123',
  status: 'valid',
  mcc: '310',
  mnc: '004',
  imsi: '310004123456789',
  msc: '12025550999',
  cost: '0.0050',
  country: 'United States',
  operator: 'Example Wireless',
};
const NOTHING = {
  advancedStatus: null,
  mcc: null,
  mnc: null,
  imsi: null,
  msc: null,
  cost: null,
  country: null,
  operator: null,
};

describe('a lookup result', () => {
  it('is read with all its fields', () => {
    expect(readLookup(FULL, '12025550123')).toEqual({
      phone: '+12025550123',
      status: 'valid',
      advancedStatus: null,
      mcc: '310',
      mnc: '004',
      imsi: '310004123456789',
      msc: '12025550999',
      cost: '0.0050',
      country: 'United States',
      operator: 'Example Wireless',
    });
  });

  it('of an invalid number may carry only phone, status and advanced_status', () => {
    const payload = {
      phone: '12025550123',
      status: 'invalid',
      advanced_status: 'UNKNOWN_SUBSCRIBER',
    };
    expect(readLookup(payload, '12025550123')).toEqual({
      ...NOTHING,
      phone: '+12025550123',
      status: 'invalid',
      advancedStatus: 'UNKNOWN_SUBSCRIBER',
    });
  });

  it.each(['imsi', 'msc'] as const)('says "0" for an unavailable %s, which is null', (field) => {
    expect(readLookup({ ...FULL, [field]: '0' }, '12025550123')?.[field]).toBeNull();
    expect(readLookup({ ...FULL, [field]: '' }, '12025550123')?.[field]).toBeNull();
  });

  it('may have codes that are JSON numbers, and 0 for an unavailable one', () => {
    const numbers = { mcc: 310, mnc: 4, imsi: 310004123456789, msc: 12025550999 };
    expect(readLookup({ ...FULL, ...numbers }, '12025550123')).toMatchObject({
      mcc: '310',
      mnc: '4',
      imsi: '310004123456789',
      msc: '12025550999',
    });
    const unavailable = readLookup({ ...FULL, imsi: 0, msc: 0 }, '12025550123');
    expect(unavailable).toMatchObject({ imsi: null, msc: null });
  });

  it.each([['+12025550123'], [12025550123]])('may name the phone %j', (phone: unknown) => {
    expect(readLookup({ ...FULL, phone }, '12025550123')?.phone).toBe('+12025550123');
  });

  it.each(['valid', 'invalid', 'error', 'unknown-by-any-document'])(
    'keeps the status %s',
    (status) => {
      expect(readLookup({ ...FULL, status }, '12025550123')?.status).toBe(status);
    },
  );

  it('keeps an advanced status that no document lists', () => {
    const lookup = readLookup({ ...FULL, advanced_status: 'REQUEST_THROTTLED' }, '12025550123');
    expect(lookup?.advancedStatus).toBe('REQUEST_THROTTLED');
  });

  it.each([
    ['another number', { ...FULL, phone: '12025550124' }],
    ['no number', { ...FULL, phone: undefined }],
    ['no status', { ...FULL, status: undefined }],
    ['an empty status', { ...FULL, status: '' }],
    ['a status that is a number', { ...FULL, status: 1 }],
    ['an array', [FULL]],
    ['an empty text', ''],
    ['null', null],
  ])('is refused: %s', (_what, payload) => {
    expect(readLookup(payload, '12025550123')).toBeNull();
  });
});

describe('the words of HLR spec §2', () => {
  it('are three for status', () => {
    expect(LOOKUP_STATUSES).toEqual(['valid', 'invalid', 'error']);
  });

  it('are twelve for advanced_status', () => {
    expect(ADVANCED_STATUSES).toEqual([
      'ABSENT_SUBSCRIBER_SM',
      'CALL_BARRED',
      'DATA_MISSING',
      'FACILITY_NOT_SUPPORTED',
      'HLR_ABORT',
      'HLR_LOCAL_CANCEL',
      'HLR_REJECT',
      'SYSTEM_FAILURE',
      'TELE_SERVICE_NOT_PROVISIONED',
      'TIMEOUT',
      'UNEXPECTED_DATA_VALUE',
      'UNKNOWN_SUBSCRIBER',
    ]);
  });
});

/** HLR spec §2, pricing object; values of our own. */
const ROW = {
  id: 77,
  countryname: 'Freedonia',
  countrycode: '+999',
  countryiso: 'FD',
  price: '0.0060',
};

describe('the lookup price list', () => {
  it('has one row for each country', () => {
    expect(readHlrPricing({ currency: { name: 'EUR', symbol: '€' }, pricing: [ROW] })).toEqual({
      currency: { name: 'EUR', symbol: '€' },
      pricing: [
        {
          id: '77',
          countryName: 'Freedonia',
          countryCode: '+999',
          countryIso: 'FD',
          price: '0.0060',
        },
      ],
      oddRows: 0,
    });
  });

  it.each([
    [999, '+999'],
    ['999', '+999'],
    ['+999', '+999'],
  ])('may have the dialling code %j', (countrycode, countryCode) => {
    expect(readHlrPricing({ pricing: [{ ...ROW, countrycode }] })).toMatchObject({
      pricing: [{ countryCode }],
    });
  });

  it('leaves out and counts rows without dialling code or price', () => {
    const pricing = [{ ...ROW, countrycode: '' }, ROW, { ...ROW, price: undefined }, null];
    expect(readHlrPricing({ pricing })).toMatchObject({
      pricing: [{ countryCode: '+999' }],
      oddRows: 3,
    });
  });

  it.each([[null], [''], [{}], [[ROW]], [{ pricing: 'none' }]])('is not %j', (payload: unknown) => {
    expect(readHlrPricing(payload)).toBeNull();
  });
});
