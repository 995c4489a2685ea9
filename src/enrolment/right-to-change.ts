import type { Method, Refusal } from '../login/outcome';
import type { EnrolmentParts } from './enrolment-parts';
import { readOwnPhones } from './own-phones';

/** The second factor that this session's user has passed. */
export interface PassedFactor {
  readonly method: Method;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Whether a second factor is young enough to change numbers; null: it is. A device that is trusted has proven nothing
 * in this session, so it is no second factor here.
 */
export function checkFactor(passed: PassedFactor | undefined, maxAgeMs: number, now: number): Refusal | null {
  if (passed === undefined || passed.method === 'trusted-device') return { reason: 'second-factor-required' };
  // An age that is no number is too old.
  return now - passed.at <= maxAgeMs ? null : { reason: 'second-factor-too-old' };
}

/**
 * Whether the user may have a number confirmed; null: yes. Nothing protects a user who has no number yet but the login
 * itself: the first number is trusted on first use. Every later one needs the second factor.
 */
export async function checkRightToEnrol(
  parts: EnrolmentParts,
  user: Express.User,
  passed: PassedFactor | undefined,
  maxAgeMs: number,
): Promise<Refusal | null> {
  const refusal = checkFactor(passed, maxAgeMs, parts.login.now());
  if (refusal === null) return null;
  const { hasNoneConfirmed } = await readOwnPhones(parts, user);
  // `getPhone` may know a number that the book does not.
  return hasNoneConfirmed && (await parts.login.listPhones(user)).length === 0 ? null : refusal;
}
