import { type Policy } from 'passport-sms-otp';
import {
  conversionBreaker,
  hlrSimSwap,
  numberCheck,
  numberLookups,
  spendLimits,
  simSwap,
} from 'passport-sms-otp/policies';

/** Compiled, never run: one set of lookups serves every policy that can use them. */
export function joinPolicies(key: string): Policy<unknown>[] {
  const lookups = numberLookups({ budgetMs: 1_500 });
  const { networkOf } = lookups;
  return [
    numberCheck({ lookups, mode: 'enforce' }),
    simSwap({ provider: hlrSimSwap({ key, lookups }) }),
    spendLimits({ fallbackPrice: '0.1000', networkOf }),
    conversionBreaker({ networkOf }),
  ];
}
