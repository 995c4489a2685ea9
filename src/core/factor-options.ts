import { randomBytes } from 'node:crypto';
import { chargeDespiteLock } from '../limits/attempts';
import { waitOf } from '../limits/charge';
import type { PendingLogin } from '../stores/store';
import { admitsOtherFactors, isAccepted } from './accepted-factors';
import type { Core } from './context';
import type { SecondFactor } from './feature';
import type { Refusal } from './outcome';
import { findUser } from './users';
import { type Refused, refuse } from './refuse-code';
import { deny, toDenied } from './send-result';
import type { Visit } from './visit';

/** Milliseconds that a challenge is valid, unless its pending login ends earlier. */
const CHALLENGE_MS = 300_000;

/** What the browser gets. */
export interface FactorOptions {
  readonly kind: 'created';
  readonly options: object;
}

export type CreateFactorOptions = (visit: Visit) => Promise<FactorOptions | Refused>;

/**
 * Creates the function that makes the challenges of one factor. Returns undefined for a factor
 * whose codes are typed.
 * @throws {StoreError} The created function: `ERR_STORE`, and any error of the app's own callbacks.
 */
export function createFactorOptions(
  core: Core,
  { method, challenge: part }: SecondFactor,
): CreateFactorOptions | undefined {
  if (part === undefined) return undefined;
  const { pendingLogins, challenges } = core.store;

  return async function createOptions({ pending, currentUser, address }) {
    if (pending === undefined || !admitsOtherFactors(pending.purpose))
      return refuse('no-pending-login');
    const { pendingId, purpose } = pending;
    if (!isAccepted(pending.methods, method)) return refuse('second-factor-required');
    if (pending.pendingUntil <= core.now()) return refuse('expired', true);
    const live = await pendingLogins.findActive(pendingId);
    if (live?.pending.purpose !== purpose) return refuse('no-pending-login', true);
    const { userId } = live.pending;
    const user = await findUser(core, live.pending, currentUser);
    if (user === null) {
      await pendingLogins.end(pendingId);
      return refuse('user-gone', true);
    }
    const refusal = await chargeOptions(core, live.pending, address);
    if (refusal !== null) return { kind: 'refused', refusal, endsPending: false };
    const challenge = randomBytes(32).toString('base64url');
    const options = await part.createOptions({ user, userId, purpose, challenge, address });
    const expiresAt = Math.min(core.now() + CHALLENGE_MS, pending.pendingUntil);
    // This replaces an earlier challenge, which is no longer accepted.
    await challenges.put({ version: 1, pendingId, factor: method, challenge, expiresAt });
    return { kind: 'created', options };
  };
}

/**
 * Counts the options before they are made, even if they are not used. Returns a refusal; null: they
 * may be made.
 */
async function chargeOptions(
  core: Core,
  pending: PendingLogin,
  address: string | undefined,
): Promise<Refusal | null> {
  const { store, limits, now } = core;
  const { userId, bucket, pendingId, purpose } = pending;

  const parts = { counters: store.counters, limits };
  const about = { user: userId, bucket, login: pendingId };
  const { refusedBy } = await chargeDespiteLock(parts, 'options', about);
  if (refusedBy === null) return null;

  const { limit } = refusedBy.row;
  // The limit of this login never resets, so wait until it ends and another one may begin.
  const loginSeconds = Math.ceil((pending.pendingUntil - now()) / 1000);
  const waitSeconds = limit === 'per-login' ? loginSeconds : waitOf(refusedBy);
  const refusal: Refusal = {
    reason: 'send-limit',
    retryAfterSeconds: Math.max(1, waitSeconds),
  };
  deny(core, { userId, purpose, address }, toDenied(refusal, { limit }));
  return refusal;
}
