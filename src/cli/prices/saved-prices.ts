import { array, nullable, object, picklist, safeParse, string, union, type GenericSchema } from 'valibot';
import { parseJson } from '../../stores/records';
import { CommandFailure } from '../failures';
import type { SavedPrices } from './price-list';

const nullableText = nullable(string());

const network = object({
  id: nullableText,
  countryName: nullableText,
  operatorName: nullableText,
  mcc: string(),
  mnc: string(),
  price: string(),
});

const country = object({
  id: nullableText,
  countryName: nullableText,
  countryCode: string(),
  countryIso: nullableText,
  price: string(),
});

const savedSchema = object({
  service: picklist(['otp', 'lookup']),
  currency: object({ name: nullableText, symbol: nullableText }),
  pricing: array(union([network, country])),
}) satisfies GenericSchema<unknown, SavedPrices>;

/** A list that `pricing --json` has written. @throws {CommandFailure} for anything else. */
export function readSavedPrices(text: string): SavedPrices {
  const parsed = safeParse(savedSchema, parseJson(text));
  if (parsed.success) return parsed.output;
  throw new CommandFailure('The saved list is none.', 'Make one with pricing --json > prices.json.');
}
