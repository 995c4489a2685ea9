import { originOf } from './number-country';
import type { Policy } from './policy';
import { withTerritories } from './territories';

/**
 * Admits numbers of the listed countries only. The country is read from the number by libphonenumber's full metadata,
 * which is loaded at the first check. Admitting a country admits its territories. A number without a country (satellite, shared codes) is denied.
 *
 * @param countries ISO 3166-1 codes of two capital letters.
 */
export function allowedCountries(countries: readonly string[]): Policy<unknown> {
  const admitted = new Set(countries.flatMap(withTerritories));
  return {
    name: 'allowed-countries',
    stage: 'send',
    check: async (context) => {
      const { country } = await originOf(context);
      return country !== null && admitted.has(country) ? 'allow' : { deny: 'country-not-allowed' };
    },
  };
}
