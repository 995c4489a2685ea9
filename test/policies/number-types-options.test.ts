import { describe, expect, it } from '@jest/globals';
import { conversionBreaker, numberTypes, prefixVelocity } from 'passport-sms-otp/policies';

const factories: Record<string, (options: object) => { readonly mode?: string | undefined }> = {
  numberTypes,
  prefixVelocity,
  conversionBreaker,
};

describe('an option of a policy', () => {
  it.each<[string, unknown, string]>([
    ['numberTypes', { mode: 'off' }, "mode must be 'enforce' or 'report'"],
    ['numberTypes', { alsoDeny: ['MOBILE'] }, 'alsoDeny[0] must be one of VOIP, FIXED_LINE'],
    ['numberTypes', { alsoDeny: 'VOIP' }, 'alsoDeny must be a list of VOIP, FIXED_LINE'],
    ['numberTypes', { deny: [] }, 'unknown option deny'],
    ['numberTypes', null, 'options must be an object'],
    ['prefixVelocity', { maxUnanswered: 0 }, 'maxUnanswered must be a whole number from 1 to 1000'],
    [
      'prefixVelocity',
      { maxUnanswered: 1_001 },
      'maxUnanswered must be a whole number from 1 to 1000',
    ],
    ['prefixVelocity', { perSeconds: 60 }, 'perSeconds must be a whole number from 3600 to 604800'],
    ['prefixVelocity', { mode: true }, "mode must be 'enforce' or 'report'"],
    ['prefixVelocity', { max: 1 }, 'unknown option max'],
    ['conversionBreaker', { minRate: 0 }, 'minRate must be a number from 0.01 to 0.9'],
    ['conversionBreaker', { minRate: 1 }, 'minRate must be a number from 0.01 to 0.9'],
    ['conversionBreaker', { minRate: '20 %' }, 'minRate must be a number from 0.01 to 0.9'],
    ['conversionBreaker', { networkOf: '208-01' }, 'networkOf must be a function'],
    ['conversionBreaker', { windowSeconds: 60 }, 'unknown option windowSeconds'],
  ])('of %s that is wrong is named: %j', (name, options, problem) => {
    const make = factories[name];
    // What has no types may hand over anything.
    expect(() => make?.(options as object)).toThrow(new TypeError(`${name}: ${problem}`));
  });

  it.each([
    ['numberTypes', 'enforce'],
    ['prefixVelocity', 'report'],
    ['conversionBreaker', 'report'],
  ])('may be left out: %s is in mode %s then', (name, mode) => {
    expect(factories[name]?.({}).mode).toBe(mode);
  });
});
