import { originOf, type PhoneType } from './number-country';
import type { Policy, PolicyMode } from './policy';

/** Territories that share a country's numbering, so that numbers of the one are easily read as the other's. */
const TERRITORIES: Readonly<Record<string, readonly string[]>> = {
  GB: ['GG', 'JE', 'IM'],
  FI: ['AX'],
  US: ['PR', 'VI', 'GU', 'AS', 'MP', 'UM'],
};

/** A country and the territories that share its numbering, as ISO 3166-1 codes. */
export function withTerritories(country: string): readonly string[] {
  return [country, ...(TERRITORIES[country] ?? [])];
}

/** What is said of a country holds for its territories too, unless it is said of them as well. */
export function extendToTerritories<Value>(
  byCountry: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  const named = Object.entries(byCountry);
  const extended = named.flatMap(([country, value]) =>
    withTerritories(country).map((code) => [code, value] as const),
  );
  return Object.fromEntries([...extended, ...named]);
}

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

/** Ranges that cost the caller, or reach no person's own phone. */
const DENIED_TYPES: readonly PhoneType[] = [
  'PREMIUM_RATE',
  'SHARED_COST',
  'TOLL_FREE',
  'UAN',
  'PAGER',
  'VOICEMAIL',
];

/** Denies numbers of the types that no login's code belongs to, and of those in `alsoDeny`. */
export function createNumberTypes(mode: PolicyMode, alsoDeny: readonly PhoneType[]): Policy<unknown> {
  const denied = new Set<PhoneType>([...DENIED_TYPES, ...alsoDeny]);
  return {
    name: 'number-types',
    stage: 'send',
    mode,
    check: async (context) => {
      const { type } = await originOf(context);
      if (type === null || !denied.has(type)) return 'allow';
      return { deny: 'unsuitable-phone', reasons: [`a number of type ${type}`] };
    },
  };
}

/** The policies every app has, then its own. Its own `numberTypes` takes the place of ours. */
export function withBuiltIns(
  countries: readonly string[] | 'any',
  policies: readonly Policy[],
): readonly Policy[] {
  const types = createNumberTypes('enforce', []);
  return [
    ...(countries === 'any' ? [] : [allowedCountries(countries)]),
    ...(policies.some(({ name }) => name === types.name) ? [] : [types]),
    ...policies,
  ];
}
