import {
  boolean,
  getDotPath,
  integer,
  literal,
  maxValue,
  minValue,
  number,
  optional,
  picklist,
  pipe,
  safeInteger,
  safeParse,
  strictObject,
  string,
  variant,
} from 'valibot';
import { CALLS, type Call } from '../calls/call';
import { describeIssue } from '../describe-issue';
import { headerValue, httpStatus } from '../http/head-rules';
import type { Fault, FaultName } from './fault';

/** One gibibyte: more would only test the machine. */
const bytes = pipe(number(), integer(), minValue(1), maxValue(1_073_741_824));
const delayMs = pipe(number(), minValue(0), maxValue(3_600_000));
const when = optional(picklist(['before', 'after']));

const faultSchema = variant('kind', [
  strictObject({
    kind: literal('error'),
    code: pipe(number(), safeInteger(), minValue(1)),
    httpStatus: optional(httpStatus),
    status200: optional(boolean()),
  }),
  strictObject({ kind: literal('latency'), ms: delayMs, when }),
  strictObject({ kind: literal('no-answer'), when }),
  strictObject({ kind: literal('reset'), when }),
  strictObject({ kind: literal('half-answer') }),
  strictObject({ kind: literal('html-502'), when }),
  strictObject({ kind: literal('content-type'), value: headerValue }),
  strictObject({ kind: literal('huge'), bytes }),
  strictObject({ kind: literal('compressed'), bytes }),
  strictObject({
    kind: literal('redirect'),
    status: optional(httpStatus),
    location: optional(headerValue),
    when,
  }),
  strictObject({ kind: literal('slow-drip'), intervalMs: delayMs }),
  strictObject({
    kind: literal('status'),
    status: httpStatus,
    retryAfterSeconds: optional(pipe(number(), safeInteger(), minValue(0))),
    when,
  }),
  strictObject({
    kind: literal('body'),
    status: httpStatus,
    body: string(),
    contentType: optional(headerValue),
    when,
  }),
]);

/**
 * Checks what `failNext` was given.
 * @throws {TypeError} that says which part is wrong.
 */
export function checkFault(call: string, fault: Fault | FaultName, times: number): Fault {
  if (call !== 'any' && !CALLS.includes(call as Call)) {
    throw new TypeError(`failNext: call must be any or one of ${CALLS.join(', ')}`);
  }
  if (times !== Infinity && !(Number.isSafeInteger(times) && times >= 1)) {
    throw new TypeError('failNext: times must be a whole number from 1, or Infinity');
  }
  const given = typeof fault === 'string' ? { kind: fault } : fault;
  const checked = safeParse(faultSchema, given, { message: describeIssue });
  if (!checked.success) {
    const [issue] = checked.issues;
    throw new TypeError(`failNext: not a fault: ${getDotPath(issue) ?? 'fault'}: ${issue.message}`);
  }
  // The schema is the type, save that absent members may be undefined in it.
  return checked.output as Fault;
}
