import { afterEach, describe, expect, it } from '@jest/globals';
import type { Policy, PolicyContext, SendSettlement, VerifiedContext } from 'passport-sms-otp';
import { ALICE } from '../support/test-app';
import { seen, visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const VARIANTS = ['A', 'B'] as const;

const test = useOwnApps();
const visitor = visit(test);

function decisions(): unknown[] {
  return test.events.flatMap((event) =>
    event.type === 'policy-decided' && event.policy === 'rule'
      ? [[event.decision, event.mode, ...event.reasons]]
      : [],
  );
}

/** A policy that allows, with more to it. */
function rule(more: Partial<Policy>): Policy {
  return { name: 'rule', stage: 'send', check: () => 'allow', ...more };
}

const counted = { counter: { key: 'rule:all', windowSeconds: 60, max: 1 }, reason: 'one a minute' };

describe('the counters of a policy', () => {
  it('are charged with the send, and refuse it when they are full', async () => {
    await test.start({ options: { policies: [rule({ charges: () => [counted] })] } });
    expect((await visitor.login()).status).toBe(200);
    test.clock.advanceSeconds(31);
    const refused = await visitor.resend();
    expect([...seen(refused), refused.headers['retry-after']]).toEqual([
      429,
      { error: 'send-limit', retryAfterSeconds: expect.any(Number) },
      '29',
    ]);
    expect(test.events).toContainEqual(
      expect.objectContaining({ type: 'denied', reason: 'send-limit', policy: 'rule' }),
    );
    expect(decisions()).toEqual([
      ['allow', 'enforce'],
      ['allow', 'enforce'],
      ['deny', 'enforce', 'one a minute'],
    ]);
    test.clock.advanceSeconds(30);
    expect((await visitor.resend()).status).toBe(200);
  });

  it('count nothing when another limit refuses the send', async () => {
    const wide = { ...counted, counter: { ...counted.counter, max: 2 } };
    await test.start({ options: { policies: [rule({ charges: () => [wide] })] } });
    await visitor.login();
    await visitor.resend();
    await visitor.resend();
    test.clock.advanceSeconds(31);
    expect((await visitor.resend()).status).toBe(200);
  });

  it('that lock keep the send away until the lock ends', async () => {
    const lock = { every: 1, seconds: [90] };
    const locking = {
      counter: { key: 'rule:lock', windowSeconds: 3_600, lock },
      reason: 'one in a while',
    };
    await test.start({ options: { policies: [rule({ charges: () => [locking] })] } });
    await visitor.login();
    test.clock.advanceSeconds(31);
    const refused = await visitor.resend();
    expect([...seen(refused), refused.headers['retry-after']]).toEqual([
      429,
      { error: 'send-limit', retryAfterSeconds: expect.any(Number) },
      '59',
    ]);
    test.clock.advanceSeconds(60);
    expect((await visitor.resend()).status).toBe(200);
  });

  it('that cannot be read stop nothing in mode report', async () => {
    const charges = (): never => {
      throw new Error('unavailable');
    };
    await test.start({ options: { policies: [rule({ mode: 'report', charges })] } });
    expect((await visitor.login()).status).toBe(200);
    expect(test.sim.outbox).toHaveLength(1);
  });

  it('only report what they would have refused in mode report', async () => {
    await test.start({
      options: { policies: [rule({ mode: 'report', charges: () => [counted] })] },
    });
    await visitor.login();
    test.clock.advanceSeconds(31);
    expect((await visitor.resend()).status).toBe(200);
    expect(decisions()).toEqual([
      ['allow', 'report'],
      ['allow', 'report'],
      ['deny', 'report', 'one a minute'],
    ]);
  });

  it('may give a reason of their own', async () => {
    await test.start({
      options: { policies: [rule({ charges: () => [{ ...counted, deny: 'denied' }] })] },
    });
    await visitor.login();
    test.clock.advanceSeconds(31);
    expect(seen(await visitor.resend())).toEqual([403, { error: 'denied' }]);
  });

  it('that cannot be read deny the send', async () => {
    await test.start({
      options: {
        policies: [
          rule({
            charges: () => {
              throw new Error('broken');
            },
          }),
        ],
      },
    });
    expect(seen(await visitor.login())).toEqual([403, { error: 'denied' }]);
    expect(test.sim.stats().calls.generate).toBe(0);
  });
});

describe('a policy in mode report', () => {
  it('denies nothing, and its denial is emitted with its reasons', async () => {
    await test.start({
      options: {
        policies: [
          rule({
            mode: 'report',
            check: () => ({ deny: 'denied', reasons: ['too new', 'too dear'] }),
          }),
        ],
      },
    });
    expect((await visitor.login()).status).toBe(200);
    expect(decisions()).toEqual([['deny', 'report', 'too new', 'too dear']]);
  });
});

describe.each(VARIANTS)('after the send, in variant %s', (variant) => {
  const settled: SendSettlement[] = [];
  const verified: VerifiedContext[] = [];
  const listening = rule({
    settle: (_context: PolicyContext, settlement: SendSettlement) => settled.push(settlement),
    verified: (context: VerifiedContext) => verified.push(context),
  });
  afterEach(() => {
    settled.length = 0;
    verified.length = 0;
  });

  it('a policy is called with what was sent, what it cost, and that the code was right', async () => {
    await test.start({ variant, options: { policies: [listening] } });
    await visitor.login();
    const digits: unknown = expect.stringMatching(/^\d/);
    expect(settled).toEqual([{ kind: 'sent', cost: variant === 'B' ? digits : null }]);
    await visitor.enterWrong();
    expect(verified).toEqual([]);
    await visitor.enterRight();
    expect(verified).toMatchObject([
      { userId: 'alice', mobile: ALICE.phone, purpose: 'login', isNewNumber: true, sends: 1 },
    ]);
    await visitor.stepUp();
  });

  it('a policy is called with a send that failed, and with one whose answer was lost', async () => {
    await test.start({ variant, options: { policies: [listening] } });
    test.sim.failNext('generate', { kind: 'error', code: 2100 });
    await visitor.login();
    test.sim.failNext('generate', { kind: 'reset', when: 'after' });
    test.clock.advanceSeconds(31);
    await visitor.login();
    expect(settled.map(({ kind }) => kind)).toEqual(['not-sent', 'unknown']);
  });

  it('a policy is called with a send that did not reach the gateway as not sent', async () => {
    await test.start({ variant, options: { policies: [listening] } });
    await visitor.login();
    await test.sim.close();
    test.clock.advanceSeconds(31);
    await visitor.login();
    expect(settled.map(({ kind }) => kind)).toEqual(['sent', 'not-sent']);
  });

  it('a policy whose send was not charged is not called', async () => {
    await test.start({ variant, options: { policies: [listening] } });
    await visitor.login();
    await visitor.resend();
    expect(settled).toHaveLength(1);
  });

  it('nothing that it throws changes anything', async () => {
    const throwing = (): never => {
      throw new Error('broken');
    };
    await test.start({
      variant,
      options: {
        policies: [rule({ settle: throwing, verified: () => Promise.reject(new Error('broken')) })],
      },
    });
    expect((await visitor.login()).status).toBe(200);
    expect((await visitor.enterRight()).status).toBe(200);
    expect(test.errors).toEqual([]);
  });
});
