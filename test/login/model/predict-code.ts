import {
  createUser,
  activeLogin,
  lockOf,
  sessionOf,
  userOf,
  type Model,
  type ModelLogin,
  type ModelText,
} from './model';

/** What entering a code must come to: the HTTP status and the word of the answer. */
export type CodeAnswer = readonly [status: number, error: string | null];

const INVALID: CodeAnswer = [401, 'invalid-code'];
const EXPIRED: CodeAnswer = [401, 'expired'];
const ENDED: CodeAnswer = [401, 'login-ended'];
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
  if (session.lostAt !== null) {
    session.lostAt = -Infinity;
    return ENDED;
  }
  if (pending === null) return NOTHING;
  const isOver = pending.pendingUntil <= model.now;
  const login = activeLogin(model, session);
  if (pending.isSpent === true && !isOver) return INVALID;
  if (login === undefined) {
    session.pending = null;
    return isOver ? EXPIRED : INVALID;
  }
  const { user, text } = login;
  const counted = text ?? login;
  if (counted.attempts >= 5) return INVALID;
  counted.attempts += 1;
  const lock = text === null ? null : lockOf(model, user);
  if (lock !== null) return orLock(model, user, INVALID);
  pending.isSpent = counted.attempts === 5;
  if (text === null) return INVALID;
  countFailure(model, user);
  if (text.expiresAt <= model.now) return orLock(model, user, EXPIRED);
  const answer = judge(model, browser, login, text, { code, isLost });
  if (answer !== INVALID || isLost) return answer;
  const last = judgeEarlier(model, browser, login, code) ?? INVALID;
  return last === INVALID ? orLock(model, user, INVALID) : last;
}

/** A code that is wrong at the newest text may be that of the one before. Null: it is not asked. */
function judgeEarlier(
  model: Model,
  browser: number,
  login: ModelLogin,
  code: string,
): CodeAnswer | null {
  const { earlier, user } = login;
  if (earlier === null || earlier.expiresAt <= model.now || earlier.attempts >= 5) return null;
  earlier.attempts += 1;
  if (lockOf(model, user) !== null) return null;
  countFailure(model, user);
  return judge(model, browser, login, earlier, { code, isLost: false });
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

/** The attempt that sets a lock is told of it. */
function orLock(model: Model, id: string, usual: CodeAnswer): CodeAnswer {
  const lock = lockOf(model, id);
  if (lock === null) return usual;
  return lock === 'locked' ? [429, 'locked'] : [403, 'disabled'];
}

function judge(
  model: Model,
  browser: number,
  { pendingId, user, purpose }: ModelLogin,
  { otpId, pin }: ModelText,
  { code, isLost }: { readonly code: string; readonly isLost: boolean },
): CodeAnswer {
  const session = sessionOf(model, browser);
  const isSomebodyElses = purpose === 'step-up' && session.user !== user;
  if (!isSomebodyElses && !isLost && code !== pin) return INVALID;
  model.logins.delete(pendingId);
  session.pending = null;
  if (isSomebodyElses) return NOTHING;
  if (isLost) {
    giveBackLost(model, user);
    return [502, null];
  }
  model.users[user] = createUser();
  model.entries.set(otpId, (model.entries.get(otpId) ?? 0) + 1);
  Object.assign(session, { user, mark: user, lostAt: null });
  return [200, null];
}
