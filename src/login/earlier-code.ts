import { GatewayTimeoutError } from '../errors';
import type { Permit } from '../gateway';
import type { LiveLogin } from '../stores/pending-logins';
import type { SentText } from '../stores/store';
import { waitAtMost } from '../stores/with-timeout';
import type { LoginContext } from './context';

// A text can arrive after the one that was asked for in its place. So the two newest texts of a
// pending login are live, and a code that is wrong at the newest may be right at the one before.
// Not shown in OTP spec §3: whether a new pin for a number ends the one before. Where it does, the
// gateway says that the older one is wrong or over.

/** Milliseconds in which a typed code is judged, at both texts together. */
const JUDGING_MS = 10_000;

/** Returns the text before the newest, if its code may be typed too. */
export function findEarlierText(
  { settings, now }: Pick<LoginContext, 'settings' | 'now'>,
  { text, earlier }: Pick<LiveLogin, 'text' | 'earlier'>,
): SentText | null {
  if (!settings.acceptsEarlierCode || earlier === null) return null;
  return earlier.mobile === text?.mobile && earlier.expiresAt > now() ? earlier : null;
}

/**
 * Returns the milliseconds that are left for another judgement.
 * @param startedAtMs When the first one was about to be admitted, by the monotonic clock.
 */
export function judgingMsLeft(startedAtMs: number): number {
  return JUDGING_MS - (performance.now() - startedAtMs);
}

/** Reserves a call of the gateway. Null: no call is to be had in time. */
export async function reserveWithin(
  reserve: (() => Promise<Permit>) | undefined,
  limitMs: number,
): Promise<Permit | null> {
  if (reserve === undefined || limitMs <= 0) return null;
  const asked = reserve();
  try {
    return await waitAtMost(asked, limitMs, toJudgingTimeout);
  } catch {
    // One that comes too late would never be released.
    asked.then((late) => late.release()).catch(() => undefined);
    return null;
  }
}

/** Returns the error of a judgement that has not come in time. */
export function toJudgingTimeout(): GatewayTimeoutError {
  return new GatewayTimeoutError('validate', JUDGING_MS, true);
}
