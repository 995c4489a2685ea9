import { type ServerResponse, STATUS_CODES } from 'node:http';
import { integer, maxValue, minValue, number, pipe, regex, string } from 'valibot';
import { gatewayErrorName } from '../../protocol/error-codes';
import { type Done, NO_PAYLOAD, type Outcome, type Refused } from '../calls/call';
import type { Readings } from '../readings';

/**
 * A JSON number written digit by digit: beyond 2^53, or with the trailing zeros of a price, a double cannot
 * hold it.
 */
export class NumberLiteral {
  constructor(readonly digits: string) {}
}

/** `JSON.stringify` that also writes number literals. */
function writeJson(value: unknown): string {
  if (value instanceof NumberLiteral) return value.digits;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`);
  return `{${members.join(',')}}`;
}

/** A final status, as an option names it. */
export const httpStatus = pipe(number(), integer(), minValue(200), maxValue(599));

/** Anything else would break the answer's head. */
export const headerValue = pipe(string(), regex(/^[\x20-\x7e]+$/));

/** An answer ready to be written. */
export interface Answer {
  readonly httpStatus: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The HTTP status of each code. Shown pairings: 401 with 1005, 404 with 1007. OTP spec §7, HLR spec §7.
 * Not shown in OTP spec §7, HLR spec §7: the others; chosen by the meaning of the statuses.
 */
const HTTP_STATUS_BY_CODE: Readonly<Record<number, number>> = {
  1004: 401,
  1005: 401,
  1007: 404,
  1009: 401,
  1222: 500,
  2002: 500,
  2100: 403,
  2102: 403,
  2121: 500,
};

/**
 * The status of every code that has none of its own: "often invalid parameters". OTP spec §7, HLR spec §7.
 */
const INVALID_PARAMETER = 422;

/** Writes what a call came to in the envelope. OTP spec §1, HLR spec §1. */
export function writeAnswer(outcome: Outcome, readings: Readings): Answer {
  return outcome.kind === 'done' ? writeSuccess(outcome, readings) : writeFailure(outcome, readings);
}

/** An envelope without payload and errors. */
export function writeBareStatus(httpStatus: number, readings: Readings): Answer {
  return envelop(httpStatus, {}, readings);
}

function writeSuccess({ httpStatus, payload }: Done, readings: Readings): Answer {
  const errors = { absent: {}, empty: { errors: [] }, null: { errors: null } }[readings.successErrors];
  return envelop(httpStatus, { ...(payload !== NO_PAYLOAD && { payload }), ...errors }, readings);
}

function writeFailure(refusal: Refused, readings: Readings): Answer {
  const { code } = refusal;
  const { failurePayload, codesAs } = readings;
  const payload = {
    absent: {},
    null: { payload: null },
    'empty-string': { payload: '' },
    'empty-object': { payload: {} },
  }[failurePayload];
  const error = {
    code: codesAs === 'number' ? code : String(code),
    message: gatewayErrorName(code) ?? 'Error',
  };
  return envelop(findStatus(refusal, readings), { ...payload, errors: [error] }, readings);
}

function findStatus({ code, httpStatus, isUnreadable }: Refused, readings: Readings): number {
  const { errorStatus, httpStatusByCode } = readings;
  if (httpStatus !== undefined) return httpStatus;
  if (errorStatus !== 'mapped') return errorStatus;
  if (isUnreadable === true) return 400;
  return httpStatusByCode[code] ?? HTTP_STATUS_BY_CODE[code] ?? INVALID_PARAMETER;
}

function envelop(httpStatus: number, members: object, { statusCodeAs, contentType }: Readings): Answer {
  const envelope = {
    status_code: statusCodeAs === 'number' ? httpStatus : String(httpStatus),
    status_message: statusMessage(httpStatus),
    ...members,
  };
  return { httpStatus, contentType, body: writeJson(envelope) };
}

/** OTP spec §1 writes "Not found", §7 "Unprocessable Request"; the other texts are HTTP's own. */
const STATUS_MESSAGES: Readonly<Record<number, string>> = {
  ...STATUS_CODES,
  404: 'Not found',
  422: 'Unprocessable Request',
};

function statusMessage(httpStatus: number): string {
  return STATUS_MESSAGES[httpStatus] ?? 'Unknown';
}

/** Writes a whole answer at once. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (response.destroyed) return;
  const body = Buffer.from(answer.body);
  writeHead(response, answer, body.length);
  response.end(body);
}

/** Writes the head of an answer with a body of that many bytes. */
export function writeHead(response: ServerResponse, answer: Answer, bytes: number): void {
  response.writeHead(answer.httpStatus, {
    'Content-Type': answer.contentType,
    'Content-Length': bytes,
    'Cache-Control': 'no-store',
    ...answer.headers,
  });
}
