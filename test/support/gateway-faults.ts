import type { TestApp } from './test-app';

/** What `failNext` takes. */
export type Fault = Parameters<TestApp['sim']['failNext']>[1];

/** A fault and what becomes of it: HTTP status and code of the error that reaches the app. */
export type FaultRow = readonly [title: string, fault: Fault, status: number, code: string];

const UNREACHABLE = 'ERR_GATEWAY_UNREACHABLE';
const RESPONSE = 'ERR_GATEWAY_RESPONSE';

/** Any answer at all, as JSON. */
export function answer(status: number, body: string): Fault {
  return { kind: 'body', status, body };
}

/** The answer to any call is lost or cannot be understood. */
export const LOST: readonly FaultRow[] = [
  ['a reset before processing', 'reset', 502, UNREACHABLE],
  ['a reset after processing', { kind: 'reset', when: 'after' }, 502, UNREACHABLE],
  ['half an answer', 'half-answer', 502, RESPONSE],
  ['an HTML page', 'html-502', 502, RESPONSE],
  ['an HTML page after processing', { kind: 'html-502', when: 'after' }, 502, RESPONSE],
  ['a success that is not JSON', { kind: 'content-type', value: 'text/plain' }, 502, RESPONSE],
  ['a huge answer', { kind: 'huge', bytes: 100_000 }, 502, RESPONSE],
  ['a compressed answer', { kind: 'compressed', bytes: 1_000_000 }, 502, RESPONSE],
  ['a redirect', 'redirect', 502, RESPONSE],
  ['a redirect after processing', { kind: 'redirect', status: 308, when: 'after' }, 502, RESPONSE],
  ['an empty body', answer(200, ''), 502, RESPONSE],
  ['no JSON', answer(200, 'OK'), 502, RESPONSE],
  ['a list', answer(200, '[""]'), 502, RESPONSE],
  ['a bare true', answer(200, 'true'), 502, RESPONSE],
  ['no payload', answer(200, '{"status_code":200}'), 502, RESPONSE],
  ['a status_code of failure', answer(200, '{"status_code":401,"payload":""}'), 502, RESPONSE],
  ['HTTP 202', answer(202, '{"status_code":202,"payload":""}'), 502, RESPONSE],
  ['HTTP 503 without an envelope', answer(503, '{}'), 503, RESPONSE],
  ['errors that are no list', answer(200, '{"payload":"","errors":{"code":2107}}'), 502, RESPONSE],
];

/** The gateway does not answer in time, which half a second is enough for. */
export const SILENT: readonly (readonly [title: string, fault: Fault])[] = [
  ['no answer', 'no-answer'],
  ['no answer after processing', { kind: 'no-answer', when: 'after' }],
  ['an answer that drips', { kind: 'slow-drip', intervalMs: 100 }],
  ['an answer too late', { kind: 'latency', ms: 5_000, when: 'after' }],
];
