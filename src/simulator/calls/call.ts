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

/** The body of a request: an object whose fields are not checked yet. */
export type Body = Readonly<Record<string, unknown>>;

/** A request without its transport. */
export interface CallRequest {
  /** The parsed body; null when it was not a JSON object. */
  readonly body: Body | null;
  /** The token of the Authorization header; null when there is none. */
  readonly bearer: string | null;
  /** The id or the number at the end of the path; empty where the call has none. */
  readonly subject: string;
}

/** The result of a call. */
export type Outcome = Done | Refused;

export interface Done {
  readonly kind: 'done';
  readonly httpStatus: number;
  readonly payload: unknown;
}

export interface Refused {
  readonly kind: 'refused';
  readonly code: number;
  /** Codes of further broken rules, which are listed behind the first. */
  readonly furtherCodes?: readonly number[];
  /** A status that takes precedence over the readings. */
  readonly httpStatus?: number;
  /** The request did not hold a JSON object: HTTP 400. */
  readonly isUnreadable?: boolean;
}

/** The payload of a success that has none. */
export const NO_PAYLOAD = Symbol('no payload');

export function done(payload: unknown, httpStatus = 200): Outcome {
  return { kind: 'done', httpStatus, payload };
}

export function refuse(code: number, furtherCodes: readonly number[] = []): Outcome {
  return { kind: 'refused', code, furtherCodes };
}
