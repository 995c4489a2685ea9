import { describe, expect, it } from '@jest/globals';
import type { Policy, PolicyContext } from 'passport-sms-otp';
import { allowedCountries, numberTypes } from 'passport-sms-otp/policies';
import { answering } from '../support/tampered-store';
import { ALICE } from '../support/test-app';
import { seen, visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const test = useOwnApps();
const visitor = visit(test);

/** A policy that remembers what it was asked. */
function asked(
  name: string,
  answer: Policy['check'],
  stage: Policy['stage'] = 'send',
): Policy & { contexts: PolicyContext[] } {
  const contexts: PolicyContext[] = [];
  return {
    name,
    stage,
    contexts,
    check(context) {
      contexts.push(context);
      return answer(context);
    },
  };
}
const allow = (): 'allow' => 'allow';

describe('a policy', () => {
  it('is called before a code is sent, with all that is known', async () => {
    const policy = asked('watch', allow);
    await test.start({ options: { policies: [policy] } });
    await visitor.login();
    expect(policy.contexts).toMatchObject([
      {
        stage: 'send',
        user: ALICE,
        userId: 'alice',
        purpose: 'login',
        mobile: ALICE.phone,
        address: expect.stringMatching(/127\.0\.0\.1$/),
        numberKey: expect.stringMatching(/^[\w-]{22}$/),
        prefixKey: expect.stringMatching(/^[\w-]{22}$/),
      },
    ]);
    test.clock.advanceSeconds(30);
    await visitor.resend();
    await visitor.enterRight();
    await visitor.stepUp();
    expect(policy.contexts.map(({ purpose }) => purpose)).toEqual(['login', 'login', 'step-up']);
  });

  it('is asked in its turn, after the countries, and not when one before it denies', async () => {
    const [first, second, third] = [
      asked('first', allow),
      asked('second', () => Promise.resolve({ deny: 'denied' })),
      asked('third', allow),
    ];
    await test.start({ options: { policies: [first, second, third] } });
    expect(seen(await visitor.login())).toEqual([403, { error: 'denied' }]);
    expect([first, second, third].map(({ contexts }) => contexts.length)).toEqual([1, 1, 0]);
    const about = test.events.flatMap((event) => ('policy' in event ? [event] : []));
    expect(about.map(({ type, policy }) => [type, policy])).toEqual([
      ['policy-decided', 'allowed-countries'],
      ['policy-decided', 'number-types'],
      ['policy-decided', 'first'],
      ['policy-decided', 'second'],
      ['denied', 'second'],
    ]);
    expect(about.slice(-1)).toEqual([
      {
        type: 'denied',
        userId: 'alice',
        purpose: 'login',
        address: expect.any(String),
        reason: 'denied',
        policy: 'second',
        limit: null,
      },
    ]);
    test.users.set('alice', { ...ALICE, phone: '+4915123456789' });
    expect(seen(await visitor.login())).toEqual([403, { error: 'country-not-allowed' }]);
    expect(first.contexts).toHaveLength(1);
  });

  it('of the stage of enrollment is not asked at a login', async () => {
    const policy = asked('enrollment', () => ({ deny: 'denied' }), 'enroll');
    await test.start({ options: { policies: [policy] } });
    expect((await visitor.login()).status).toBe(200);
    expect(policy.contexts).toEqual([]);
  });

  it('denies premium numbers without being asked for, unless the app brings its own rule', async () => {
    const premium = { options: {}, users: [{ ...ALICE, phone: '+19002345678' }] };
    await test.start(premium);
    expect(seen(await visitor.login())).toEqual([403, { error: 'unsuitable-phone' }]);
    await test.start({
      ...premium,
      options: { policies: [numberTypes({ mode: 'report' })] },
    });
    expect((await visitor.login()).status).toBe(200);
  });

  it('may deny with a reason and a time', async () => {
    await test.start({
      options: {
        policies: [asked('budget', () => ({ deny: 'send-limit', retryAfterSeconds: 41.5 }))],
      },
    });
    const refused = await visitor.login();
    expect([...seen(refused), refused.headers['retry-after']]).toEqual([
      429,
      { error: 'send-limit', pending: true, retryAfterSeconds: 42 },
      '42',
    ]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('the rule is broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the rule is broken'))],
    ['answers nothing', answering(undefined)],
    ['answers null', answering(null)],
    ['answers true', answering(true)],
    ['answers false', answering(false)],
    ['answers Allow', answering('Allow')],
    ['answers a list', answering(['allow'])],
    ['answers an object', answering({})],
    ['answers an unknown reason', answering({ deny: 'because' })],
    ['answers a reason from the prototype', answering({ deny: 'toString' })],
    ['answers no reason', answering({ deny: undefined, retryAfterSeconds: NaN })],
  ])('denies when it %s', async (_what, check) => {
    // Policies without types may do anything.
    await test.start({
      options: { policies: [{ name: 'odd', stage: 'send', check: check as Policy['check'] }] },
    });
    expect(seen(await visitor.login())).toEqual([403, { error: 'denied' }]);
    expect(test.sim.stats().calls.generate).toBe(0);
    expect(test.errors).toEqual([]);
  });

  it('that denies charges nothing', async () => {
    let isOpen = false;
    await test.start({
      options: { policies: [asked('switch', () => (isOpen ? 'allow' : { deny: 'denied' }))] },
    });
    for (let time = 0; time < 3; time += 1) await visitor.login();
    isOpen = true;
    expect((await visitor.login()).body).toMatchObject({
      sent: true,
      resendAt: test.clock.now() + 30_000,
    });
  });

  it('that denies a resend leaves the code that is out alive', async () => {
    let isOpen = true;
    await test.start({
      options: { policies: [asked('switch', () => (isOpen ? 'allow' : { deny: 'denied' }))] },
    });
    await visitor.login();
    isOpen = false;
    test.clock.advanceSeconds(30);
    expect(seen(await visitor.resend())).toEqual([403, { error: 'denied' }]);
    expect((await visitor.enterRight()).status).toBe(200);
  });

  it('may be the list of countries itself', async () => {
    await test.start({
      options: { policies: [allowedCountries(['US'])], allowedCountries: 'any' },
    });
    expect((await visitor.login()).status).toBe(200);
    test.users.set('bob', { id: 'bob', phone: '+447400123456' });
    expect(seen(await visit(test, { id: 'bob', phone: null }).login())).toEqual([
      403,
      { error: 'country-not-allowed' },
    ]);
  });
});
