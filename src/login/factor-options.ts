import { randomBytes } from 'node:crypto';
import { type CodeVerifier, type FactorChallenge, admitsOtherFactors } from './code-verifiers';
import type { LoginContext } from './context';
import { findUser } from './users';
import { isOfSession, type Refused, refuse, type VerifyRequest } from './verify-otp';

/** A challenge of a pending login lives this long, and never longer than the pending login. */
const CHALLENGE_MS = 300_000;

/** Who asks for a challenge. */
export type OptionsRequest = Omit<VerifyRequest, 'code'>;

/** What the browser gets, and what the session keeps of it. */
export interface FactorOptions {
  readonly kind: 'created';
  readonly options: object;
  readonly factorChallenge: FactorChallenge;
}

export type CreateFactorOptions = (request: OptionsRequest) => Promise<FactorOptions | Refused>;

/**
 * Makes the challenges of one factor; undefined for a factor whose codes are typed. The returned
 * function
 * @throws {StoreError} `ERR_STORE`, and what the app's own callbacks throw.
 */
export function createFactorOptions(
  login: LoginContext,
  { method, challenge: part }: CodeVerifier,
): CreateFactorOptions | undefined {
  if (part === undefined) return undefined;
  const { challenges } = login.store;

  return async function createOptions({ pending, currentUser, address }) {
    if (pending === undefined || !admitsOtherFactors(pending.purpose))
      return refuse('no-pending-login');
    if (pending.pendingUntil <= login.now()) return refuse('expired', true);
    const live = await challenges.find(pending.otpId);
    if (live === null || !isOfSession(live.challenge, pending))
      return refuse('no-pending-login', true);
    const { userId } = live.challenge;
    const user = await findUser(login, live.challenge, currentUser);
    if (user === null) {
      await challenges.discard(live.challenge.otpId);
      return refuse('user-gone', true);
    }
    const value = randomBytes(32).toString('base64url');
    const options = await part.createOptions({
      user,
      userId,
      purpose: pending.purpose,
      challenge: value,
      address,
    });
    const expiresAt = Math.min(login.now() + CHALLENGE_MS, pending.pendingUntil);
    return { kind: 'created', options, factorChallenge: { factor: method, value, expiresAt } };
  };
}
