import { findNumberCountry } from './number-country';
import type { Policy } from './policy';

/** Territories that share a country's numbering: admitting the country admits them. */
const TERRITORIES: Readonly<Record<string, readonly string[]>> = {
  GB: ['GG', 'JE', 'IM'],
  FI: ['AX'],
  US: ['PR', 'VI', 'GU', 'AS', 'MP', 'UM'],
};

/**
 * Admits numbers of the listed countries only. The country is read from the number by libphonenumber's full metadata,
 * which is loaded at the first check. A number without a country (satellite, shared codes) is denied.
 *
 * @param countries ISO 3166-1 codes of two capital letters.
 */
export function allowedCountries(countries: readonly string[]): Policy<unknown> {
  const admitted = new Set(countries.flatMap((country) => [country, ...(TERRITORIES[country] ?? [])]));
  return {
    name: 'allowed-countries',
    stage: 'send',
    check: async ({ mobile }) => {
      const country = await findNumberCountry(mobile);
      return country !== null && admitted.has(country) ? 'allow' : { deny: 'country-not-allowed' };
    },
  };
}
