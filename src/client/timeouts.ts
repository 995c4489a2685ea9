import type { CallName } from '../protocol/paths';

/** Milliseconds to open one connection, TLS included. The call that waits for it may end sooner. */
export const CONNECT_MS = 3_000;

/** Milliseconds that each call has where the option leaves it open. */
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

/** An authentication that is given up has to be made anew: a hasty call leaves it this long. */
const LEAST_AUTH_MS = 1_000;

/** An authentication must end within the lease on the shared token, which lasts 15 s. */
const MOST_AUTH_MS = 12_000;

/** Returns the milliseconds that a whole call may take. */
export function findTimeout(call: CallName, timeoutMs: number | undefined): number {
  if (call !== 'auth') return timeoutMs ?? DEFAULTS[call];
  return Math.min(Math.max(timeoutMs ?? AUTH_MS, LEAST_AUTH_MS), MOST_AUTH_MS);
}
