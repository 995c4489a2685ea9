/**
 * The country of a number as an ISO 3166-1 code, or null when it has none (satellite, shared codes, not a number).
 * Read by libphonenumber's full metadata, which is loaded at the first call.
 *
 * @param mobile E.164 with plus.
 */
export async function findNumberCountry(mobile: string): Promise<string | null> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  return parsePhoneNumberFromString(mobile, { extract: false })?.country ?? null;
}
