/** What an answer says, once transport is out of the way. */
export type Answer =
  | { readonly kind: 'success'; readonly payload: unknown; readonly hasPayload: boolean }
  | { readonly kind: 'rejected'; readonly code: number | null }
  | { readonly kind: 'malformed' };

const malformed: Answer = { kind: 'malformed' };

/**
 * Sorts the parsed body of an answer, the envelope of OTP spec §1, HLR spec §1; members may be added to it. Success is a
 * positive statement: HTTP 200 or 201, a `status_code` of success if the member is there, and no errors. HTTP 200 does not
 * always mean success. OTP spec §1, §7; HLR spec §1, §7.
 *
 * Not shown in OTP spec §7: which HTTP status carries which code, so errors count under any status.
 * Not shown in OTP spec §1: whether a success has an empty or null `errors`, whether a failure has a `payload`: both are read.
 * Not shown in OTP spec §7: 429 and 5xx without an error object. They count as rejected when `status_code` repeats the status.
 */
export function readEnvelope(httpStatus: number, body: unknown): Answer {
  if (!isRecord(body)) return malformed;
  const statusCode = body.status_code === undefined ? undefined : readWholeNumber(body.status_code);
  const codes = readErrorCodes(body.errors);
  if (statusCode === null || codes === null) return malformed;
  const [code] = codes;
  if (code !== undefined) return { kind: 'rejected', code };
  if (isSuccess(httpStatus) && (statusCode === undefined || isSuccess(statusCode))) {
    return { kind: 'success', payload: body.payload, hasPayload: 'payload' in body };
  }
  const isTemporary = httpStatus === 429 || httpStatus >= 500;
  return isTemporary && statusCode === httpStatus ? { kind: 'rejected', code: null } : malformed;
}

/**
 * The codes of the error objects, null when there is anything else among them. OTP spec §2, error object; HLR spec §7.
 * The message is never read: it is foreign text.
 */
function readErrorCodes(errors: unknown): readonly number[] | null {
  if (errors === undefined || errors === null) return [];
  if (!Array.isArray(errors)) return null;
  const codes = errors.map((error: unknown) => (isRecord(error) ? readWholeNumber(error.code) : null));
  return codes.every((code) => code !== null) ? codes : null;
}

function isSuccess(status: number): boolean {
  return status === 200 || status === 201;
}

/**
 * A whole number, or the same as a string of digits. Null for anything else, also for numbers that a float cannot count.
 * Not shown in OTP spec §1: codes as JSON numbers or strings.
 */
export function readWholeNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : null;
  return typeof value === 'string' && /^[0-9]{1,9}$/.test(value) ? Number(value) : null;
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

/** True for an object without a class: a Map or a Date has members that would be overlooked. */
export function isDictionary(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.hasOwn(Object(prototype) as object, 'isPrototypeOf');
}
