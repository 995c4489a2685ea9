import { z } from 'zod';
import { CALLS, type Call } from '../calls/call';
import type { Fault, FaultName } from './fault';

/** One gibibyte: more would only test the machine. */
const bytes = z.int().min(1).max(1_073_741_824);
const delayMs = z.number().min(0).max(3_600_000);
const httpStatus = z.int().min(200).max(599);
/** Anything else would break the answer's head. */
const headerValue = z.string().regex(/^[\x20-\x7e]+$/);
const when = z.enum(['before', 'after']).optional();

const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('error'),
    code: z.int().positive(),
    httpStatus: httpStatus.optional(),
    status200: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal('latency'), ms: delayMs, when }),
  z.strictObject({ kind: z.literal('no-answer'), when }),
  z.strictObject({ kind: z.literal('reset'), when }),
  z.strictObject({ kind: z.literal('half-answer') }),
  z.strictObject({ kind: z.literal('html-502'), when }),
  z.strictObject({ kind: z.literal('content-type'), value: headerValue }),
  z.strictObject({ kind: z.literal('huge'), bytes }),
  z.strictObject({ kind: z.literal('compressed'), bytes }),
  z.strictObject({
    kind: z.literal('redirect'),
    status: httpStatus.optional(),
    location: headerValue.optional(),
    when,
  }),
  z.strictObject({ kind: z.literal('slow-drip'), intervalMs: delayMs }),
  z.strictObject({
    kind: z.literal('status'),
    status: httpStatus,
    retryAfterSeconds: z.int().min(0).optional(),
    when,
  }),
  z.strictObject({
    kind: z.literal('body'),
    status: httpStatus,
    body: z.string(),
    contentType: headerValue.optional(),
    when,
  }),
]);

const timesSchema = z.union([z.int().positive(), z.literal(Infinity)]);

/**
 * Checks what `failNext` was given.
 * @throws {TypeError} that says which part is wrong.
 */
export function checkFault(call: string, fault: Fault | FaultName, times: number): Fault {
  if (call !== 'any' && !CALLS.includes(call as Call)) {
    throw new TypeError(`failNext: call must be any or one of ${CALLS.join(', ')}`);
  }
  if (!timesSchema.safeParse(times).success) {
    throw new TypeError('failNext: times must be a whole number from 1, or Infinity');
  }
  const checked = faultSchema.safeParse(typeof fault === 'string' ? { kind: fault } : fault);
  if (!checked.success) throw new TypeError(`failNext: not a fault: ${z.prettifyError(checked.error)}`);
  // The schema is the type, save that absent members may be undefined in it.
  return checked.data as Fault;
}
