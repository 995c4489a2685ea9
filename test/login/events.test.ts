import { describe, expect, it } from '@jest/globals';
import { enterWrongly, visit } from '../support/visit';
import { useApp } from '../support/use-app';

/** Events of stores, policies and the gateway are told elsewhere. */
const LOGIN = [
  'sent',
  'denied',
  'rejected',
  'verified',
  'locked',
  'failure-count-changed',
  'decision-ended',
];

describe.each(['A', 'B'] as const)('onEvent in variant %s', (variant) => {
  const subject = { userId: 'alice', purpose: 'login', address: '127.0.0.1' };
  const durationMs = expect.any(Number);
  const test = useApp({ variant });
  const alice = visit(test);

  /** What was told since the last call. */
  const told = (): unknown[] => test.events.splice(0).filter(({ type }) => LOGIN.includes(type));
  const ended = (decision: string, outcome: string): object => {
    return { type: 'decision-ended', decision, outcome, durationMs };
  };
  const sent = (sends: number): object => {
    const cost = variant === 'B' ? expect.stringMatching(/^\d/) : null;
    const said = { method: 'sms', maskedPhone: '•• •• 23', sends, cost, country: 'US' };
    return { type: 'sent', ...subject, ...said };
  };
  const counted = (failures: number): object => ({
    type: 'failure-count-changed',
    ...subject,
    failures,
  });

  it('hears of a login to its end', async () => {
    await alice.login();
    expect(told()).toEqual([sent(1), ended('send', 'sent')]);
    await alice.enterWrong();
    const reason = 'wrong-code';
    const rejected = { type: 'rejected', ...subject, reason };
    expect(told()).toEqual([rejected, counted(1), ended('verify', reason)]);
    await alice.enterRight();
    const verified = {
      ...{ type: 'verified', ...subject, method: 'sms', country: 'US' },
      isKnownBrowser: false,
    };
    // The session is saved after the decision.
    expect(told()).toEqual([counted(0), ended('verify', 'verified'), verified]);
  });

  it('hears of what is not sent', async () => {
    await alice.login();
    told();
    const denied = { type: 'denied', ...subject, policy: null };
    await visit(test).login();
    const tooSoon = { ...denied, reason: 'resend-too-soon', limit: 'gap' };
    expect(told()).toEqual([tooSoon, ended('send', 'resend-too-soon')]);
    await alice.login();
    expect(told()).toEqual([ended('send', 'already-sent')]);
    test.clock.advanceSeconds(30);
    await alice.resend();
    expect(told()).toEqual([sent(2), ended('send', 'sent'), ended('resend', 'sent')]);
    test.clock.advanceSeconds(451);
    await alice.resend();
    const usedUp = { ...denied, reason: 'send-limit', limit: 'per-login' };
    expect(told()).toEqual([usedUp, ended('resend', 'send-limit')]);
  });

  it('hears of a code that came too late', async () => {
    await alice.login();
    told();
    test.clock.advanceSeconds(300);
    await alice.enterRight();
    const rejected = { type: 'rejected', ...subject, reason: 'expired' };
    expect(told()).toEqual([rejected, counted(1), ended('verify', 'expired')]);
  });

  it('hears of a lock once, when it begins', async () => {
    await alice.login();
    await enterWrongly(alice, 5);
    test.clock.advanceSeconds(30);
    await alice.resend();
    await enterWrongly(alice, 4);
    told();
    await alice.enterWrong();
    const last = { type: 'rejected', ...subject, reason: 'too-many-attempts' };
    const locked = { type: 'locked', ...subject, lockedSeconds: 1800 };
    expect(told()).toEqual([last, counted(10), locked, ended('verify', 'locked')]);
  });

  it('hears of a text that the gateway has not sent', async () => {
    test.sim.failNext('generate', 'html-502');
    await alice.login();
    const error = { code: 'ERR_GATEWAY_RESPONSE', message: expect.stringContaining('generate') };
    const rule = { reason: 'not-sent', policy: null, limit: null, error };
    const denied = { type: 'denied', ...subject, ...rule };
    expect(told()).toEqual([denied, ended('send', 'not-sent')]);
  });
});
