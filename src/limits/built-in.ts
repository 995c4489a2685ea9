import { readKeys } from './charge';
import { originOf, type PhoneType } from './number-country';
import type { Policy, PolicyContext, PolicyMode } from './policy';

/**
 * Returns the policies of every app, followed by its own. Its own `numberTypes` replaces the
 * built-in one.
 */
export function withBuiltIns(
  countries: readonly string[] | 'any',
  policies: readonly Policy[],
): readonly Policy[] {
  const types = createNumberTypes('enforce', []);
  return [
    allowedCountries(countries),
    ...(policies.some(({ name }) => name === types.name) ? [] : [types]),
    ...policies,
  ];
}

/**
 * Allows only numbers of the listed countries. The country is read with libphonenumber's full
 * metadata, which is loaded at the first check. A listed country includes its territories. A number
 * without a country (satellite, international networks) is denied. A range that the metadata does
 * not know counts as the main country of its calling code, but only if the number is proven.
 * Otherwise it is denied as `unknown-range`.
 *
 * @param countries ISO 3166-1 codes, two capital letters each, or every country.
 */
export function allowedCountries(countries: readonly string[] | 'any'): Policy<unknown> {
  const allowed = countries === 'any' ? null : new Set(countries.flatMap(withTerritories));
  return {
    name: 'allowed-countries',
    stage: 'send',
    check: async (context) => {
      const { country, isCountryAssumed } = await originOf(context);
      if (country === null || allowed?.has(country) === false)
        return { deny: 'country-not-allowed' };

      if (!isCountryAssumed || (await isProven(context))) return 'allow';
      return { deny: 'unknown-range', reasons: [`a range that counts as ${country}`] };
    },
  };
}

/**
 * Returns whether the app confirms the number, or the user has entered a code that was sent to it.
 */
async function isProven(context: PolicyContext<unknown>): Promise<boolean> {
  if (context.isConfirmed === true) return true;

  const readCount = await readKeys(context.counters, context.provenKeys);
  return context.provenKeys.some((key) => readCount(key).count > 0);
}

/** Ranges that cost the recipient money, or that do not reach a person's own phone. */
export const DENIED_TYPES: readonly PhoneType[] = [
  'PREMIUM_RATE',
  'SHARED_COST',
  'TOLL_FREE',
  'UAN',
  'PAGER',
  'VOICEMAIL',
  'PERSONAL_NUMBER',
];

/** Denies numbers of types to which no code should be sent, and of the types in `alsoDeny`. */
export function createNumberTypes(
  mode: PolicyMode,
  alsoDeny: readonly PhoneType[],
): Policy<unknown> {
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

/**
 * Territories that share a country's numbering plan. Their users often do not know that they have
 * the number of another country.
 */
const TERRITORIES: Readonly<Record<string, readonly string[]>> = {
  GB: ['GG', 'JE', 'IM'],
  FI: ['AX'],
  US: ['PR', 'VI', 'GU', 'AS', 'MP', 'UM'],
};

/** Returns a country and the territories that share its numbering plan, as ISO 3166-1 codes. */
export function withTerritories(country: string): readonly string[] {
  return [country, ...(TERRITORIES[country] ?? [])];
}

/**
 * Copies each country's value to its territories, except to those that have a value of their own.
 */
export function extendToTerritories<Value>(
  byCountry: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  const named = Object.entries(byCountry);
  const extended = named.flatMap(([country, value]) =>
    withTerritories(country).map((code) => [code, value] as const),
  );
  return Object.fromEntries([...extended, ...named]);
}
