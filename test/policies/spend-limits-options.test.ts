import { describe, expect, it } from '@jest/globals';
import { spendLimits } from 'passport-sms-otp/policies';

const AMOUNT = 'must be a decimal string with at most 9 digits before the point and 6 after it';
const BY_COUNTRY = 'must be a decimal string, or a record of them by ISO 3166-1 codes';

function make(options: object): () => unknown {
  return () => spendLimits({ fallbackPrice: '0.05', ...options });
}

describe('spendLimits', () => {
  it('only reports by default', () => {
    expect(make({})()).toMatchObject({ name: 'spend-limits', stage: 'send', mode: 'report' });
    expect(make({ mode: 'enforce' })()).toMatchObject({ mode: 'enforce' });
  });

  it('takes amounts as they are written in the documents', () => {
    const budgets = {
      daily: '100.0000',
      dailyPerCountry: '12',
      monthlyPerCountry: { FR: '0.000001' },
    };
    expect(make({ maxPricePerMessage: '0.1', budgets, refreshSeconds: 86_400 })).not.toThrow();
  });

  it.each<[string, object, string]>([
    ['no fallback', { fallbackPrice: undefined }, `fallbackPrice is missing; it ${AMOUNT}`],
    ['a price of nothing', { fallbackPrice: '0' }, 'fallbackPrice must be above 0'],
    ['the same with decimals', { fallbackPrice: '0.0000' }, 'fallbackPrice must be above 0'],
    ['a number', { fallbackPrice: 0.05 }, `fallbackPrice ${AMOUNT}`],
    ['a negative amount', { maxPricePerMessage: '-1' }, `maxPricePerMessage ${AMOUNT}`],
    ['an exponent', { maxPricePerMessage: '1e3' }, `maxPricePerMessage ${AMOUNT}`],
    ['a comma', { budgets: { daily: '1,50' } }, `budgets.daily ${AMOUNT}`],
    ['too many decimals', { budgets: { monthly: '0.0000001' } }, `budgets.monthly ${AMOUNT}`],
    ['too much', { budgets: { dailyPerUser: '1234567890' } }, `budgets.dailyPerUser ${AMOUNT}`],
    [
      'no ISO code',
      { budgets: { dailyPerCountry: { fr: '1' } } },
      `budgets.dailyPerCountry ${BY_COUNTRY}`,
    ],
    [
      'no amount',
      { budgets: { dailyPerCountry: { FR: 1 } } },
      `budgets.dailyPerCountry ${BY_COUNTRY}`,
    ],
    ['another budget', { budgets: { weekly: '1' } }, 'unknown option budgets.weekly'],
    ['another option', { currency: 'EUR' }, 'unknown option currency'],
    ['another mode', { mode: 'monitor' }, "mode must be 'enforce' or 'report'"],
    ['no function', { networkOf: '208-01' }, 'networkOf must be a function'],
    [
      'too seldom',
      { refreshSeconds: 90_000 },
      'refreshSeconds must be a whole number from 21600 to 86400',
    ],
  ])('refuses %s', (_what, options, problem) => {
    expect(make(options)).toThrow(new TypeError(`spendLimits: ${problem}`));
  });

  it.each([[undefined], [null], ['0.05']])('refuses %j for options', (options) => {
    expect(() => spendLimits(options as never)).toThrow(TypeError);
  });
});
