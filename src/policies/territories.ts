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
