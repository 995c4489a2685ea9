import { randomBytes } from 'node:crypto';
import { admitsOtherFactors, isAccepted } from './accepted-factors';
import type { Core } from './context';
import type { Factor } from './feature';
import { findUser } from './users';
import { type Refused, refuse } from './refuse-code';
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
    const challenge = randomBytes(32).toString('base64url');
    const options = await part.createOptions({ user, userId, purpose, challenge, address });
    const expiresAt = Math.min(core.now() + CHALLENGE_MS, pending.pendingUntil);
    // One that was open is worth nothing from now on.
    await challenges.put({ version: 1, pendingId, factor: method, challenge, expiresAt });
    return { kind: 'created', options };
  };
}
