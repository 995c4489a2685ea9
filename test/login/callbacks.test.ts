import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { GatewayClient } from 'passport-sms-otp/client';
import { ALICE, asUser, BOB } from '../support/test-app';
import { seen, visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const GONE = [401, { error: 'no-pending-login' }];

/** What an app's callback may throw: anything. It goes to the app's error handler as it is. */
class AppError extends Error {
  readonly status = 418;
}

const test = useOwnApps();
const visitor = visit(test);

describe('loadUser', () => {
  it('may throw: the error is passed on unchanged and the challenge lives', async () => {
    const error = new AppError('the database of the app');
    let isDown = true;
    await test.start({
      options: {
        loadUser: (id: string) => (isDown ? Promise.reject(error) : asUser(test.users.get(id))),
      },
    });
    await visitor.login();
    expect((await visitor.enterRight()).status).toBe(500);
    expect(test.errors[0]).toBe(error);
    expect(test.sim.stats().calls.validate).toBe(0);
    isDown = false;
    expect((await visitor.enterRight()).status).toBe(200);
  });

  it('may give nobody to the attempt that sets a lock, which is told as nobody', async () => {
    await test.start({
      options: { loadUser: () => null, limits: { failures: { max: 1 } } },
    });
    await visitor.login();
    expect(seen(await visitor.enterRight())).toEqual(GONE);
    expect(test.told('locked')).toHaveLength(1);
  });

  it.each([
    ['null', null],
    ['undefined', undefined],
    ['false', false],
    ['true', true],
    ['a text', 'alice'],
    ['another user', asUser(BOB)],
    ['an object without an id of the user', { id: 'alice2', phone: ALICE.phone }],
  ])('may give %s: the code is refused and the challenge ends', async (_what, user) => {
    await test.start({ oddOptions: { loadUser: () => user } });
    await visitor.login();
    expect(seen(await visitor.enterRight())).toEqual(GONE);
    expect(test.events).toContainEqual(
      expect.objectContaining({ type: 'rejected', reason: 'user-gone' }),
    );
    expect((await visitor.status()).body.pending).toBeNull();
    expect(test.sim.stats().calls.validate).toBe(0);
    expect([test.logins, test.errors]).toEqual([[], []]);
  });

  it.each([
    [
      undefined,
      [[expect.stringMatching(/^loadUser has returned undefined .*return the user, or null/)]],
    ],
    [null, []],
  ])(
    'is called wrong by one warning when it gives undefined, and by none when it gives null: %p',
    async (user, warnings) => {
      const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
      await test.start({ options: { loadUser: () => user } });
      for (let login = 0; login < 2; login += 1) {
        await visitor.login();
        await visitor.enterRight();
        test.clock.advanceSeconds(70);
      }
      const told = emitWarning.mock.calls.filter(
        ([, given]) => Object(given).code === 'SMS_OTP_LOAD_USER',
      );
      emitWarning.mockRestore();
      expect(told.map(([problem]) => [problem])).toEqual(warnings);
    },
  );

  it('is not named by a warning when the user of a step-up is gone: it was not called', async () => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    await test.start();
    await visitor.login();
    await visitor.enterRight();
    test.clock.advanceSeconds(61);
    expect((await visitor.stepUp()).body).toMatchObject({ sent: true, purpose: 'step-up' });
    test.users.delete('alice');
    expect(seen(await visitor.enterRight())).toEqual(GONE);
    const warned = emitWarning.mock.calls.map(([problem]) => problem);
    emitWarning.mockRestore();
    expect(warned).toEqual([]);
  });

  it.each([
    ['a number', 12],
    ['a bigint', 12n],
    ['a text', '12'],
  ])('gets the id as getUserId gave it: %s', async (_what, id) => {
    const asked: unknown[] = [];
    const loadUser = (given: unknown): Express.User | false => {
      asked.push(given);
      return asUser(test.users.get('alice'));
    };
    await test.start({ options: { getUserId: () => id, loadUser } });
    await visitor.login();
    expect((await visitor.enterRight()).status).toBe(200);
    expect(asked).toEqual([id]);
  });

  it('is asked before another code is sent too', async () => {
    let user: Express.User | null = asUser(ALICE);
    await test.start({ options: { loadUser: () => user } });
    await visitor.login();
    const otpId = await visitor.pendingId();
    test.clock.advanceSeconds(30);
    user = null;
    expect(seen(await visitor.resend())).toEqual(GONE);
    expect(test.events).toContainEqual(
      expect.objectContaining({ type: 'denied', reason: 'user-gone' }),
    );
    expect(test.sim.stats().sent).toBe(1);
    user = asUser(ALICE);
    expect(seen(await visitor.enterRight())).toEqual(GONE);
    expect(test.sim.stats().validatesById[otpId ?? '']).toBeUndefined();
  });
});

describe('getUserId', () => {
  it.each([[''], [1.5], [2 ** 53], [NaN], [null], [undefined], [{}], [['alice']], [true]])(
    'may not give %p: a TypeError, nothing sent',
    async (id) => {
      await test.start({ oddOptions: { getUserId: () => id } });
      expect((await visitor.login()).status).toBe(500);
      expect(test.errors[0]).toBeInstanceOf(TypeError);
      expect(test.sim.stats().calls.generate).toBe(0);
    },
  );
});

describe.each(['A', 'B'] as const)('variant %s: getUserId and now', (variant) => {
  const unhandled: unknown[] = [];
  const listen = (reason: unknown): number => unhandled.push(reason);
  beforeEach(() => void process.on('unhandledRejection', listen));
  afterEach(() => void process.off('unhandledRejection', listen));

  const failing = (): Promise<never> => Promise.reject(new AppError('the database of the app'));

  it.each([
    ['getUserId', 'rejects', failing],
    ['getUserId', 'resolves', () => Promise.resolve('alice')],
    ['now', 'rejects', failing],
    ['now', 'resolves', () => Promise.resolve(Date.now())],
  ])(
    '%s as an async function that %s ends in an error of the request, and not of the process',
    async (name, _what, callback) => {
      await test.start({ variant, options: { [name]: callback } });
      const { status } = await visit(test).login();
      // Node.js reports a rejection that nobody handles once the microtasks have run.
      await new Promise(setImmediate);
      expect([status >= 500, unhandled]).toEqual([true, []]);
      expect([test.errors.length, test.logins]).toEqual([1, []]);
    },
  );
});

describe('getLocale and messages.template', () => {
  it.each(['getLocale', 'messages.template'])(
    '%s may throw: the error is passed on unchanged, nothing charged',
    async (name) => {
      const error = new AppError('the translations of the app');
      let isBroken = true;
      const callback = (): string => {
        if (isBroken) throw error;
        return 'Your code: [PIN]';
      };
      await test.start({
        options:
          name === 'getLocale' ? { getLocale: callback } : { messages: { template: callback } },
      });
      expect((await visitor.login()).status).toBe(500);
      expect(test.errors[0]).toBe(error);
      expect(test.sim.stats().calls.generate).toBe(0);
      isBroken = false;
      expect((await visitor.login()).body).toMatchObject({ resendAt: test.clock.now() + 30_000 });
    },
  );
});

describe('getLocale', () => {
  it('may end the pending login: the text that is under way begins none, and the session waits no more', async () => {
    let isGone = false;
    await test.start({
      options: {
        getLocale: async () => {
          if (isGone) await test.smsOtp.forgetUser('alice');
        },
      },
    });
    await visitor.login();
    test.clock.advanceSeconds(30);
    isGone = true;
    expect(seen(await visitor.resend())).toEqual(GONE);
    expect(test.events).toContainEqual(
      expect.objectContaining({ type: 'denied', reason: 'no-pending-login' }),
    );
    expect((await visitor.status()).body.pending).toBeNull();
    expect(seen(await visitor.enterRight())).toEqual(GONE);
  });
});

describe('a gateway client', () => {
  it("that throws what is none of the gateway's errors leaves no login pending: the error is passed on", async () => {
    const error = new AppError('a defect of the app');
    class BrokenClient extends GatewayClient {
      override admit = (): Promise<never> => Promise.reject(error);
    }
    const { baseUrl, username, password } = (await test.start()).sim;
    const gateway = new BrokenClient({ baseUrl, variant: 'A', username, password });
    await test.close();
    await test.start({ options: { gateway } });
    expect((await visitor.login()).status).toBe(500);
    expect(test.errors).toEqual([error]);
    expect((await visitor.status()).body.pending).toBeNull();
    await gateway.close();
  });
});

describe('onEvent', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('the log is full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the log is full'))],
    ['never ends', () => new Promise(() => undefined)],
  ])('changes nothing when it %s', async (_what, onEvent) => {
    await test.start({ options: { onEvent } });
    await visitor.login();
    expect((await visitor.enterWrong()).status).toBe(401);
    expect((await visitor.enterRight()).status).toBe(200);
  });
});
