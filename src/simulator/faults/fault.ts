import { z } from 'zod';
import { oneOf, parseOptions, strictOptions, switchOption, wholeNumber } from '../../define-options';
import { type Call, CALLS } from '../calls/call';
import { headerValue, httpStatus } from '../readings';

/** One gibibyte: more would only test the machine. */
const bytes = wholeNumber(1, 1_073_741_824);
const DELAY = 'must be a number of milliseconds from 0 to 3600000';
const delayMs = z.number(DELAY).min(0, DELAY).max(3_600_000, DELAY);
const retryAfterSeconds = wholeNumber(0, Number.MAX_SAFE_INTEGER).optional();

/** Whether the gateway has processed the request when the fault occurs. Default `before`: nothing was processed. */
const when = oneOf('before', 'after').optional();

const faultSchema = z.discriminatedUnion(
  'kind',
  [
    /**
     * An error of the gateway's lists; nothing is processed. `status200` sends it with HTTP 200; `retryAfterSeconds`
     * adds a `Retry-After` header.
     */
    strictOptions({
      kind: z.literal('error'),
      code: wholeNumber(1, Number.MAX_SAFE_INTEGER),
      httpStatus: httpStatus.optional(),
      status200: switchOption().optional(),
      retryAfterSeconds,
    }),
    /**
     * Waits, then processes as usual, unless the client has closed the connection. With `when: 'after'` it processes
     * first.
     */
    strictOptions({ kind: z.literal('latency'), ms: delayMs, when }),
    /** Keeps the connection open and sends nothing. */
    strictOptions({ kind: z.literal('no-answer'), when }),
    /** Resets the connection. */
    strictOptions({ kind: z.literal('reset'), when }),
    /** Processes, announces the whole answer, sends half of it and resets the connection. */
    strictOptions({ kind: z.literal('half-answer') }),
    /** A proxy's error page. */
    strictOptions({ kind: z.literal('html-502'), when }),
    /** Processes and answers with another content type. */
    strictOptions({ kind: z.literal('content-type'), value: headerValue }),
    /** Processes and pads the answer to that many bytes, without announcing its length. */
    strictOptions({ kind: z.literal('huge'), bytes }),
    /** Processes and pads the answer to that many bytes, which gzip makes small. */
    strictOptions({ kind: z.literal('compressed'), bytes }),
    /** Default status 307, which repeats method and body; default location: a path of the simulator itself. */
    strictOptions({
      kind: z.literal('redirect'),
      status: httpStatus.optional(),
      location: headerValue.optional(),
      when,
    }),
    /** Processes and sends the answer byte by byte. */
    strictOptions({ kind: z.literal('slow-drip'), intervalMs: delayMs }),
    /**
     * A well-formed envelope with neither payload nor errors, as in 429 and 503; with `envelope: false` a plain text, as
     * a load balancer sends it. `retryAfterSeconds` adds a `Retry-After` header.
     */
    strictOptions({
      kind: z.literal('status'),
      status: httpStatus,
      retryAfterSeconds,
      envelope: switchOption().optional(),
      when,
    }),
    /** Any answer at all. */
    strictOptions({
      kind: z.literal('body'),
      status: httpStatus,
      body: z.string('must be a string'),
      contentType: headerValue.optional(),
      when,
    }),
  ],
  'must be a known kind of fault',
);

/** What can go wrong with one call. */
export type Fault = Readonly<z.output<typeof faultSchema>>;

/** The faults that need no data may be named by their kind. */
export type FaultName = 'no-answer' | 'reset' | 'half-answer' | 'html-502' | 'redirect';

const failNextSchema = z.object({
  call: z.enum(['any', ...CALLS], `must be any or one of ${CALLS.join(', ')}`),
  fault: faultSchema,
  times: z.union(
    [z.literal(Infinity), wholeNumber(1, Number.MAX_SAFE_INTEGER)],
    'must be a whole number from 1, or Infinity',
  ),
});

/**
 * Checks the arguments of `failNext` and returns the fault.
 * @throws {TypeError} that names the wrong part and never shows its value.
 */
export function checkFault(call: string, fault: Fault | FaultName, times: number): Fault {
  const given = typeof fault === 'string' ? { kind: fault } : fault;
  return parseOptions('failNext', failNextSchema, { call, fault: given, times }).fault;
}

interface PlannedFault {
  readonly call: Call | 'any';
  readonly fault: Fault;
  remaining: number;
}

/** The faults that wait for their calls, in the order they were added. */
export class FaultQueue {
  #planned: PlannedFault[] = [];

  add(call: Call | 'any', fault: Fault, times: number): void {
    this.#planned.push({ call, fault, remaining: times });
  }

  /** Returns the fault for a call that has just arrived, or null. */
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
