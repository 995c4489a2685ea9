import { allowedCountries } from './allowed-countries';
import { numberTypes } from './number-types';
import type { Policy } from './policy';

/** The policies every app has, then its own. Its own `numberTypes` takes the place of ours. */
export function withBuiltIns(
  countries: readonly string[] | 'any',
  policies: readonly Policy[],
): readonly Policy[] {
  const types = numberTypes();
  return [
    ...(countries === 'any' ? [] : [allowedCountries(countries)]),
    ...(policies.some(({ name }) => name === types.name) ? [] : [types]),
    ...policies,
  ];
}
