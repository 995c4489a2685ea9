import {
  createUser,
  liveChallenge,
  lockOf,
  sessionOf,
  userOf,
  type Model,
  type ModelChallenge,
} from './model';

/** What entering a code must come to: the HTTP status and the word of the answer. */
export type CodeAnswer = readonly [status: number, error: string | null];

const INVALID: CodeAnswer = [401, 'invalid-code'];
const EXPIRED: CodeAnswer = [401, 'expired'];
const NOTHING: CodeAnswer = [401, 'no-pending-login'];

/** Lets a code happen to the model. `isLost`: the gateway's answer does not arrive. */
export function predictCode(
  model: Model,
  browser: number,
  code: string,
  isLost: boolean,
): CodeAnswer {
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
  user.lockFailures += 1;
  if (user.lockFailures % 10 === 0)
    user.lockedUntil = model.now + 1_800 * 2 ** (user.lockFailures / 10 - 1);
}

/**
 * A lost answer is the gateway's failure: the user is not locked for it, and it still counts toward
 * `disabled`.
 */
function giveBackLost(model: Model, id: string): void {
  const user = userOf(model, id);
  if (user.lockFailures % 10 === 0) user.lockedUntil = 0;
  user.lockFailures -= 1;
}

function judge(
  model: Model,
  browser: number,
  challenge: ModelChallenge,
  code: string,
  isLost: boolean,
): CodeAnswer {
  const session = sessionOf(model, browser);
  const isSomebodyElses = challenge.purpose === 'step-up' && session.user !== challenge.user;
  if (!isSomebodyElses && !isLost && code !== challenge.pin) return INVALID;
  model.challenges.delete(challenge.otpId);
  session.pending = null;
  if (isSomebodyElses) return NOTHING;
  if (isLost) {
    giveBackLost(model, challenge.user);
    return [502, null];
  }
  letIn(model, browser, challenge);
  return [200, null];
}

function letIn(model: Model, browser: number, { otpId, user }: ModelChallenge): void {
  model.users[user] = createUser();
  model.entries.set(otpId, (model.entries.get(otpId) ?? 0) + 1);
  Object.assign(sessionOf(model, browser), { user, mark: user });
}
