import type { CallName } from '../protocol/paths';

/** Milliseconds to open one connection, TLS included. The deadline of the call may be shorter. */
export const CONNECT_MS = 3_000;

/** Default milliseconds of each call. */
const DEFAULTS: Readonly<Record<Exclude<CallName, 'auth'>, number>> = {
  generate: 10_000,
  validate: 10_000,
  lookup: 2_000,
  balance: 5_000,
  'hlr-balance': 5_000,
  pricing: 30_000,
  'hlr-pricing': 30_000,
};

const AUTH_MS = 10_000;

/**
 * The least time that even a short call leaves for an authentication, because one that is abandoned
 * must be repeated.
 */
const LEAST_AUTH_MS = 1_000;

/**
 * The longest time for an authentication: it must end within the lease of 15 s on the shared token.
 */
const MOST_AUTH_MS = 12_000;

export function findTimeout(call: CallName, timeoutMs: number | undefined): number {
  if (call !== 'auth') return timeoutMs ?? DEFAULTS[call];
  return Math.min(Math.max(timeoutMs ?? AUTH_MS, LEAST_AUTH_MS), MOST_AUTH_MS);
}
