import { z } from 'zod';
import { readOrNull, readWholeNumber, required } from './values';

/**
 * The envelope of every answer; fields may be added to it. The message of an error is never read:
 * it is foreign text.
 * @see OTP spec §1, response envelope; §2, error object; HLR spec §1, §7
 *
 * Not shown in OTP spec §1: whether a success has an empty or null `errors`, whether a failure has
 * a `payload`: both are read.
 */
const envelopeSchema = z.compile(
  z.object({
    status_code: required(readWholeNumber).optional(),
    payload: z.unknown().optional(),
    errors: z.array(z.object({ code: required(readWholeNumber) })).nullish(),
  }),
);

/** What an answer reports, once transport is out of the way. */
export type EnvelopeResult =
  | { readonly kind: 'success'; readonly payload: unknown; readonly hasPayload: boolean }
  | { readonly kind: 'rejected'; readonly code: number | null }
  | { readonly kind: 'malformed' };

/**
 * Classifies the parsed body of an answer. Success is a positive statement: HTTP 200 or 201, a
 * `status_code` of success if the field is there, and no errors. HTTP 200 does not always mean
 * success. OTP spec §1, §7; HLR spec §1, §7.
 *
 * Not shown in OTP spec §7: which HTTP status carries which code, so errors count under any status.
 * Not shown in OTP spec §7: 429 and 5xx without an error object. They count as rejected when
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
 * Parses the JSON text of an answer; undefined when it is not JSON. An `id` beyond 2^53, which the
 * platform's parser would round, becomes a string with every digit. Not shown in OTP spec §2: how
 * large the id of B may be.
 */
export function parseAnswer(json: string): unknown {
  try {
    const answer: unknown = JSON.parse(json);
    // Only valid JSON gets here, so that the second text differs from the first in the quotes
    // alone.
    const hasLongId = json.includes('"id"') && LONG_NUMBER.test(json);
    return hasLongId ? JSON.parse(json.replace(STRING_AND_NUMBER, quoteLongId)) : answer;
  } catch {
    // The platform's message would quote the text; undefined is not an envelope, which is all the
    // caller needs to know.
  }
  return undefined;
}

const LONG_NUMBER = /[0-9]{16}/;

/** A string, and the long whole number behind it when the string is the name of a field. */
const STRING_AND_NUMBER = /("(?:[^"\\]|\\.)*")(?:(\s*:\s*)([0-9]{16,20})(?=\s*[,}]))?/g;

function quoteLongId(all: string, name: string, colon: string, digits: string | undefined): string {
  return name === '"id"' && digits !== undefined ? `${name}${colon}"${digits}"` : all;
}
