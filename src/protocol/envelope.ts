import { z } from 'zod';

/** A whole number, or the same as a string of digits. Not shown in OTP spec §1: codes as JSON numbers or strings. */
export const wholeNumber = z.union([
  z.number().int().nonnegative(),
  z
    .string()
    .regex(/^[0-9]{1,9}$/)
    .transform(Number),
]);

/** OTP spec §2, error object; HLR spec §7. The message is never read: it is foreign text. */
const errorObject = z.looseObject({ code: wholeNumber });

/** OTP spec §1, HLR spec §1: the envelope of every answer. Members may be added. */
const envelopeSchema = z.looseObject({
  status_code: wholeNumber.optional(),
  payload: z.unknown().optional(),
  errors: z.array(errorObject).nullish(),
});

/** What an answer says, once transport is out of the way. */
export type Answer =
  | { readonly kind: 'success'; readonly payload: unknown; readonly hasPayload: boolean }
  | { readonly kind: 'rejected'; readonly code: number | null }
  | { readonly kind: 'malformed' };

const malformed: Answer = { kind: 'malformed' };

/**
 * Sorts the parsed body of an answer. Success is a positive statement: HTTP 200 or 201, a `status_code` of success if
 * the member is there, and no errors. HTTP 200 does not always mean success. OTP spec §1, §7; HLR spec §1, §7.
 *
 * Not shown in OTP spec §7: which HTTP status carries which code, so errors count under any status.
 * Not shown in OTP spec §1: whether a success has an empty or null `errors`, whether a failure has a `payload`: both are read.
 * Not shown in OTP spec §7: 429 and 5xx without an error object. They count as rejected when `status_code` repeats the status.
 */
export function readEnvelope(httpStatus: number, body: unknown): Answer {
  const parsed = envelopeSchema.safeParse(body);
  if (!parsed.success) return malformed;
  const { status_code: statusCode, errors, payload } = parsed.data;
  const [firstError] = errors ?? [];
  if (firstError !== undefined) return { kind: 'rejected', code: firstError.code };
  if (isSuccess(httpStatus) && (statusCode === undefined || isSuccess(statusCode))) {
    return { kind: 'success', payload, hasPayload: 'payload' in parsed.data };
  }
  const isTemporary = httpStatus === 429 || httpStatus >= 500;
  return isTemporary && statusCode === httpStatus ? { kind: 'rejected', code: null } : malformed;
}

function isSuccess(status: number): boolean {
  return status === 200 || status === 201;
}

/** A decimal amount as a string, never a float. Not shown in OTP spec §2: `cost` as number or string; both are read. */
export function readDecimal(amount: unknown): string | null {
  const text = typeof amount === 'number' ? String(amount) : amount;
  return typeof text === 'string' && /^-?[0-9]{1,15}(\.[0-9]{1,10})?$/.test(text) ? text : null;
}

/** A text member, or null when it is missing or odd. */
export function readText(text: unknown): string | null {
  return typeof text === 'string' && text !== '' ? text : null;
}

/** True for a JSON object, false for null and arrays. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
