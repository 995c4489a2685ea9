import { z } from 'zod';
import { MOBILE_PROBLEM, readDigits, toDigits } from './mobile';

/**
 * A whole number, or the same as a string of digits. Numbers that a float cannot count are refused.
 * Not shown in OTP spec §1: codes as JSON numbers or strings.
 */
export const wholeNumber = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^[0-9]{1,9}$/)
    .transform(Number),
]);

/** A decimal amount, read as a string, never a float. Not shown in OTP spec §2: `cost` as number or string; both are read. */
export const decimal = z
  .union([z.string(), z.number().transform(String)])
  .pipe(z.string().regex(/^-?[0-9]{1,15}(\.[0-9]{1,10})?$/));

/** A string that is not empty. */
export const text = z.string().min(1);

/** A string that is not empty, or a JSON number as its digits: the documents say string, samples have both. */
export const digitsOrText = z.union([text, z.int().min(0).transform(String)]);

/** A number in an answer, as E.164 with plus. */
export const answeredMobile = z
  .unknown()
  .transform(readDigits)
  .pipe(z.string().transform((digits) => `+${digits}`));

/** The digits of a number that the caller passed in. */
export const requestMobile = z.unknown().transform(toDigits).pipe(z.string(MOBILE_PROBLEM));

/** Makes a field optional that no decision depends on: missing and malformed values are read as null. */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  // The default first: a missing value is no error that has to be made and caught.
  return schema.nullable().default(null).catch(null);
}

/** Reads a value with a schema; null when it does not fit. */
export function readOrNull<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> | null {
  const result = schema.safeParse(value);
  return result.success ? result.data : null;
}

/** Reads a decimal amount, or null. */
export function readDecimal(amount: unknown): string | null {
  return readOrNull(decimal, amount);
}

/**
 * Checks the input of a call.
 * @throws {TypeError} that names the field and never shows its value.
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new TypeError([...(issue?.path ?? []), issue?.message].join(' '));
}
