import { expect } from '@jest/globals';
import type { Purpose } from 'passport-sms-otp';
import {
  addText,
  createSession,
  gapAfter,
  activeLogin,
  lockOf,
  sessionOf,
  userOf,
  type Model,
  type ModelLogin,
  type ModelSession,
} from './model';

/** What came of a request to send. */
export interface SendAnswer {
  readonly status: number;
  readonly error: string | null;
  /** The text message, when one was sent. */
  readonly message: { readonly id: string; readonly pin: string } | undefined;
  /** Whether the login waits without a text. */
  readonly isPending: boolean;
  /** The id of the pending login that the session holds now. */
  readonly pendingId: string | undefined;
}

/** A password: a fresh session that waits for a code, or everything as it was. */
export function predictLogin(
  model: Model,
  browser: number,
  user: string,
  answer: SendAnswer,
): void {
  if (answer.message === undefined) {
    expectRefusal(model, browser, user, 'login', answer);
    if (answer.isPending) waitWithoutText(model, browser, user, 'login', answer);
    return;
  }
  const pending = expectSend(model, begin(model, user, 'login', answer), answer);
  model.sessions[browser] = createSession(pending);
}

/** A code for a logged-in user, who stays logged in. */
export function predictStepUp(model: Model, browser: number, answer: SendAnswer): void {
  const session = sessionOf(model, browser);
  if (session.user === null) {
    expect([answer.status, answer.error]).toEqual([403, 'second-factor-required']);
  } else if (session.lostAt !== null) {
    session.lostAt = -Infinity;
    expect([answer.status, answer.error]).toEqual([401, 'login-ended']);
  } else if (answer.message === undefined) {
    expectRefusal(model, browser, session.user, 'step-up', answer);
    if (answer.isPending) waitWithoutText(model, browser, session.user, 'step-up', answer);
  } else {
    const login = begin(model, session.user, 'step-up', answer);
    session.pending = expectSend(model, login, answer);
  }
}

/** Another code for the same pending login. */
export function predictResend(model: Model, browser: number, answer: SendAnswer): void {
  const session = sessionOf(model, browser);
  const previous = activeLogin(model, session);
  if (session.lostAt !== null) {
    session.lostAt = -Infinity;
    expect([answer.status, answer.error]).toEqual([401, 'login-ended']);
  } else if (previous === undefined) {
    session.pending = null;
    expect([answer.status, answer.error]).toEqual([401, 'no-pending-login']);
  } else if (previous.sends >= 3 || model.now > previous.pendingUntil - 120) {
    expect([answer.status, answer.error]).toEqual([429, 'send-limit']);
  } else if (previous.purpose === 'step-up' && session.user !== previous.user) {
    session.pending = null;
    model.logins.delete(previous.pendingId);
    expect([answer.status, answer.error]).toEqual([401, 'no-pending-login']);
  } else if (answer.message === undefined) {
    expectLimit(model, previous.user, answer);
  } else {
    expect(answer.pendingId).toBe(previous.pendingId);
    session.pending = expectSend(model, previous, answer);
  }
}

/** A pending login that begins now, without a text. */
function begin(
  model: Model,
  user: string,
  purpose: Purpose,
  { pendingId = '' }: SendAnswer,
): ModelLogin {
  const pendingUntil = model.now + 600;
  return {
    pendingId,
    user,
    purpose,
    pendingUntil,
    sends: 0,
    text: null,
    earlier: null,
    attempts: 0,
  };
}

/** A send must have been allowed: no lock, the gap over. Returns what the session shows of it. */
function expectSend(
  model: Model,
  login: ModelLogin,
  { status, message }: SendAnswer,
): ModelSession['pending'] {
  const { user, pendingId, purpose, pendingUntil } = login;
  expect([status, lockOf(model, user)]).toEqual([200, null]);
  const { sentAt } = userOf(model, user);
  expect(model.now - (sentAt.at(-1) ?? -Infinity)).toBeGreaterThanOrEqual(gapAfter(sentAt.length));
  expect(sentAt.filter((time) => time > model.now - 86_400).length).toBeLessThan(20);
  const { id: otpId = '', pin = '' } = message ?? {};
  const expiresAt = Math.min(model.now + 300, pendingUntil);
  addText(model, login, { otpId, pin, expiresAt, attempts: 0 });
  return { pendingId, otpId, purpose, pendingUntil };
}

/**
 * The session waits in a login of its own, or in the one it waited in without a text before.
 */
function waitWithoutText(
  model: Model,
  browser: number,
  user: string,
  purpose: Purpose,
  answer: SendAnswer,
): void {
  const session = sessionOf(model, browser);
  const { pendingId = '' } = answer;
  if (session.pending?.pendingId === pendingId)
    return expect(activeLogin(model, session)).toMatchObject({ user, purpose });
  const login = begin(model, user, purpose, answer);
  model.logins.set(pendingId, login);
  if (purpose === 'login') Object.assign(session, createSession());
  session.pending = { pendingId, otpId: null, purpose, pendingUntil: login.pendingUntil };
}

/**
 * Nothing was sent: a limit stands in the way, or this session waits for a code of the same kind
 * already.
 */
function expectRefusal(
  model: Model,
  browser: number,
  user: string,
  purpose: Purpose,
  answer: SendAnswer,
): void {
  if (answer.status !== 200) return expectLimit(model, user, answer);
  const waiting = activeLogin(model, sessionOf(model, browser));
  expect(waiting).toMatchObject({ user, purpose });
  expect(waiting?.text?.expiresAt).toBeGreaterThan(model.now);
  expect(isInGap(model, user)).toBe(true);
}

function expectLimit(model: Model, user: string, { status, error }: SendAnswer): void {
  const lock = lockOf(model, user);
  if (lock !== null) return expect([status, error]).toEqual([lock === 'locked' ? 429 : 403, lock]);
  const { sentAt } = userOf(model, user);
  const isShort = sentAt.filter((time) => time > model.now - 600).length >= 5;
  const isManyADay = sentAt.filter((time) => time > model.now - 86_400).length >= 10;
  if (error === 'send-limit') return expect(isShort || isManyADay).toBe(true);
  expect([status, error, isInGap(model, user)]).toEqual([429, 'resend-too-soon', true]);
}

/** The gap has up to a tenth of chance. */
function isInGap(model: Model, user: string): boolean {
  const { sentAt } = userOf(model, user);
  return (
    model.now - (sentAt.at(-1) ?? -Infinity) < Math.min(300, gapAfter(sentAt.length) * 1.1 + 1)
  );
}
