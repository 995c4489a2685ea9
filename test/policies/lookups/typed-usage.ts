import { type Policy } from 'passport-sms-otp';
import {
  conversionBreaker,
  numberCheck,
  numberLookups,
  spendLimits,
} from 'passport-sms-otp/policies';

/** Compiled, never run: one set of lookups serves every policy that can use them. */
export function joinPolicies(): Policy<unknown>[] {
  const lookups = numberLookups({ budgetMs: 1_500 });
  const { networkOf } = lookups;
  return [
    numberCheck({ lookups, mode: 'enforce' }),
    spendLimits({ fallbackPrice: '0.1000', networkOf }),
    conversionBreaker({ networkOf }),
  ];
}
