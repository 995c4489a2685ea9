import type { Fault } from '../../support/gateway-faults';

/** Status and body of an answer of the app. */
export type Told = readonly [status: number, body: object];

/** One way in which a call of the gateway goes wrong, and what its users are told, at each call. */
export interface GatewayFault {
  readonly title: string;
  /** `refused`: nobody listens. */
  readonly fault: Fault | 'refused';
  readonly auth: Told;
  readonly generate: Told;
  readonly validate: Told;
  /** Whether the pending login lives on when this befalls a validate call. */
  readonly lives: boolean;
  /** Whether it is told by a deadline. */
  readonly isSilent: boolean;
}

const WRONG: Told = [401, { error: 'invalid-code' }];

function accident(status: number, name: string): Told {
  return [status, { code: `ERR_GATEWAY_${name}` }];
}

/** Before the call that waits for a token has left, nothing is lost: try again later. */
const UNSENT = accident(503, 'UNREACHABLE');

function row(
  title: string,
  fault: GatewayFault['fault'],
  told: Told,
  { auth = told, validate = told, lives = false, isSilent = false }: Partial<GatewayFault> = {},
): GatewayFault {
  return { title, fault, auth, generate: told, validate, lives, isSilent };
}

function silent(title: string, fault: Fault): GatewayFault {
  return row(title, fault, accident(504, 'TIMEOUT'), { isSilent: true });
}

function body(status: number, text: string, contentType = 'application/json'): Fault {
  return { kind: 'body', status, body: text, contentType };
}

const LOST = accident(502, 'UNREACHABLE');
const ODD = accident(502, 'RESPONSE');
const REFUSED = accident(502, 'REJECTED');
const TRY_LATER = accident(503, 'REJECTED');

/** Every way in which the gateway fails. Each call meets each of them. */
export const GATEWAY_FAULTS: readonly GatewayFault[] = [
  row('a refused connection', 'refused', UNSENT, { lives: true }),
  silent('no answer', 'no-answer'),
  silent('no answer after processing', { kind: 'no-answer', when: 'after' }),
  silent('an answer that drips', { kind: 'slow-drip', intervalMs: 50 }),
  silent('an answer too late', { kind: 'latency', ms: 3_000, when: 'after' }),
  row('a reset before processing', 'reset', LOST, { auth: UNSENT }),
  row('a reset after processing', { kind: 'reset', when: 'after' }, LOST, { auth: UNSENT }),
  row('half an answer', 'half-answer', ODD),
  row('a page of a proxy', { kind: 'html-502', when: 'after' }, ODD),
  row('another content type', { kind: 'content-type', value: 'text/html' }, ODD),
  row('a huge answer', { kind: 'huge', bytes: 1_000_000 }, ODD),
  row('a huge answer in a small parcel', { kind: 'compressed', bytes: 10_000_000 }, ODD),
  row('a redirect', 'redirect', ODD),
  row('a redirect after processing', { kind: 'redirect', status: 308, when: 'after' }, ODD),
  row('an empty body', body(200, ''), ODD),
  row('bytes that are no text', body(200, '\u0000\ufffd\u0000'), ODD),
  row('a word', body(200, 'OK'), ODD),
  row('a bare true', body(200, 'true'), ODD),
  row('a list', body(200, '[{"payload":""}]'), ODD),
  row('an unfinished object', body(200, '{"status_code":200,"payload":'), ODD),
  row('no payload', body(200, '{"status_code":200}'), ODD),
  row('a status_code of failure', body(200, '{"status_code":500,"payload":""}'), ODD),
  row('errors that are no list', body(200, '{"payload":"","errors":{"code":2107}}'), ODD),
  row('HTTP 500 without an envelope', body(500, 'oops', 'text/plain'), ODD),
  row('HTTP 429', { kind: 'status', status: 429, retryAfterSeconds: 1 }, TRY_LATER, {
    lives: true,
  }),
  row('HTTP 503', { kind: 'status', status: 503 }, TRY_LATER, { lives: true }),
  row('error 2121', { kind: 'error', code: 2121 }, TRY_LATER, { lives: true }),
  row('error 2121 with HTTP 200', { kind: 'error', code: 2121, status200: true }, TRY_LATER, {
    lives: true,
  }),
  row('error 2107', { kind: 'error', code: 2107 }, REFUSED, { validate: WRONG, lives: true }),
  row('error 2108', { kind: 'error', code: 2108 }, REFUSED, { validate: WRONG }),
  row('error 2109 with HTTP 200', { kind: 'error', code: 2109, status200: true }, REFUSED, {
    validate: WRONG,
  }),
  row('an unknown error', { kind: 'error', code: 9999 }, REFUSED, { lives: true }),
];
