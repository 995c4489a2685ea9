import { describe, expect, it } from '@jest/globals';
import type { LimitsOption, SmsOtpOptions } from 'passport-sms-otp';
import { countBefore } from '../support/count-before';
import { testClock } from '../support/clock';
import { people } from '../support/people';
import { tamperedStore } from '../support/tampered-store';
import type { TestApp, TestUser } from '../support/test-app';
import { seen, visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const LIMITED = [429, { error: 'send-limit', retryAfterSeconds: expect.any(Number) }];

const test = useOwnApps();

async function start(
  limits: LimitsOption,
  users: TestUser[] = people(40),
  options: Partial<SmsOtpOptions> = {},
): Promise<void> {
  // Whoever is asked from comes in a header here; `trust proxy` is for tests.
  const middleware: (app: TestApp['app']) => void = (app) => {
    app.set('trust proxy', true);
    app.use((req, _res, next) => {
      if (req.headers['x-no-address'] !== undefined)
        Object.defineProperty(req, 'ip', { value: undefined });
      next();
    });
  };
  await test.start({
    users,
    isTampered: options.store === undefined,
    options: { allowedCountries: 'any', limits, ...options },
    middleware,
  });
}
const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });

const users = people(40);
const login = (index: number, address?: string): ReturnType<ReturnType<typeof visit>['login']> =>
  visit(
    test,
    users[index],
    address === undefined ? { 'x-no-address': '1' } : from(address),
  ).login();

/** Nothing but the gaps between sends is in the way. */
const wait = (seconds = 300): void => test.clock.advanceSeconds(seconds);

describe('sends to one user', () => {
  it('may go to the last of the new numbers of a day again after the usual gap, and use up no budget', async () => {
    await start({});
    await countBefore(test, 'sends:unproven-numbers:user-0', 4);
    const { body } = await login(0);
    expect((body.resendAt - test.clock.now()) / 1000).toBe(30);
    expect(test.events).not.toContainEqual(expect.objectContaining({ type: 'sends-used-up' }));
  });

  it('are five in ten minutes at most', async () => {
    await start({ perUser: { max: 2 } });
    await login(0);
    wait(30);
    expect((await login(0)).status).toBe(200);
    wait(70);
    const refused = await login(0);
    expect([...seen(refused), refused.headers['retry-after']]).toEqual([...LIMITED, '500']);
    expect(test.events).toContainEqual(
      expect.objectContaining({
        type: 'denied',
        reason: 'send-limit',
        policy: null,
        userId: 'user-0',
      }),
    );
    wait(500);
    expect((await login(0)).status).toBe(200);
  });

  it('are ten in a day since the last success', async () => {
    await start({});
    for (let send = 1; send <= 10; send += 1) {
      expect((await login(0)).status).toBe(200);
      wait(600);
    }
    expect(seen(await login(0))).toEqual(LIMITED);
    wait(86_400 - 6_000);
    const visitor = visit(test, users[0]);
    await visitor.login();
    await visitor.enterRight();
    for (let send = 1; send <= 10; send += 1) {
      expect((await login(0)).status).toBe(200);
      wait(600);
    }
    expect(test.sim.stats().sent).toBe(21);
  });

  it('are told of once when those of a day are used up without a success', async () => {
    await start({ perUser: { maxPerDay: 2 } });
    const told = (): unknown[] => test.events.filter(({ type }) => type === 'sends-used-up');
    await login(0);
    expect(told()).toEqual([]);
    for (let send = 2; send <= 3; send += 1) {
      wait();
      await login(0);
    }
    expect(told()).toMatchObject([{ userId: 'user-0', purpose: 'login', sends: 2 }]);
  });

  it.each([
    ['twenty in a day in browsers that are not known', {}, 20],
    ['forty in a day where all browsers share their limits', { knownBrowsers: false }, 40],
  ] as const)('are %s, whatever succeeds', async (_what, options, most) => {
    await start({ perPrefix: { maxUnproven: 1_000 } }, users, options);
    const visitor = visit(test, users[0]);
    for (let send = 1; send <= most; send += 1) {
      expect((await visitor.login()).status).toBe(200);
      await visitor.enterRight();
    }
    expect(seen(await visitor.login())).toEqual(LIMITED);
    wait(86_400);
    expect((await visitor.login()).status).toBe(200);
  });

  it('are counted by the text of the id', async () => {
    const twin: TestUser = { id: '7', phone: '+63912340000' };
    const other: TestUser = { id: '77', phone: '+63956780000' };
    await start({ perUser: { maxPerDay: 1 } }, [twin, other]);
    expect((await visit(test, twin).login()).status).toBe(200);
    wait();
    expect(seen(await visit(test, twin).login())).toEqual(LIMITED);
    expect((await visit(test, other).login()).status).toBe(200);
  });

  it('are forgotten by forgetUser', async () => {
    await start({ perUser: { max: 1, maxPerDay: 1 } });
    await countBefore(test, 'sends:all:others:user-0', 19);
    await login(0);
    wait();
    expect(seen(await login(0))).toEqual(LIMITED);
    await test.smsOtp.forgetUser('user-0');
    expect((await login(0)).status).toBe(200);
  });

  it('keep their gap when their user is forgotten', async () => {
    await start({});
    await login(0);
    await test.smsOtp.forgetUser('user-0');
    expect((await login(0)).body).toMatchObject({ error: 'resend-too-soon' });
  });
});

describe('sends to one number', () => {
  it('are counted over the users who have it', async () => {
    const shared = people(6).map((user) => ({ ...user, phone: '+63912340000' }));
    await start({ perNumber: { maxPerDay: 5 } }, shared);
    for (const user of shared.slice(0, 5)) {
      expect((await visit(test, user).login()).status).toBe(200);
      wait();
    }
    expect(seen(await visit(test, shared[5]).login())).toEqual(LIMITED);
  });
});

describe('sends for one address', () => {
  it.each([
    ['an IPv4 address', ['192.0.2.1', '192.0.2.1', '::ffff:192.0.2.1'], '192.0.2.2'],
    [
      'an IPv6 /64',
      ['2001:db8:1:2::1', '2001:0DB8:0001:0002:ffff::9', '2001:db8:1:2:3:4:5:6'],
      '2001:db8:1:3::1',
    ],
    ['no address', [undefined, undefined, undefined], '192.0.2.2'],
  ])('are counted together for %s', async (_what, addresses, other) => {
    await start({ perAddress: { max: 2 } });
    expect((await login(0, addresses[0])).status).toBe(200);
    expect((await login(1, addresses[1])).status).toBe(200);
    expect(seen(await login(2, addresses[2]))).toEqual(LIMITED);
    expect((await login(2, other)).status).toBe(200);
    wait(3_600);
    expect((await login(3, addresses[0])).status).toBe(200);
  });
});

describe('sends to one prefix', () => {
  const neighbours = (count: number): TestUser[] =>
    Array.from({ length: count }, (_, index) => ({
      id: `n${index}`,
      phone: `+6395550${1000 + index}`,
    }));

  it('are twelve an hour to numbers never verified, and a number once verified is exempt', async () => {
    await start({}, [...neighbours(14), ...people(1)]);
    const known = visit(test, neighbours(1)[0]);
    await known.login();
    await known.enterRight();
    for (const user of neighbours(12).slice(1))
      expect((await visit(test, user).login()).status).toBe(200);
    expect(seen(await visit(test, neighbours(14)[13]).login())).toEqual(LIMITED);
    expect((await known.login()).status).toBe(200);
    expect((await visit(test, people(1)[0]).login()).status).toBe(200);
    wait(3_600);
    expect((await visit(test, neighbours(14)[13]).login()).status).toBe(200);
  });

  it('are bounded for verified numbers too', async () => {
    await start({ perPrefix: { max: 3 } }, neighbours(2));
    const known = visit(test, neighbours(1)[0]);
    for (let send = 1; send <= 3; send += 1) {
      expect((await known.login()).status).toBe(200);
      await known.enterRight();
    }
    expect(seen(await known.login())).toEqual(LIMITED);
    expect(seen(await visit(test, neighbours(2)[1]).login())).toEqual(LIMITED);
  });
});

describe('sends in all', () => {
  it('are bounded, and one that is denied charges nothing at all and sends nothing', async () => {
    const clock = testClock();
    const { store, calls } = tamperedStore(clock);
    await test.start({
      clock,
      users,
      options: { store, allowedCountries: 'any', limits: { total: { max: 2 } } },
    });
    await visit(test, users[0]).login();
    await visit(test, users[1]).login();
    for (let time = 0; time < 3; time += 1) {
      const refused = await visit(test, users[2]).login();
      expect([...seen(refused), refused.headers['retry-after']]).toEqual([...LIMITED, '3600']);
    }
    expect(test.sim.stats().sent).toBe(2);
    expect(calls.filter(({ call }) => call === 'charge')).toHaveLength(5);
    wait(3_600);
    const sent = await visit(test, users[2]).login();
    expect(sent.body.resendAt).toBe(clock.now() + 30_000);
  });
});
