import { describe, expect, it } from '@jest/globals';
import type { UserId } from 'passport-sms-otp';
import { asTestUser, asUser, type TestUser } from '../support/test-app';
import { bareRequest } from './support/bare-request';
import { giveCode, givePassword, logIn } from './support/steps';
import { useSharedApp, useOwnApps } from '../support/use-app';

const apps = useOwnApps();

const KINDS: [string, (position: number) => UserId][] = [
  ['a text', (position) => `number ${position}`],
  ['a number', (position) => position],
  ['a negative number', (position) => -position],
  ['zero and up', (position) => position - 1],
  ['the largest safe integer and down', (position) => Number.MAX_SAFE_INTEGER - position],
  ['a bigint beyond the numbers', (position) => 2n ** 64n + BigInt(position)],
];

describe.each(KINDS)('a user id that is %s', (_kind, toId) => {
  const loaded: unknown[] = [];
  const idOf = (user: Express.User): UserId => toId(Number(asTestUser(user).id.split('-')[1]) + 1);
  const test = useSharedApp(() => {
    const loadUser = (id: UserId): Express.User | false => {
      loaded.push(id);
      return asUser([...test.users.values()].find((user) => idOf(asUser(user)) === id));
    };
    const options = { getUserId: idOf, loadUser };
    return { people: 3, options };
  });

  it('comes back to loadUser with its type, and names the mark', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    expect(loaded.at(-1)).toBe(idOf(asUser(user)));
    expect((await agent.get('/account')).body).toEqual({ id: user.id });
    expect(test.sessions.dump()).toContain(`"userId\\":\\"${String(idOf(asUser(user)))}\\"`);
  });

  it('is not the id of the next user', async () => {
    const [alice, bob] = [test.nextUser(), test.nextUser()];
    const agent = test.agent();
    await givePassword(agent, alice);
    await givePassword(agent, bob);
    expect((await giveCode(test, agent, alice)).status).toBe(401);
    await giveCode(test, agent, bob);
    expect((await agent.get('/account')).body).toEqual({ id: bob.id });
  });
});

const RUBBISH: [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['an empty text', ''],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['a fraction', 1.5],
  ['a number beyond the safe integers', 2 ** 53],
  ['a boolean', true],
  ['an object', { id: 1 }],
  ['an array', ['alice']],
  ['a symbol', Symbol('alice')],
  ['a promise', Promise.resolve('alice')],
];

describe('getUserId', () => {
  let answer: unknown;
  const test = useSharedApp(() => {
    // Wrong on purpose.
    return { options: { getUserId: () => answer as UserId } };
  });

  it.each(RUBBISH)('that gives %s is a TypeError, and nothing is sent', async (_title, id) => {
    answer = id;
    const response = await givePassword(test.agent());
    expect(response.status).toBe(500);
    expect(test.errors.at(-1)).toEqual(
      new TypeError(
        'getUserId must return a non-empty string, a safe integer or a bigint; without it, user.id must be one. ' +
          'For lean documents of MongoDB write getUserId: (user) => String(user._id)',
      ),
    );
    expect(test.sim.stats().calls).toMatchObject({ auth: 0, generate: 0 });
  });

  it.each([
    ['half of a surrogate pair', 'alice\ud83d'],
    ['the other half', '\ude00alice'],
    ['both in the wrong order', '\ude00\ud83d'],
  ])('that gives a string with %s is a TypeError that says so', async (_title, id) => {
    answer = id;
    const response = await givePassword(test.agent());
    expect(response.status).toBe(500);
    expect(test.errors.at(-1)).toEqual(
      new TypeError(
        'getUserId must return a well-formed string: this one has half of a surrogate pair, which ' +
          'stores change',
      ),
    );
    expect(test.sim.stats().calls).toMatchObject({ auth: 0, generate: 0 });
    const slot = { version: 1, verified: { userId: id, method: 'sms', at: 0 } };
    expect(test.smsOtp.hasSecondFactor(bareRequest({ id }, slot))).toBe(false);
    await expect(test.smsOtp.exportUser(id)).rejects.toThrow('well-formed');
  });

  it('that gives a whole surrogate pair is fine', async () => {
    answer = 'alice😀';
    expect((await givePassword(test.agent())).status).toBe(200);
  });

  it.each(RUBBISH)('that gives %s fits no mark', (_title, id) => {
    answer = id;
    for (const userId of [
      '',
      'undefined',
      'null',
      'NaN',
      'true',
      String(2 ** 53),
      '[object Object]',
      'alice',
    ]) {
      const slot = { version: 1, verified: { userId, method: 'sms', at: 0 } };
      const req = bareRequest({ id: userId }, slot);
      expect(test.smsOtp.hasSecondFactor(req)).toBe(false);
    }
  });

  it('is user.id by default, and a user without one is a TypeError', async () => {
    const other = await apps.start();
    // Wrong on purpose.
    other.users.set('alice', { phone: '+12025550123' } as TestUser);
    const response = await givePassword(other.agent());
    expect([response.status, other.errors.at(-1)]).toEqual([500, expect.any(TypeError)]);
    expect(other.sim.stats().calls.generate).toBe(0);
  });
});

it('exportUser gives an empty record of a user of whom nothing is stored', async () => {
  const { smsOtp } = await apps.start({ options: { knownBrowsers: false } });
  const nothing = { recoveryCodes: 0, trustedDevices: [], logins: [], knownBrowsers: [] };
  expect(await smsOtp.exportUser(12)).toEqual({ userId: '12', ...nothing });
});
