export { allowedCountries } from '../limits/built-in';
export { conversionBreaker, type ConversionBreakerOptions } from './conversion-breaker';
export type { FindNetwork, Network } from './network';
export { numberCheck, type NumberCheckOptions } from './number-check/number-check';
export {
  numberLookups,
  type NumberLookups,
  type NumberLookupsOptions,
} from './number-check/number-lookups';
export { numberTypes, type NumberTypesOptions } from './number-types';
export { prefixVelocity, type PrefixVelocityOptions } from './prefix-velocity';
export { hlrSimSwap, type HlrSimSwap, type HlrSimSwapOptions } from './sim-swap/hlr-sim-swap';
export {
  simSwap,
  type SimSwapCheck,
  type SimSwapDate,
  type SimSwapOptions,
  type SimSwapProvider,
  type SimSwapQuestion,
} from './sim-swap/sim-swap';
export type { BalanceOptions } from './spend-limits/balance-watch';
export type { CountryAmount, SpendBudgets } from './spend-limits/budgets';
export { spendLimits, type SpendLimitsOptions } from './spend-limits/spend-limits';
