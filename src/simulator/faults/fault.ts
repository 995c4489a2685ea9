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
import { type Call, CALLS } from '../calls/call';
import { headerValue, httpStatus } from '../http/answer';
import { describeIssue } from '../options';

/** Whether the gateway has done what was asked when the fault strikes. */
interface Timing {
  /** Default `before`: nothing was done. */
  readonly when?: 'before' | 'after';
}

/** What can go wrong with one call. */
export type Fault =
  /** An error of the gateway's lists; nothing is processed. `status200` sends it with HTTP 200. */
  | {
      readonly kind: 'error';
      readonly code: number;
      readonly httpStatus?: number;
      readonly status200?: boolean;
    }
  /**
   * Waits, then processes as usual, unless the client has hung up. With `when: 'after'` it processes first.
   */
  | ({ readonly kind: 'latency'; readonly ms: number } & Timing)
  /** Keeps the connection open and says nothing. */
  | ({ readonly kind: 'no-answer' } & Timing)
  /** Resets the connection. */
  | ({ readonly kind: 'reset' } & Timing)
  /** Processes, promises the whole answer, sends half of it and resets. */
  | { readonly kind: 'half-answer' }
  /** A proxy's error page. */
  | ({ readonly kind: 'html-502' } & Timing)
  /** Processes and answers with another content type. */
  | { readonly kind: 'content-type'; readonly value: string }
  /** Processes and pads the answer to that many bytes, without saying its length before. */
  | { readonly kind: 'huge'; readonly bytes: number }
  /** Processes and pads the answer to that many bytes, which gzip makes small. */
  | { readonly kind: 'compressed'; readonly bytes: number }
  /** Default status 307, which repeats method and body; default location: a path of the simulator itself. */
  | ({ readonly kind: 'redirect'; readonly status?: number; readonly location?: string } & Timing)
  /** Processes and sends the answer byte by byte. */
  | { readonly kind: 'slow-drip'; readonly intervalMs: number }
  /** A well-formed envelope with neither payload nor errors, as in 429 and 503. */
  | ({ readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number } & Timing)
  /** Any answer at all. */
  | ({
      readonly kind: 'body';
      readonly status: number;
      readonly body: string;
      readonly contentType?: string;
    } & Timing);

/** The faults that need no data may be named by their kind. */
export type FaultName = 'no-answer' | 'reset' | 'half-answer' | 'html-502' | 'redirect';

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

interface Planned {
  readonly call: Call | 'any';
  readonly fault: Fault;
  remaining: number;
}

/** The faults that wait for their calls, in the order they were asked for. */
export class FaultQueue {
  #planned: Planned[] = [];

  add(call: Call | 'any', fault: Fault, times: number): void {
    this.#planned.push({ call, fault, remaining: times });
  }

  /** The fault for a call that has just arrived, or null. */
  take(call: Call): Fault | null {
    if (this.#planned.length === 0) return null;
    const planned = this.#planned.find((candidate) => candidate.call === call || candidate.call === 'any');
    if (planned === undefined) return null;
    planned.remaining -= 1;
    if (planned.remaining < 1) this.#planned = this.#planned.filter((candidate) => candidate !== planned);
    return planned.fault;
  }

  clear(): void {
    this.#planned = [];
  }
}
