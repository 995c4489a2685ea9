import { expect } from '@jest/globals';
import type { Purpose } from 'passport-sms-otp';
import {
  beginChallenge,
  gapAfter,
  liveChallenge,
  lockOf,
  sessionOf,
  userOf,
  type Model,
  type ModelChallenge,
} from './model';

/** What came of a request to send. */
export interface SendAnswer {
  readonly status: number;
  readonly error: string | null;
  /** The text message, when one was sent. */
  readonly message: { readonly id: string; readonly pin: string } | undefined;
  /** Whether the login waits without a text, and the id the session holds now. */
  readonly isPending: boolean;
  readonly otpId: string | undefined;
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
  const challenge = expectSend(model, user, 'login', undefined, answer);
  const { otpId, purpose, pendingUntil } = challenge;
  model.sessions[browser] = { user: null, mark: null, pending: { otpId, purpose, pendingUntil } };
}

/** A code for a logged-in user, who stays logged in. */
export function predictStepUp(model: Model, browser: number, answer: SendAnswer): void {
  const session = sessionOf(model, browser);
  if (session.user === null) {
    expect([answer.status, answer.error]).toEqual([403, 'second-factor-required']);
  } else if (answer.message === undefined) {
    expectRefusal(model, browser, session.user, 'step-up', answer);
    if (answer.isPending) waitWithoutText(model, browser, session.user, 'step-up', answer);
  } else {
    session.pending = expectSend(model, session.user, 'step-up', undefined, answer);
  }
}

/** Another code for the same pending login. */
export function predictResend(model: Model, browser: number, answer: SendAnswer): void {
  const session = sessionOf(model, browser);
  const previous =
    session.pending === null ? undefined : liveChallenge(model, session.pending.otpId);
  if (previous === undefined) {
    session.pending = null;
    expect([answer.status, answer.error]).toEqual([401, 'no-pending-login']);
  } else if (previous.sends >= 3 || model.now > previous.pendingUntil - 120) {
    expect([answer.status, answer.error]).toEqual([429, 'send-limit']);
  } else if (previous.purpose === 'step-up' && session.user !== previous.user) {
    session.pending = null;
    model.challenges.delete(previous.otpId);
    expect([answer.status, answer.error]).toEqual([401, 'no-pending-login']);
  } else if (answer.message === undefined) {
    expectLimit(model, previous.user, answer);
  } else {
    session.pending = expectSend(model, previous.user, previous.purpose, previous, answer);
    model.challenges.delete(previous.otpId);
  }
}

/** A send must have been allowed: no lock, the gap over. */
function expectSend(
  model: Model,
  user: string,
  purpose: Purpose,
  previous: ModelChallenge | undefined,
  { status, message }: SendAnswer,
): ModelChallenge {
  expect([status, lockOf(model, user)]).toEqual([200, null]);
  const { sentAt } = userOf(model, user);
  expect(model.now - (sentAt.at(-1) ?? -Infinity)).toBeGreaterThanOrEqual(gapAfter(sentAt.length));
  expect(sentAt.filter((time) => time > model.now - 86_400).length).toBeLessThan(20);
  const pendingUntil = previous?.pendingUntil ?? model.now + 600;
  const challenge: ModelChallenge = {
    otpId: message?.id ?? '',
    pin: message?.pin ?? '',
    hasCode: true,
    user,
    purpose,
    sends: (previous?.sends ?? 0) + 1,
    expiresAt: Math.min(model.now + 300, pendingUntil),
    pendingUntil,
    attempts: 0,
  };
  beginChallenge(model, challenge);
  return challenge;
}

/**
 * The session waits under an id of its own, or under the one it waited for without a text before.
 */
function waitWithoutText(
  model: Model,
  browser: number,
  user: string,
  purpose: Purpose,
  { otpId = '' }: SendAnswer,
): void {
  const session = sessionOf(model, browser);
  if (session.pending?.otpId === otpId)
    return expect(liveChallenge(model, otpId)).toMatchObject({ user, purpose });
  const pendingUntil = model.now + 600;
  const unsent = { otpId, user, purpose, pin: '', hasCode: false, sends: 0, attempts: 0 };
  model.challenges.set(otpId, { ...unsent, expiresAt: pendingUntil, pendingUntil });
  if (purpose === 'login') Object.assign(session, { user: null, mark: null });
  session.pending = { otpId, purpose, pendingUntil };
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
  const { pending } = sessionOf(model, browser);
  const waiting = liveChallenge(model, pending?.otpId ?? '');
  expect(waiting).toMatchObject({ user, purpose, hasCode: true });
  expect(waiting?.expiresAt).toBeGreaterThan(model.now);
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
