import type { Refusal } from '../core/outcome';
import type { VerifiedMark } from '../core/users';
import { CLOCK_TOLERANCE_MS } from '../stores/check-clock';

/**
 * Returns whether a mark is at most `maxAgeMs` old and not a trusted device's, with which the user
 * has proven nothing in this session. An age that is not a number counts as too old. So does a mark
 * from the future, which would stay fresh for longer than `maxAgeMs`.
 */
export function isFreshMark(mark: VerifiedMark, maxAgeMs: number, now: number): boolean {
  const age = now - mark.at;
  return mark.method !== 'trusted-device' && age >= -CLOCK_TOLERANCE_MS && age <= maxAgeMs;
}

/**
 * Returns why a second factor is not recent enough to change numbers; null: it is. A trusted device
 * does not count: with it the user has proven nothing in this session.
 */
export function checkMark(
  passed: VerifiedMark | undefined,
  maxAgeMs: number,
  now: number,
): Refusal | null {
  if (passed === undefined) return { reason: 'second-factor-required' };
  if (isFreshMark(passed, maxAgeMs, now)) return null;
  const isDevice = passed.method === 'trusted-device';
  return { reason: isDevice ? 'second-factor-required' : 'second-factor-too-old' };
}
