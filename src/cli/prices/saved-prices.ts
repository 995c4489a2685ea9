import { z } from 'zod';
import { CommandFailure } from '../failures';
import type { SavedPrices } from './price-list';

const nullableText = z.string().nullable();

const network = z.object({
  id: nullableText,
  countryName: nullableText,
  operatorName: nullableText,
  mcc: z.string(),
  mnc: z.string(),
  price: z.string(),
});

const country = z.object({
  id: nullableText,
  countryName: nullableText,
  countryCode: z.string(),
  countryIso: nullableText,
  price: z.string(),
});

const savedSchema = z.object({
  service: z.enum(['otp', 'lookup']),
  currency: z.object({ name: nullableText, symbol: nullableText }),
  pricing: z.array(z.union([network, country])),
}) satisfies z.ZodType<SavedPrices>;

/** A list that `pricing --json` has written. @throws {CommandFailure} for anything else. */
export function readSavedPrices(text: string): SavedPrices {
  const parsed = savedSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new CommandFailure('The saved list is none.', 'Make one with pricing --json > prices.json.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The platform's message would quote the file; undefined is no list, which says it all.
    return undefined;
  }
}
