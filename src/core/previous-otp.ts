import { GatewayTimeoutError } from '../errors';
import type { Permit } from '../gateway';
import type { PendingState } from '../stores/pending-logins';
import type { SentOtp } from '../stores/store';
import { waitAtMost } from '../stores/with-timeout';
import { isSameDestination } from './addresses';
import type { Core } from './context';

/** Milliseconds in which a typed code is checked, at the newest and the previous OTP together. */
const CHECK_MS = 10_000;

/**
 * Returns the previous OTP of a pending login, if its code is accepted too. A message can arrive
 * after one that was requested later, so both codes may be right.
 *
 * Not shown in OTP spec §3: whether a new pin for a number ends the previous one. If it does, the
 * gateway answers that the previous one is wrong or over.
 */
export function findPreviousOtp(
  { settings, now }: Pick<Core, 'settings' | 'now'>,
  { otp, previous }: Pick<PendingState, 'otp' | 'previous'>,
): SentOtp | null {
  if (!settings.acceptsEarlierCode || previous === null) return null;
  return isSameDestination(previous, otp) && previous.expiresAt > now() ? previous : null;
}

/**
 * Returns the milliseconds that are left for a second check.
 * @param startedAtMs The time before the first check, by the monotonic clock.
 */
export function checkMsLeft(startedAtMs: number): number {
  return CHECK_MS - (performance.now() - startedAtMs);
}

/** Reserves a call of the gateway. Returns null if none is available in time. */
export async function reserveWithin(
  reserve: (() => Promise<Permit>) | undefined,
  limitMs: number,
): Promise<Permit | null> {
  if (reserve === undefined || limitMs <= 0) return null;
  const asked = reserve();
  try {
    return await waitAtMost(asked, limitMs, toCheckTimeout);
  } catch {
    // Release a permit that arrives too late: nothing else would.
    asked.then((late) => late.release()).catch(() => undefined);
    return null;
  }
}

/** Creates the error of a check that has not been answered in time. */
export function toCheckTimeout(): GatewayTimeoutError {
  return new GatewayTimeoutError('validate', CHECK_MS, true);
}
