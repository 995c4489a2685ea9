import { type ServerResponse, STATUS_CODES } from 'node:http';
import { gatewayErrorName } from '../../protocol/error-codes';
import {
  type Done,
  NO_PAYLOAD,
  NumberLiteral,
  type Outcome,
  type RefusedCall,
} from '../calls/call';
import type { Readings } from '../readings';

export interface SimulatedAnswer {
  readonly httpStatus: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Puts the result of a call into the envelope. OTP spec §1, HLR spec §1. */
export function createAnswer(outcome: Outcome, readings: Readings): SimulatedAnswer {
  return outcome.kind === 'done'
    ? createSuccess(outcome, readings)
    : createFailure(outcome, readings);
}

/** Returns an envelope without payload and errors. */
export function createBareAnswer(httpStatus: number, readings: Readings): SimulatedAnswer {
  return createEnvelope(httpStatus, {}, readings);
}

function createSuccess(outcome: Done, readings: Readings): SimulatedAnswer {
  const { payload } = outcome;
  const errors = { absent: {}, empty: { errors: [] }, null: { errors: null } }[
    readings.successErrors
  ];

  // Do not add a field to an empty object: it is the payload of validate, and would no longer be a
  // success.
  const isFilled =
    typeof payload === 'object' && payload !== null && Object.keys(payload).length > 0;
  const shown = isFilled ? { ...payload, ...extraField(readings) } : payload;

  const fields = { ...(payload !== NO_PAYLOAD && { payload: shown }), ...errors };
  return createEnvelope(outcome.httpStatus, fields, readings);
}

function createFailure(refusal: RefusedCall, readings: Readings): SimulatedAnswer {
  const payload = {
    absent: {},
    null: { payload: null },
    'empty-string': { payload: '' },
    'empty-object': { payload: {} },
  }[readings.failurePayload];

  const codes = [refusal.code, ...(refusal.furtherCodes ?? [])];
  const errors = codes.map((code) => ({
    code: readings.codesAs === 'number' ? code : String(code),
    ...(readings.errorMessage === 'text' && { message: gatewayErrorName(code) ?? 'Error' }),
    ...extraField(readings),
  }));

  return createEnvelope(findStatus(refusal, readings), { ...payload, errors }, readings);
}

/** Not shown in OTP spec §9, HLR spec §9: fields that the documents do not list. */
function extraField(readings: Readings): object {
  return readings.extraFields ? { undocumented: { added: true } } : {};
}

/**
 * The HTTP status of each code. Shown pairings: 401 with 1005, 404 with 1007. OTP spec §7, HLR spec
 * §7. Not shown in OTP spec §7, HLR spec §7: the others; chosen by the meaning of the statuses.
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

/** The status of every other code: "often invalid parameters". OTP spec §7, HLR spec §7. */
const INVALID_PARAMETER = 422;

function findStatus(refusal: RefusedCall, readings: Readings): number {
  const { code } = refusal;
  if (refusal.httpStatus !== undefined) return refusal.httpStatus;
  if (readings.errorStatus !== 'mapped') return readings.errorStatus;
  if (refusal.isUnreadable === true) return 400;
  return readings.httpStatusByCode[code] ?? HTTP_STATUS_BY_CODE[code] ?? INVALID_PARAMETER;
}

function createEnvelope(httpStatus: number, fields: object, readings: Readings): SimulatedAnswer {
  const envelope = {
    ...formatStatusCode(httpStatus, readings),
    ...(readings.statusMessage === 'text' && { status_message: statusMessage(httpStatus) }),
    ...fields,
    ...extraField(readings),
  };
  return { httpStatus, contentType: readings.contentType, body: writeJson(envelope) };
}

function formatStatusCode(httpStatus: number, readings: Readings): object {
  const { statusCodeAs } = readings;
  const firstOfClass = httpStatus - (httpStatus % 100);

  const forms = {
    number: httpStatus,
    string: String(httpStatus),
    other: httpStatus === firstOfClass ? httpStatus + 1 : firstOfClass,
  };
  return statusCodeAs === 'missing' ? {} : { status_code: forms[statusCodeAs] };
}

/**
 * OTP spec §1 writes "Not found", §7 "Unprocessable Request". The other messages are HTTP's own.
 */
const STATUS_MESSAGES: Readonly<Record<number, string>> = {
  ...STATUS_CODES,
  404: 'Not found',
  422: 'Unprocessable Request',
};

export function statusMessage(httpStatus: number): string {
  return STATUS_MESSAGES[httpStatus] ?? 'Unknown';
}

/** Works like `JSON.stringify`, but also writes number literals. */
function writeJson(value: unknown): string {
  if (value instanceof NumberLiteral) return value.digits;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => `${JSON.stringify(name)}:${writeJson(field)}`);
  return `{${fields.join(',')}}`;
}

export function sendAnswer(response: ServerResponse, answer: SimulatedAnswer): void {
  if (response.destroyed) return;
  const body = Buffer.from(answer.body);
  writeHead(response, answer, body.length);
  response.end(body);
}

export function writeHead(response: ServerResponse, answer: SimulatedAnswer, bytes: number): void {
  response.writeHead(answer.httpStatus, {
    'Content-Type': answer.contentType,
    'Content-Length': bytes,
    'Cache-Control': 'no-store',
    ...answer.headers,
  });
}
