import { randomBytes } from 'node:crypto';
import { chargeBrowser } from '../limits/attempts';
import { OTHER_BROWSERS } from '../limits/buckets';
import { chargeRows, waitOf } from '../limits/charge';
import type { PendingLogin } from '../stores/store';
import { admitsOtherFactors, isAccepted } from './accepted-factors';
import type { Core } from './context';
import type { Factor } from './feature';
import type { Refusal } from './outcome';
import { findUser } from './users';
import { type Refused, refuse } from './refuse-code';
import { deny } from './send-result';
import type { Visit } from './visit';

/** A challenge of a pending login lives this long, and never longer than the pending login. */
const CHALLENGE_MS = 300_000;

/** What the browser gets. */
export interface FactorOptions {
  readonly kind: 'created';
  readonly options: object;
}

export type CreateFactorOptions = (visit: Visit) => Promise<FactorOptions | Refused>;

/**
 * Makes the challenges of one factor; undefined for a factor whose codes are typed. The returned
 * function
 * @throws {StoreError} `ERR_STORE`, and what the app's own callbacks throw.
 */
export function createFactorOptions(
  core: Core,
  { method, challenge: part }: Factor,
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
    // One that was open is worth nothing from now on.
    await challenges.put({ version: 1, pendingId, factor: method, challenge, expiresAt });
    return { kind: 'created', options };
  };
}

/** Counts that options are made, whatever becomes of them. Null: they may be. */
async function chargeOptions(
  core: Core,
  pending: PendingLogin,
  address: string | undefined,
): Promise<Refusal | null> {
  const { store, limits, now } = core;
  const { userId, bucket, pendingId, purpose } = pending;

  const { refusedBy } = await chargeBrowser(bucket, (one) => {
    const about = { user: userId, bucket: one, login: pendingId };
    // A browser that is no longer known is not locked: it counts as one of the others.
    const guards = one === OTHER_BROWSERS ? [] : limits.guardsOf(about);
    return chargeRows(store.counters, [...guards, ...limits.rowsOf('options', about)]);
  });
  if (refusedBy === null) return null;

  const { limit } = refusedBy.row;
  // In this login it never succeeds again: another one may begin at its end.
  const loginSeconds = Math.ceil((pending.pendingUntil - now()) / 1000);
  const waitSeconds = limit === 'per-login' ? loginSeconds : waitOf(refusedBy);
  const refusal: Refusal = {
    reason: 'send-limit',
    retryAfterSeconds: Math.max(1, waitSeconds),
  };
  deny(core, { userId, purpose, address }, refusal, { limit });
  return refusal;
}
