import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { GatewayBusyError, type SmsOtpOptions } from 'passport-sms-otp';
import { FakeGateway } from '../support/fake-gateway';
import { stopWatch } from '../support/stopped-watch';
import { useOwnApps } from '../support/use-app';
import { seen, visit } from '../support/visit';

const test = useOwnApps();
const visitor = visit(test);

const [HOME, WORK] = ['+12025550123', '+12025550177'] as const;
const WRONG = [401, { error: 'invalid-code' }];
const IN = { verified: true, isAuthenticated: true };

/** The codes of the visitor's texts, the newest first. */
const codes = (): string[] => test.sim.outbox.map(({ pin }) => pin).reverse();
const judgements = (): number => test.sim.stats().calls.validate;
const counted = (): number[] => test.told('failure-count-changed').map(({ failures }) => failures);

/** Logs in and has a second text sent as soon as that is allowed. */
async function textedTwice(): Promise<void> {
  await visitor.login();
  test.clock.advanceSeconds(67);
  expect((await visitor.resend()).status).toBe(200);
}

describe.each(['A', 'B'] as const)('the code of the text before, in variant %s', (variant) => {
  const start = (options: Partial<SmsOtpOptions> = {}): unknown => test.start({ variant, options });

  it('lets in, once, and takes the wrong judgement back', async () => {
    await start();
    await textedTwice();
    const [newest = '', earlier = ''] = codes();
    expect((await visitor.enter(earlier)).body).toMatchObject(IN);
    expect(judgements()).toBe(2);
    expect(counted()).toEqual([0]);
    expect(test.told('verified')).toHaveLength(1);
    expect(test.told('rejected')).toHaveLength(0);
    for (const code of [newest, earlier])
      expect((await visitor.enter(code)).body).toMatchObject({ error: 'no-pending-login' });
    expect(judgements()).toBe(2);
  });

  it('is wrong where the app says so, and nothing is asked of it', async () => {
    await start({ acceptsEarlierCode: false });
    await textedTwice();
    const [newest, earlier] = codes();
    expect(seen(await visitor.enter(earlier))).toEqual(WRONG);
    expect(judgements()).toBe(1);
    expect((await visitor.enter(newest)).body).toMatchObject(IN);
  });

  it('is over once two texts have gone out since', async () => {
    await start();
    await textedTwice();
    test.clock.advanceSeconds(133);
    await visitor.resend();
    const [, second, first] = codes();
    expect(seen(await visitor.enter(first))).toEqual(WRONG);
    expect((await visitor.enter(second)).body).toMatchObject(IN);
  });

  it('is over when its own time is', async () => {
    await start({ codeValiditySeconds: 120 });
    await textedTwice();
    test.clock.advanceSeconds(53);
    const [newest, earlier] = codes();
    expect(seen(await visitor.enter(earlier))).toEqual(WRONG);
    expect(judgements()).toBe(1);
    expect((await visitor.enter(newest)).body).toMatchObject(IN);
  });

  it('is no more guessable: each judgement is counted, five at each text', async () => {
    await start();
    await textedTwice();
    for (let guess = 0; guess < 6; guess += 1) await visitor.enterWrong();
    expect(judgements()).toBe(10);
    expect(test.told('locked')).toHaveLength(1);
    expect(test.told('rejected').map(({ reason }) => reason)).toEqual([
      ...Array<string>(4).fill('wrong-code'),
      'too-many-attempts',
    ]);
    const [, earlier] = codes();
    expect((await visitor.enter(earlier)).status).toBe(401);
    expect(judgements()).toBe(10);
  });

  it('is not asked for where one judgement is left before the lock', async () => {
    await start({ limits: { failures: { max: 1 } } });
    await textedTwice();
    const [, earlier] = codes();
    const told = { error: 'locked', retryAfterSeconds: 1800 };
    expect(seen(await visitor.enter(earlier))).toEqual([429, told]);
    expect(judgements()).toBe(1);
    expect(test.told('locked')).toHaveLength(1);
  });

  it('is not asked for when the answer to the newest is lost', async () => {
    await start();
    await textedTwice();
    const [newest, earlier] = codes();
    test.sim.failNext('validate', { kind: 'reset', when: 'after' });
    expect((await visitor.enter(earlier)).status).toBe(502);
    expect(judgements()).toBe(1);
    for (const code of [earlier, newest])
      expect((await visitor.enter(code)).body).toMatchObject({ error: 'no-pending-login' });
  });

  it('is not asked for when the newest is over', async () => {
    await start();
    await textedTwice();
    const [, earlier] = codes();
    test.sim.failNext('validate', { kind: 'error', code: 2108 });
    expect(seen(await visitor.enter(earlier))).toEqual(WRONG);
    expect(judgements()).toBe(1);
  });

  it('ends the login when the answer to it is lost', async () => {
    await start();
    await textedTwice();
    const [newest, earlier] = codes();
    test.sim.failNext('validate', { kind: 'error', code: 2120 });
    test.sim.failNext('validate', { kind: 'reset', when: 'after' });
    expect((await visitor.enter(earlier)).status).toBe(502);
    expect((await visitor.enter(newest)).body).toMatchObject({ error: 'no-pending-login' });
  });

  it('costs nothing when the gateway says that it is over', async () => {
    await start();
    await textedTwice();
    const [newest, earlier] = codes();
    test.sim.failNext('validate', { kind: 'error', code: 2120 });
    test.sim.failNext('validate', { kind: 'error', code: 2109 });
    expect(seen(await visitor.enter(earlier))).toEqual(WRONG);
    expect(counted()).toEqual([1]);
    expect((await visitor.enter(newest)).body).toMatchObject(IN);
  });

  it('can be entered again when the gateway would not judge it', async () => {
    await start();
    await textedTwice();
    const [, earlier] = codes();
    test.sim.failNext('validate', { kind: 'error', code: 2120 });
    test.sim.failNext('validate', { kind: 'error', code: 2121 });
    expect((await visitor.enter(earlier)).status).toBe(503);
    expect(counted()).toEqual([1]);
    expect((await visitor.enter(earlier)).body).toMatchObject(IN);
  });

  it('is wrong for a gateway that ends a code with the next one', async () => {
    await test.start({ variant, simulator: { readings: { newPinEndsOld: true } } });
    await textedTwice();
    const [newest, earlier] = codes();
    expect((await visitor.enter(earlier)).body).toMatchObject({ error: 'invalid-code' });
    expect((await visitor.enter(newest)).body).toMatchObject(IN);
  });

  it('lets one in of many requests at once, and locks nobody', async () => {
    await start();
    await textedTwice();
    const [, earlier] = codes();
    const answers = await Promise.all(Array.from({ length: 5 }, () => visitor.enter(earlier)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(test.told('locked')).toHaveLength(0);
    expect(test.told('verified')).toHaveLength(1);
  });

  it('is not asked for when the newest went to another number', async () => {
    await test.start({ variant, hasPhones: true });
    test.book.seed('alice', HOME, WORK);
    const { body } = await visitor.login();
    test.clock.advanceSeconds(67);
    const { phoneId } = (body.phones as { phoneId: string }[])[1] ?? {};
    expect((await visitor.post('/login/resend', { phoneId })).status).toBe(200);
    const [newest, earlier] = codes();
    expect(test.sim.outbox.map(({ mobile }) => mobile)).toEqual([HOME, WORK]);
    expect(seen(await visitor.enter(earlier))).toEqual(WRONG);
    expect(judgements()).toBe(1);
    expect((await visitor.enter(newest)).body).toMatchObject(IN);
  });

  it('proves the number of an enrollment', async () => {
    await test.start({ variant, hasPhones: true });
    await visitor.logIn();
    await visitor.replace(WORK);
    test.clock.advanceSeconds(31);
    await visitor.resend();
    const [, earlier] = codes();
    expect((await visitor.confirmWith(earlier)).status).toBe(200);
    expect(test.book.list('alice')).toMatchObject([{ mobile: WORK, isConfirmed: true }]);
  });

  it('counts for a step-up as well', async () => {
    await start();
    await visitor.login();
    await visitor.enterRight();
    await visitor.stepUp();
    test.clock.advanceSeconds(67);
    await visitor.resend();
    const [, earlier] = codes();
    expect((await visitor.enter(earlier)).status).toBe(200);
  });
});

describe('with a gateway of the app, the code of the text before', () => {
  async function start(gateway: FakeGateway): Promise<readonly [string, string]> {
    await test.start({ options: { gateway } });
    await textedTwice();
    const [earlier = '', newest = ''] = gateway.texts.map(({ pin }) => pin);
    return [earlier, newest];
  }

  /** Lets each judgement leave a tenth of a second for the next one. */
  function useUpTime(gateway: FakeGateway): void {
    const watch = stopWatch();
    gateway.answerValidate = (verdict) => {
      watch.advanceMs(9_900);
      return verdict;
    };
  }

  it('goes on with its attempts under an id that the gateway repeats: one text', async () => {
    const gateway = new FakeGateway();
    gateway.nextId = 'same';
    const [earlier] = await start(gateway);
    expect(seen(await visitor.enter(earlier))).toEqual(WRONG);
    expect(gateway.typed).toHaveLength(1);
  });

  it('is not judged where the gateway admits no second call', async () => {
    const gateway = new FakeGateway();
    const [earlier, newest] = await start(gateway);
    let admitted = 0;
    Object.assign(gateway, {
      admit: () => {
        admitted += 1;
        if (admitted === 2) throw new GatewayBusyError('queue', 1);
        return Promise.resolve({ release: () => undefined });
      },
    });
    expect(seen(await visitor.enter(earlier))).toEqual(WRONG);
    expect(gateway.typed).toHaveLength(1);
    expect((await visitor.enter(newest)).body).toMatchObject(IN);
  });

  it('may be lost without the text that has gone out meanwhile', async () => {
    const gateway = new FakeGateway();
    const [earlier, newest] = await start(gateway);
    test.clock.advanceSeconds(133);
    gateway.answerValidate = async () => {
      gateway.answerValidate = undefined;
      expect((await visitor.resend()).status).toBe(200);
      throw new Error('the connection was reset');
    };
    expect((await visitor.enter(newest)).status).toBe(502);
    const typed = gateway.typed.length;
    for (const code of [earlier, newest]) expect(seen(await visitor.enter(code))).toEqual(WRONG);
    expect(gateway.typed.slice(typed).map(({ id }) => id)).toEqual(['fake-3', 'fake-3']);
    expect((await visitor.enter(gateway.texts[2]?.pin ?? '')).body).toMatchObject(IN);
  });

  it('is not judged once the ten seconds of both are over', async () => {
    const gateway = new FakeGateway();
    const [earlier, newest] = await start(gateway);
    const watch = stopWatch();
    gateway.answerValidate = (verdict) => {
      watch.advanceMs(10_000);
      return verdict;
    };
    expect(seen(await visitor.enter(earlier))).toEqual(WRONG);
    expect(gateway.typed).toHaveLength(1);
    expect((await visitor.enter(newest)).body).toMatchObject(IN);
  });

  it('is not judged where a call is admitted too late, which is released', async () => {
    const gateway = new FakeGateway();
    const [earlier, newest] = await start(gateway);
    useUpTime(gateway);
    const released: number[] = [];
    let admitLate: () => void = () => undefined;
    let admitted = 0;
    Object.assign(gateway, {
      admit: () => {
        admitted += 1;
        const call = admitted;
        const permit = { release: () => void released.push(call) };
        if (call !== 2) return Promise.resolve(permit);
        return new Promise((resolve) => (admitLate = () => resolve(permit)));
      },
    });
    expect(seen(await visitor.enter(earlier))).toEqual(WRONG);
    admitLate();
    expect((await visitor.enter(newest)).body).toMatchObject(IN);
    expect(gateway.typed).toHaveLength(2);
    expect(released).toEqual([1, 2, 3]);
  });

  it('is not judged where a call is refused too late, which nobody hears of', async () => {
    const gateway = new FakeGateway();
    const [earlier] = await start(gateway);
    useUpTime(gateway);
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    let refuseLate: () => void = () => undefined;
    let admitted = 0;
    Object.assign(gateway, {
      admit: () => {
        admitted += 1;
        if (admitted === 1) return Promise.resolve({ release: () => undefined });
        return new Promise((_resolve, reject) => {
          refuseLate = () => reject(new GatewayBusyError('queue', 1));
        });
      },
    });
    expect(seen(await visitor.enter(earlier))).toEqual(WRONG);
    refuseLate();
    await setImmediate();
    process.off('unhandledRejection', listen);
    expect([admitted, unhandled]).toEqual([2, []]);
  });

  it('is judged in what is left of them', async () => {
    const gateway = new FakeGateway();
    const [earlier] = await start(gateway);
    gateway.answerValidate = (verdict) =>
      new Promise((resolve) => setTimeout(() => resolve(verdict), 100));
    expect((await visitor.enter(earlier)).body).toMatchObject(IN);
  });

  it('is lost when its judgement takes longer than what is left of them', async () => {
    const gateway = new FakeGateway();
    const [earlier, newest] = await start(gateway);
    const watch = stopWatch();
    let answer: (verdict: string) => void = () => undefined;
    const late = new Promise((resolve) => (answer = resolve));
    gateway.answerValidate = (verdict) => {
      watch.advanceMs(9_900);
      return gateway.typed.length === 1 ? verdict : late;
    };
    setTimeout(() => answer('right'), 2_000);
    expect((await visitor.enter(earlier)).status).toBe(504);
    expect(test.errors).toMatchObject([
      { message: 'The OTP gateway did not answer within 10000 ms (validate)' },
    ]);
    expect((await visitor.enter(newest)).body).toMatchObject({ error: 'no-pending-login' });
  });
});
