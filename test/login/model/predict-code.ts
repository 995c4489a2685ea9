import { liveChallenge, lockOf, sessionOf, userOf, type Model, type ModelChallenge } from './model';

/** What entering a code must come to: the HTTP status and the word of the answer. */
export type CodeAnswer = readonly [status: number, error: string | null];

const INVALID: CodeAnswer = [401, 'invalid-code'];
const EXPIRED: CodeAnswer = [401, 'expired'];
const NOTHING: CodeAnswer = [401, 'no-pending-login'];

/** Lets a code happen to the model. `isLost`: the gateway's answer does not arrive. */
export function predictCode(model: Model, browser: number, code: string, isLost: boolean): CodeAnswer {
  const session = sessionOf(model, browser);
  const { pending } = session;
  if (pending === null) return NOTHING;
  const isOver = pending.pendingUntil <= model.now;
  const challenge = liveChallenge(model, pending.otpId);
  if (pending.isSpent === true && !isOver) return INVALID;
  if (challenge === undefined) {
    session.pending = null;
    return isOver ? EXPIRED : INVALID;
  }
  if (challenge.attempts >= 5) return INVALID;
  challenge.attempts += 1;
  const lock = challenge.hasCode ? lockOf(model, challenge.user) : null;
  if (lock !== null) return lock === 'locked' ? [429, 'locked'] : [403, 'disabled'];
  pending.isSpent = challenge.attempts === 5;
  if (!challenge.hasCode) return INVALID;
  countFailure(model, challenge.user);
  if (challenge.expiresAt <= model.now) return EXPIRED;
  return judge(model, browser, challenge, code, isLost);
}

function countFailure(model: Model, id: string): void {
  const user = userOf(model, id);
  user.failures += 1;
  if (user.failures % 10 === 0) user.lockedUntil = model.now + 1_800 * 2 ** (user.failures / 10 - 1);
}

function judge(model: Model, browser: number, challenge: ModelChallenge, code: string, isLost: boolean): CodeAnswer {
  const session = sessionOf(model, browser);
  const isSomebodyElses = challenge.purpose === 'step-up' && session.user !== challenge.user;
  if (!isSomebodyElses && !isLost && code !== challenge.pin) return INVALID;
  model.challenges.delete(challenge.otpId);
  session.pending = null;
  if (isSomebodyElses) return NOTHING;
  if (isLost) return [502, null];
  letIn(model, browser, challenge);
  return [200, null];
}

function letIn(model: Model, browser: number, { otpId, user }: ModelChallenge): void {
  model.users[user] = { failures: 0, lockedUntil: 0, sentAt: [] };
  model.entries.set(otpId, (model.entries.get(otpId) ?? 0) + 1);
  Object.assign(sessionOf(model, browser), { user, mark: user });
}
