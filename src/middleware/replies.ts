import type { Reason } from '../core/outcome';

/** How a refusal is answered without a redirect. */
export interface Reply {
  readonly status: 400 | 401 | 403 | 409 | 429 | 503;
  /** The value of `error` in the JSON body. */
  readonly error: string;
}

/** A wrong, used or replaced code and too many attempts look the same. */
const INVALID_CODE: Reply = { status: 401, error: 'invalid-code' };

/** Every reason and its answer, in one table. */
export const REPLIES: Readonly<Record<Reason, Reply>> = {
  'malformed-code': { status: 400, error: 'malformed-code' },
  'malformed-phone': { status: 400, error: 'malformed-phone' },
  'wrong-password': { status: 401, error: 'wrong-password' },
  'wrong-code': INVALID_CODE,
  'too-many-attempts': INVALID_CODE,
  expired: { status: 401, error: 'expired' },
  'no-pending-login': { status: 401, error: 'no-pending-login' },
  'login-ended': { status: 401, error: 'login-ended' },
  'user-gone': { status: 401, error: 'no-pending-login' },
  // The request itself ends in the error. This is what a later page may show.
  unconfirmed: { status: 401, error: 'no-pending-login' },
  denied: { status: 403, error: 'denied' },
  'country-not-allowed': { status: 403, error: 'country-not-allowed' },
  'no-phone': { status: 403, error: 'no-phone' },
  'last-phone': { status: 403, error: 'last-phone' },
  'unsuitable-phone': { status: 403, error: 'unsuitable-phone' },
  'unknown-range': { status: 403, error: 'unknown-range' },
  disabled: { status: 403, error: 'disabled' },
  'not-required': { status: 403, error: 'not-required' },
  'second-factor-required': { status: 403, error: 'second-factor-required' },
  'second-factor-too-old': { status: 403, error: 'second-factor-too-old' },
  locked: { status: 429, error: 'locked' },
  'resend-too-soon': { status: 429, error: 'resend-too-soon' },
  'send-limit': { status: 429, error: 'send-limit' },
  // If there was an error, its own status takes precedence.
  'not-sent': { status: 503, error: 'not-sent' },
  'already-verified': { status: 409, error: 'already-verified' },
};
