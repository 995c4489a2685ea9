export { allowedCountries } from '../limits/built-in';
export { policyNotes } from '../stores/guarded-store';
export { conversionBreaker, type ConversionBreakerOptions } from './conversion-breaker';
export type { FindNetwork, Network } from './network';
export type { NumberFinding } from './number-check/decision-table';
export { numberCheck, type NumberCheckOptions } from './number-check/number-check';
export {
  numberLookups,
  type NumberLookups,
  type NumberLookupsOptions,
} from './number-check/number-lookups';
export { numberTypes, type NumberTypesOptions } from './number-types';
export { prefixVelocity, type PrefixVelocityOptions } from './prefix-velocity';
export {
  simSwap,
  type SimSwapCheck,
  type SimSwapDate,
  type SimSwapOptions,
  type SimSwapProvider,
  type SimSwapQuestion,
} from './sim-swap';
export { type CountryAmount, readTotalSpend, type SpendBudgets } from './spend-limits/budgets';
export { spendLimits, type SpendLimitsOptions } from './spend-limits/spend-limits';
