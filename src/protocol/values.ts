import { z } from 'zod';
import { closestName } from '../closest-name';
import { MOBILE_PROBLEM, readDigits, toDigits } from './mobile';

/** Reads a value, or returns null if it is malformed. */
export type ReadValue<Value> = (value: unknown) => Value | null;

/**
 * Returns the schema of a required field. One function replaces a union and its transformations:
 * zod would run each of them separately, which took most of the time of reading an answer.
 */
export function required<Value>(read: ReadValue<Value>, problem = 'is malformed') {
  return z.transform((value: unknown, context): Value => {
    const result = read(value);
    if (result !== null) return result;
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  });
}

/**
 * Returns the schema of a field without influence on a decision: missing and malformed values
 * become null.
 */
export function orNull<Value>(read: ReadValue<Value>) {
  return z.transform(read);
}

/**
 * Reads a whole number from zero, or a string of up to nine digits. Numbers that are not exact in a
 * float are refused. Not shown in OTP spec §1: codes as JSON numbers or strings.
 */
export function readWholeNumber(value: unknown): number | null {
  if (typeof value === 'string') return /^[0-9]{1,9}$/.test(value) ? Number(value) : null;
  return isCount(value) ? value : null;
}

/**
 * Reads a decimal amount as a string, never as a float. Not shown in OTP spec §2: `cost` as number
 * or string. Both are read.
 */
export function readDecimal(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const amount = String(value);
  return /^-?[0-9]{1,15}(\.[0-9]{1,10})?$/.test(amount) ? amount : null;
}

/** Reads a string that is not empty. */
export function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/**
 * Reads a string that is not empty, or the digits of a JSON number: the documents say string, but
 * samples have both.
 */
export function readDigitsOrText(value: unknown): string | null {
  return isCount(value) ? String(value) : readText(value);
}

/** Reads a number in an answer as E.164 with plus. */
export function readMobile(value: unknown): string | null {
  const digits = readDigits(value);
  return digits === null ? null : `+${digits}`;
}

/** The digits of a number that the caller passed in. */
export const requestMobile = required(toDigits, MOBILE_PROBLEM);

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Reads a value with a schema. Null if it does not match. */
export function readOrNull<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> | null {
  const result = schema.safeParse(value);
  return result.success ? result.data : null;
}

/** The names and messages for inputs of the caller. */
const INPUTS = {
  field: 'the input must be an object',
  option: 'options must be an object',
} as const;

/** Returns a schema for an object of the caller with these fields and no others. */
export function strictInput<Shape extends z.core.$ZodLooseShape>(
  what: keyof typeof INPUTS,
  shape: Shape,
) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return INPUTS[what];
      const [unknown = ''] = issue.keys as readonly string[];
      const meant = closestName(unknown, Object.keys(shape));
      return `unknown ${what} ${unknown}${meant === undefined ? '' : `, did you mean ${meant}?`}`;
    },
  });
}

/**
 * Checks the input of a call.
 * @throws {TypeError} that names the field and never shows its value.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const { issues } = result.error;
  // Report a misspelt field first: it explains why another one seems to be missing.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  throw new TypeError([...(issue?.path ?? []), issue?.message].join(' '));
}
