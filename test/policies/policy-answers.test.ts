import { describe, expect, it } from '@jest/globals';
import { StoreError } from 'passport-sms-otp';
import type { Policy, PolicyContext, SendSettlement, VerifiedContext } from 'passport-sms-otp';
import { ALICE } from '../support/test-app';
import { seen, visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const test = useOwnApps();
const visitor = visit(test);

/** A policy that allows, with more to it. */
const rule = (more: Partial<Policy> = {}): Policy => ({
  name: 'rule',
  stage: 'send',
  check: () => 'allow',
  ...more,
});

/** What was told of the policy. */
const told = (): unknown[] =>
  test.events.filter((event) => event.type === 'policy-decided' && event.policy === 'rule');

const DECISION = {
  type: 'policy-decided',
  userId: 'alice',
  purpose: 'login',
  address: '127.0.0.1',
  stage: 'send',
  policy: 'rule',
  mode: 'enforce',
};

/** Policies without types may answer anything. */
const answering = (answer: unknown): Partial<Policy> => ({
  check: (() => answer) as Policy['check'],
});

describe('the answer of a policy', () => {
  it('is emitted with every field', async () => {
    await test.start({ options: { policies: [rule()] } });
    await visitor.login();
    expect(told()).toEqual([{ ...DECISION, decision: 'allow', reasons: [] }]);
  });

  it.each([
    [
      ['too dear', 5, null, 'too new'],
      ['too dear', 'too new'],
    ],
    ['too dear', []],
    [undefined, []],
  ])('has the words %j as its reasons: %j', async (because, words) => {
    await test.start({
      options: { policies: [rule(answering({ deny: 'denied', reasons: because }))] },
    });
    await visitor.login();
    expect(told()).toEqual([{ ...DECISION, decision: 'deny', reasons: words }]);
  });

  it('is a denial that says so when the policy throws', async () => {
    await test.start({
      options: { policies: [rule({ check: () => Promise.reject(new Error('broken')) })] },
    });
    await visitor.login();
    expect(told()).toEqual([{ ...DECISION, decision: 'deny', reasons: ['it could not be asked'] }]);
  });

  describe.each(['check', 'charges'] as const)('with a store that fails in %s', (hook) => {
    const fail = (): Promise<never> => Promise.reject(new StoreError('charge'));

    it('is the outage that it is, not a denial', async () => {
      await test.start({ options: { policies: [rule({ [hook]: fail })] } });
      expect((await visitor.login()).status).toBe(503);
      expect(test.errors).toEqual([expect.any(StoreError)]);
      expect(test.events.filter(({ type }) => type === 'denied')).toEqual([]);
      expect(test.sim.stats().calls.generate).toBe(0);
    });

    it('does not matter when the policy only reports', async () => {
      await test.start({ options: { policies: [rule({ [hook]: fail, mode: 'report' })] } });
      expect((await visitor.login()).status).toBe(200);
    });
  });

  it('is a denial when its counters cannot be listed, and nothing is paid for', async () => {
    const paid: string[] = [];
    const lookup = rule({
      name: 'lookup',
      needsLookup: true,
      check: () => (paid.push('lookup'), 'allow'),
    });
    const broken = rule({ charges: () => Promise.reject(new Error('broken')) });
    await test.start({ options: { policies: [broken, lookup] } });
    expect(seen(await visitor.login())).toEqual([403, { error: 'denied' }]);
    expect(test.told('denied')).toMatchObject([{ reason: 'denied', policy: 'rule' }]);
    expect(paid).toEqual([]);
  });

  it.each([[0], [-1], [Infinity], [NaN], ['30'], [null]])(
    'names no time with %p',
    async (retryAfterSeconds) => {
      await test.start({
        options: { policies: [rule(answering({ deny: 'send-limit', retryAfterSeconds }))] },
      });
      const refused = await visitor.login();
      expect(seen(refused)).toEqual([429, { error: 'send-limit' }]);
      expect(refused.headers['retry-after']).toBeUndefined();
    },
  );
});

describe('a policy of the stage of enrollment', () => {
  it('is neither charged with a login nor called with its settlement', async () => {
    const settled: SendSettlement[] = [];
    const counter = { key: 'rule:all', windowSeconds: 60, max: 0 };
    await test.start({
      options: {
        policies: [
          rule({
            stage: 'enroll',
            charges: () => [{ counter, reason: 'never' }],
            settle: (_context: PolicyContext, settlement: SendSettlement) =>
              settled.push(settlement),
          }),
        ],
      },
    });
    expect((await visitor.login()).status).toBe(200);
    expect(settled).toEqual([]);
  });
});

describe('a policy in mode report', () => {
  it('does not lock', async () => {
    const lock = { every: 1, seconds: [90] };
    const counter = { key: 'rule:lock', windowSeconds: 3_600, lock };
    await test.start({
      options: {
        policies: [
          rule({ mode: 'report', charges: () => [{ counter, reason: 'one in a while' }] }),
        ],
      },
    });
    await visitor.login();
    test.clock.advanceSeconds(31);
    expect((await visitor.resend()).status).toBe(200);
  });
});

describe('a right code', () => {
  it('is passed to the policy with all that is known, and whether the number is new', async () => {
    const heard: VerifiedContext[] = [];
    await test.start({
      options: {
        policies: [rule({ verified: (context: VerifiedContext) => heard.push(context) })],
      },
    });
    const sentAt = test.clock.now();
    await visitor.login();
    test.clock.advanceSeconds(10);
    await visitor.enterRight();
    await visitor.stepUp();
    await visitor.enterRight();
    const about = { userId: 'alice', mobile: ALICE.phone, sends: 1 };
    expect(heard).toMatchObject([
      { ...about, purpose: 'login', isNewNumber: true, sentAt },
      { ...about, purpose: 'step-up', isNewNumber: false, sentAt: sentAt + 10_000 },
    ]);
    const key: unknown = expect.stringMatching(/^[\w-]{22}$/);
    expect(heard[0]).toMatchObject({ numberKey: key, prefixKey: key });
    await expect(heard[0]?.origin?.()).resolves.toMatchObject({ country: 'US' });
    expect(heard[0]?.now()).toBe(test.clock.now());
  });
});
