import { describe, expect, it } from '@jest/globals';
import {
  type CounterStore,
  type FinishOptions,
  type LimitsOption,
  memoryStore,
  type PinVerdict,
} from 'passport-sms-otp';
import { FakeGateway } from '../support/fake-gateway';
import { ALICE, asUser, type TestApp } from '../support/test-app';
import { testClock } from '../support/clock';
import { answering, tamperedStore, throwing } from '../support/tampered-store';
import type { Visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';
import { waitUntil } from '../support/wait-until';
import { expectOneIn } from '../support/sent-twice';

/** Well-formed, and nobody's. */
const UNKNOWN = '0000-0000-0000-0000-0000-0000';

const apps = useOwnApps({ hasFactors: true });

const storeCalls = (test: TestApp): string[] =>
  test.told('store-call').map(({ operation }) => operation);

const reasons = (test: TestApp): string[] => test.told('rejected').map(({ reason }) => reason);

async function enterWrongly(browser: Visit, times: number): Promise<void> {
  for (let guess = 0; guess < times; guess += 1) await browser.enterWrong();
}

async function recoverWrongly(browser: Visit, times: number): Promise<void> {
  for (let guess = 0; guess < times; guess += 1) {
    expect((await browser.recover(UNKNOWN)).status).toBe(401);
  }
}

/** The other session of a browser that its user has logged in with. */
function anotherSession(test: TestApp, browser: Visit): Visit {
  const other = test.browser();
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  other.leave();
  return other;
}

/** Of a right code that comes twice at once, has the second judged when the first has passed. */
function judgeAfterSuccess(
  test: TestApp,
  gateway: FakeGateway,
  answer: (verdict: PinVerdict) => unknown,
): void {
  gateway.answerValidate = async (verdict) => {
    const isFirst = verdict === 'right';
    if (isFirst) await waitUntil(() => gateway.typed.length === 2);
    else await waitUntil(() => test.told('verified').length === 1);
    return isFirst ? verdict : answer(verdict);
  };
}

it('a code at a login that waits without a text is wrong, and the fifth one too many', async () => {
  const test = await apps.start();
  await test.browser().login();
  const waiting = test.browser();
  expect((await waiting.login()).body).toMatchObject({ pending: true });
  await enterWrongly(waiting, 5);
  expect(reasons(test)).toEqual([...Array<string>(4).fill('wrong-code'), 'too-many-attempts']);
  expect(test.told('rejected')[0]).toMatchObject({ userId: 'alice', purpose: 'login' });
  expect(test.sim.stats().calls.validate).toBe(0);
});

describe.each([
  ['is lost', 'half-answer'],
  ['says that the code was not checked', { kind: 'error', code: 2121 }],
] as const)('an answer of the gateway that %s', (_what, fault) => {
  it('refunds the message of its code, once', async () => {
    const test = await apps.start({ options: { limits: { perUser: { maxPerDay: 2 } } } });
    await test.browser().login();
    test.clock.advanceSeconds(60);
    const alice = test.browser();
    await alice.login();
    test.sim.failNext('validate', fault);
    test.sim.failNext('validate', fault);
    await Promise.all([alice.enterWrong(), alice.enterWrong()]);
    test.clock.advanceSeconds(300);
    expect((await test.browser().login()).body).toMatchObject({ sent: true });
    test.clock.advanceSeconds(300);
    expect((await test.browser().login()).body).toMatchObject({ error: 'send-limit' });
  });
});

describe('an answer of the gateway that is lost', () => {
  /** Starts an app that has its login end by a lost answer, and returns what is ended. */
  async function startEnding() {
    const memory = memoryStore();
    const ended: string[] = [];
    const end: typeof memory.pendingLogins.end = (pendingId, { otpId = 'whole' } = {}) => {
      ended.push(otpId);
      return memory.pendingLogins.end(pendingId, otpId === 'whole' ? {} : { otpId });
    };
    const gateway = new FakeGateway();
    const store = { ...memory, pendingLogins: { ...memory.pendingLogins, end } };
    const test = await apps.start({ options: { gateway, store } });
    const alice = test.browser();
    await alice.login();
    return { test, gateway, ended, alice, code: gateway.lastPin(ALICE.phone) };
  }

  it('ends the whole login', async () => {
    const { alice, gateway, ended } = await startEnding();
    gateway.answerValidate = () => undefined;
    expect((await alice.enter('000000')).status).toBe(502);
    expect(ended).toEqual(['whole']);
  });

  it('is told as lost where the login has ended meanwhile', async () => {
    const { alice, gateway } = await startEnding();
    gateway.answerValidate = async () => {
      await alice.cancel();
    };
    expect((await alice.enter('000000')).status).toBe(502);
  });

  it('leaves the mark of a request that has passed meanwhile', async () => {
    const { test, alice, gateway, ended, code } = await startEnding();
    judgeAfterSuccess(test, gateway, () => undefined);
    const answers = await Promise.all([alice.enter(code), alice.enter(code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 502]);
    expect(ended).toEqual(['fake-1']);
  });

  it.each([
    [1, 1],
    [2, 0],
  ])('is told as disabling when it is the last of %d', async (disableAfter, events) => {
    const test = await apps.start({ options: { limits: { failures: { max: 1, disableAfter } } } });
    const alice = test.browser();
    await alice.login();
    test.sim.failNext('validate', 'half-answer');
    await alice.enterWrong();
    expect(test.told('disabled')).toHaveLength(events);
  });

  it('disables nobody in a known browser', async () => {
    const test = await apps.start({
      options: { limits: { failures: { max: 1, disableAfter: 1 } } },
    });
    const alice = test.browser();
    await alice.login();
    await alice.enterRight();
    alice.leave();
    test.clock.advanceSeconds(60);
    await alice.login();
    test.sim.failNext('validate', 'half-answer');
    await alice.enterWrong();
    expect(reasons(test)).toEqual(['unconfirmed']);
    expect(test.told('disabled')).toEqual([]);
  });
});

describe('a wrong recovery code', () => {
  it('costs the texted code no attempt', async () => {
    const test = await apps.start();
    const alice = test.browser();
    await alice.login();
    await recoverWrongly(alice, 3);
    await alice.enterWrong();
    expect((await alice.get('/status')).body).toMatchObject({ pending: { attemptsLeft: 4 } });
  });

  it('is one too many from the fifth on at one login, however few the attempts at a text', async () => {
    const test = await apps.start({ options: { maxAttempts: 2 } });
    const alice = test.browser();
    await alice.login();
    await recoverWrongly(alice, 6);
    expect(reasons(test)).toEqual([...Array<string>(4).fill('wrong-code'), 'too-many-attempts']);
  });

  it('closes recovery for its address until ten are a day old, and is told once', async () => {
    const test = await apps.start();
    const alice = test.browser();
    for (let login = 0; login < 2; login += 1) {
      await alice.login();
      await recoverWrongly(alice, 5);
      test.clock.advanceSeconds(300);
    }
    expect(test.told('guessing-recovery-codes')).toMatchObject([{ userId: 'alice', failures: 10 }]);
    await alice.login();
    const { status, body } = await alice.recover(UNKNOWN);
    expect([status, body]).toEqual([429, { error: 'locked', retryAfterSeconds: 86_400 - 600 }]);
    await alice.enterWrong();
    expect(test.told('guessing-recovery-codes')).toHaveLength(1);
  });

  it('is given back when the app fails', async () => {
    let fails = true;
    const test = await apps.start({
      options: {
        loadUser: () => {
          if (fails) throw new Error('the database is away');
          return asUser({ ...ALICE });
        },
      },
    });
    const alice = test.browser();
    for (let login = 0; login < 2; login += 1) {
      await alice.login();
      for (let guess = 0; guess < 5; guess += 1)
        expect((await alice.recover(UNKNOWN)).status).toBe(500);
      test.clock.advanceSeconds(300);
    }
    fails = false;
    await alice.login();
    expect((await alice.recover(UNKNOWN)).body).toEqual({ error: 'invalid-code' });
    expect(reasons(test)).toEqual(['wrong-code']);
  });

  it('ends the wait of a login that the server has ended', async () => {
    const test = await apps.start();
    const alice = test.browser();
    await alice.login();
    await test.smsOtp.forgetUser('alice');
    expect((await alice.recover(UNKNOWN)).status).toBe(401);
    expect((await alice.get('/status')).body).toMatchObject({ pending: null });
  });
});

it('a right recovery code proves no number and takes no text off the failures of 30 days', async () => {
  const memory = memoryStore();
  const finishes: FinishOptions[] = [];
  const finish: typeof memory.finish = (pendingId, options) => {
    finishes.push(options);
    return memory.finish(pendingId, options);
  };
  const test = await apps.start({ options: { store: { ...memory, finish } } });
  const [code = ''] = await test.firstCodes();
  const alice = test.browser();
  await alice.login();
  test.events.length = 0;
  expect((await alice.recover(code)).status).toBe(200);
  expect(storeCalls(test)).toEqual(['claim', 'charge', 'records.find', 'finish']);
  expect(finishes).toMatchObject([{ otpId: undefined, leavesMark: true }]);
  const charged = finishes.flatMap(({ charges }) => charges.map(({ key }) => key));
  expect(charged).toEqual([expect.stringMatching(/^recovery:address:/)]);
});

it('a right code that comes twice at once is no failure', async () => {
  const gateway = new FakeGateway();
  const test = await apps.start({ options: { gateway } });
  const alice = test.browser();
  await alice.login();
  test.events.length = 0;
  judgeAfterSuccess(test, gateway, (verdict) => verdict);
  const code = gateway.lastPin(ALICE.phone);
  const answers = await Promise.all([alice.enter(code), alice.enter(code)]);
  expectOneIn(answers);
  // One for each, and one that gives the second back.
  expect(storeCalls(test).filter((call) => call === 'charge')).toHaveLength(3);
});

describe('a code of a login that another request has passed', () => {
  /** Starts an app with a user who waits for a code in two requests. */
  async function startPassed(limits: LimitsOption = {}) {
    const clock = testClock();
    const tampered = tamperedStore(clock);
    const test = await apps.start({ clock, options: { store: tampered.store, limits } });
    const alice = test.browser();
    await alice.login();
    tampered.tamper('find', answering('passed'));
    return { test, tampered, alice };
  }

  const ALREADY_VERIFIED = [409, { error: 'already-verified' }];

  it('is told so where it was wrong, and counts towards disabling alone', async () => {
    const { test, tampered, alice } = await startPassed();
    const { status, body } = await alice.enterWrong();
    expect([status, body]).toEqual(ALREADY_VERIFIED);
    expect(reasons(test)).toEqual(['already-verified']);
    expect(test.told('failure-count-changed')).toMatchObject([{ failures: 1 }]);
    tampered.heal();
    expect((await alice.get('/status')).body).toMatchObject({ pending: null });
  });

  it('is told so, and not of the lock that its attempt has set', async () => {
    const { test, alice } = await startPassed({ failures: { max: 1, disableAfter: 1 } });
    const { status, body } = await alice.enterWrong();
    expect([status, body]).toEqual(ALREADY_VERIFIED);
    expect(test.told('disabled')).toHaveLength(1);
  });

  it.each([
    ['sent', (alice: Visit) => alice.enterWrong()],
    ['recovery', (alice: Visit) => alice.recover(UNKNOWN)],
  ])(
    'is told so where its attempt comes too late to be counted: a %s code',
    async (_kind, enter) => {
      const { test, tampered, alice } = await startPassed();
      tampered.tamper('claim', answering({ outcome: 'unknown' }));
      const { status, body } = await enter(alice);
      expect([status, body]).toEqual(ALREADY_VERIFIED);
      expect(test.sim.stats().calls.validate).toBe(0);
      tampered.heal();
      expect((await alice.get('/status')).body).toMatchObject({ pending: null });
    },
  );

  it('is told that it was wrong where the store cannot say so', async () => {
    const { tampered, alice } = await startPassed();
    tampered.tamper('find', throwing);
    const { status, body } = await alice.enterWrong();
    expect([status, body]).toMatchObject([401, { error: 'invalid-code' }]);
  });
});

it('a code of a user who is gone is answered so, and not with the lock that its attempt has set', async () => {
  let isGone = false;
  const loadUser = () => (isGone ? null : asUser({ ...ALICE }));
  const test = await apps.start({ options: { loadUser, limits: { failures: { max: 1 } } } });
  const alice = test.browser();
  await alice.login();
  isGone = true;
  const { status, body } = await alice.enterWrong();
  expect([status, body]).toEqual([401, { error: 'no-pending-login' }]);
  expect(reasons(test)).toEqual(['user-gone']);
  expect(test.told('locked')).toHaveLength(1);
});

it('an attempt that was not judged is given back by one call, where it has set no lock', async () => {
  const test = await apps.start();
  const alice = test.browser();
  await alice.login();
  test.events.length = 0;
  test.sim.failNext('validate', { kind: 'error', code: 2121 });
  expect((await alice.enterWrong()).status).toBe(503);
  expect(storeCalls(test)).toEqual(['claim', 'charge', 'charge']);
});

it('an attempt that cannot be given back stays counted', async () => {
  const memory = memoryStore();
  const counters: CounterStore = {
    ...memory.counters,
    charge: (given) =>
      given.some(({ amount = 1 }) => amount < 0)
        ? Promise.reject(new Error('the store is away'))
        : memory.counters.charge(given),
  };
  const test = await apps.start({ options: { store: { ...memory, counters } } });
  const alice = test.browser();
  await alice.login();
  test.sim.failNext('validate', { kind: 'error', code: 2121 });
  expect((await alice.enterWrong()).status).toBe(503);
  expect(test.told('failure-count-changed').map(({ failures }) => failures)).toEqual([1]);
});

it('a code after the last failure that a user has is refused as disabled', async () => {
  const test = await apps.start({ options: { limits: { failures: { max: 2, disableAfter: 2 } } } });
  const alice = test.browser();
  await alice.login();
  await enterWrongly(alice, 2);
  const { status, body } = await alice.enterRight();
  expect([status, body]).toEqual([403, { error: 'disabled' }]);
});

it('a known browser that has had its failures at one login counts as one of the others at a step-up', async () => {
  const test = await apps.start();
  const alice = test.browser();
  await alice.login();
  await alice.enterRight();
  test.clock.advanceSeconds(60);
  expect((await alice.post('/step-up')).status).toBe(200);
  const code = test.code();
  const other = anotherSession(test, alice);
  for (let login = 0; login < 2; login += 1) {
    test.clock.advanceSeconds(70);
    expect((await other.login()).status).toBe(200);
    await enterWrongly(other, 5);
  }
  // A right code is never refused because its browser was made unknown.
  expect((await alice.post('/login/pin', { pin: code })).status).toBe(200);
});

it('the sixtieth failure of other browsers in 30 days is told, and locks them for a day', async () => {
  const test = await apps.start({ options: { limits: { perUser: { maxPerDay: 30 } } } });
  for (let failures = 0; failures < 60; failures += 5) {
    expect(test.told('guessing-slowly')).toEqual([]);
    const guesser = test.browser();
    await guesser.login();
    await enterWrongly(guesser, 5);
    test.clock.advanceSeconds(120);
    if (failures === 55) break;
    const owner = test.browser();
    await owner.login();
    expect((await owner.enterRight()).status).toBe(200);
    test.clock.advanceSeconds(120);
  }
  expect(test.told('guessing-slowly')).toMatchObject([{ userId: 'alice', failures: 60 }]);
  const { status, body } = await test.browser().login();
  expect([status, body.error]).toEqual([429, 'locked']);
  expect(body.retryAfterSeconds).toBeGreaterThan(86_000);
});
