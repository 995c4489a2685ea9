import { z } from 'zod';
import { readOrNull, readWholeNumber, required } from './values';

/**
 * The envelope of every answer. Additional fields are allowed. The message of an error is never
 * read, because its content is unknown.
 * @see OTP spec §1, response envelope; §2, error object; HLR spec §1, §7
 *
 * Not shown in OTP spec §1: whether a success has an empty or null `errors`, whether a failure has
 * a `payload`. Both are read.
 */
const envelopeSchema = z.compile(
  z.object({
    status_code: required(readWholeNumber).optional(),
    payload: z.unknown().optional(),
    errors: z.array(z.object({ code: required(readWholeNumber) })).nullish(),
  }),
);

/** The content of an answer, apart from its transport. */
export type EnvelopeResult =
  | { readonly kind: 'success'; readonly payload: unknown; readonly hasPayload: boolean }
  | { readonly kind: 'rejected'; readonly code: number | null }
  | { readonly kind: 'malformed' };

/**
 * Classifies the parsed body of an answer. It is a success only with HTTP 200 or 201, a
 * `status_code` of success if the field is present, and no errors. HTTP 200 does not always mean
 * success. OTP spec §1, §7; HLR spec §1, §7.
 *
 * Not shown in OTP spec §7: which HTTP status carries which code, so errors count under any status.
 * Not shown in OTP spec §7: 429 and 5xx without an error object. They count as rejected if
 * `status_code` repeats the status.
 */
export function readEnvelope(httpStatus: number, body: unknown): EnvelopeResult {
  const envelope = readOrNull(envelopeSchema, body);
  if (envelope === null) return { kind: 'malformed' };

  const { status_code: statusCode, errors } = envelope;
  const error = errors?.[0];
  if (error !== undefined) return { kind: 'rejected', code: error.code };
  if (isSuccess(httpStatus) && (statusCode === undefined || isSuccess(statusCode))) {
    return { kind: 'success', payload: envelope.payload, hasPayload: 'payload' in envelope };
  }

  const isTemporary = httpStatus === 429 || httpStatus >= 500;
  return isTemporary && statusCode === httpStatus
    ? { kind: 'rejected', code: null }
    : { kind: 'malformed' };
}

function isSuccess(status: number): boolean {
  return status === 200 || status === 201;
}

/**
 * Parses the JSON of an answer. Undefined if it is not JSON. An `id` above 2^53, which the
 * platform's parser would round, becomes a string with every digit. Not shown in OTP spec §2: how
 * large the id of B may be.
 */
export function parseAnswer(json: string): unknown {
  try {
    const answer: unknown = JSON.parse(json);
    // The JSON is valid here, so the second string differs from the first only in the quotes.
    const hasLongId = json.includes('"id"') && LONG_NUMBER.test(json);
    return hasLongId ? JSON.parse(json.replace(STRING_AND_NUMBER, quoteLongId)) : answer;
  } catch {
    // Ignore the platform's error, whose message would quote the answer. Undefined is not an
    // envelope.
  }
  return undefined;
}

const LONG_NUMBER = /[0-9]{16}/;

/** Matches a string, with the long whole number after it if the string is the name of a field. */
const STRING_AND_NUMBER = /("(?:[^"\\]|\\.)*")(?:(\s*:\s*)([0-9]{16,20})(?=\s*[,}]))?/g;

function quoteLongId(all: string, name: string, colon: string, digits: string | undefined): string {
  return name === '"id"' && digits !== undefined ? `${name}${colon}"${digits}"` : all;
}
