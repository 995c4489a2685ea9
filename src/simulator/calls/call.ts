import type { World } from '../world';

/** The calls of both documents. OTP spec §4, HLR spec §4. */
export const CALLS = [
  'auth',
  'generate',
  'validate',
  'balance',
  'pricing',
  'lookup',
  'hlr-balance',
  'hlr-pricing',
] as const;

export type Call = (typeof CALLS)[number];

/** A request once transport is out of the way. */
export interface CallRequest {
  /** The parsed body; null when it was no JSON object. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /** The token of the Authorization header; null when there is none. */
  readonly bearer: string | null;
  /** The id or the number at the end of the path; empty where the call has none. */
  readonly subject: string;
}

/** What a call comes to. */
export type Outcome = Done | Refused;

export interface Done {
  readonly kind: 'done';
  readonly httpStatus: 200 | 201;
  readonly payload: unknown;
}

export interface Refused {
  readonly kind: 'refused';
  readonly code: number;
  /** A status that stands whatever the readings say. */
  readonly httpStatus?: number;
  /** The request had no JSON object: HTTP 400. */
  readonly isUnreadable?: boolean;
}

/** A success that has no payload at all. */
export const NO_PAYLOAD = Symbol('no payload');

/** One call as a function of the world it changes. */
export type Handler = (world: World, request: CallRequest) => Outcome;

export function done(payload: unknown, httpStatus: 200 | 201 = 200): Outcome {
  return { kind: 'done', httpStatus, payload };
}

export function refuse(code: number): Outcome {
  return { kind: 'refused', code };
}
