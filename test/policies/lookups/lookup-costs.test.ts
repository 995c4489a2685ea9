import { describe, expect, it } from '@jest/globals';
import { memoryStore, type Policy, type PolicyContext } from 'passport-sms-otp';
import {
  conversionBreaker,
  numberCheck,
  numberLookups,
  prefixVelocity,
  simSwap,
  spendLimits,
} from 'passport-sms-otp/policies';
import { ALICE, type TestAppOptions, type TestUser } from '../../support/test-app';
import { visit } from '../../support/visit';
import { useOwnApps } from '../../support/use-app';
import { americans, readAmount } from '../prices/price-app';

const test = useOwnApps();

const lookups = (): number => test.sim.stats().calls.lookup;
const messages = (): number => test.sim.stats().sent;

/** An app whose policies look numbers up; numbers of any country. */
async function start(
  policies: readonly Policy<unknown>[],
  { options, ...given }: TestAppOptions = {},
): Promise<void> {
  await test.start({
    store: (clock) => memoryStore({ now: () => clock.now() }),
    ...given,
    options: { allowedCountries: 'any', policies: policies, ...options },
  });
}

/** So many accounts, with numbers of one prefix for each ten. */
function accounts(count: number): TestUser[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `account-${index}`,
    phone: `+1212${200 + Math.floor(index / 10)}01${String(index % 10).padStart(2, '0')}`,
  }));
}

/** So many accounts, with numbers of one prefix. */
function neighbors(count: number): TestUser[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `neighbor-${index}`,
    phone: `+12125550${100 + index}`,
  }));
}

const MODES = ['enforce', 'report'] as const;
const CHECK = { stage: 'send', mode: 'enforce' } as const;

describe('a paid lookup', () => {
  it.each([
    ['enforce', 300],
    ['report', 120],
  ] as const)('is made for each message of many accounts: %s, %i', async (mode, count) => {
    const users = accounts(count);
    await start([numberCheck({ stage: 'send', mode })], { users });
    for (const user of users) await visit(test, user).login();
    expect([lookups(), messages()]).toEqual([100, 100]);
  });

  it.each(MODES)('is made for each message to one prefix: %s', async (mode) => {
    const users = neighbors(40);
    await start([numberCheck({ stage: 'send', mode })], { users });
    for (const user of users) await visit(test, user).login();
    expect([lookups(), messages()]).toEqual([12, 12]);
  });

  it('is made no more often than messages go out when all log in at once', async () => {
    const users = neighbors(40);
    await start([numberCheck(CHECK)], { users });
    await Promise.all(users.map((user) => visit(test, user).login()));
    expect([lookups(), messages()]).toEqual([12, 12]);
  });

  it.each(MODES)('is made for no resend that is refused: %s', async (mode) => {
    await start([numberCheck({ stage: 'send', mode, lookups: numberLookups() })]);
    test.sim.subscribers.set(ALICE.phone ?? '', { status: 'invalid' });
    const visitor = visit(test);
    await visitor.login();
    for (let time = 0; time < 40; time += 1) {
      test.clock.advanceSeconds(5);
      await visitor.resend();
    }
    expect(messages()).toBeGreaterThan(1);
    expect(lookups()).toBeLessThanOrEqual(messages());
  });

  it('is counted when no message follows, per prefix and address block', async () => {
    const users = accounts(120);
    await start([numberCheck(CHECK)], { users });
    const refused = { status: 'invalid', advancedStatus: 'TELE_SERVICE_NOT_PROVISIONED' };
    for (const { phone } of users) test.sim.subscribers.set(phone ?? '', refused);
    for (const user of users) await visit(test, user).login();
    expect(lookups()).toBe(100);
  });

  it('is counted again when it is repeated', async () => {
    const users = neighbors(40);
    await start([numberCheck(CHECK)], { users });
    for (const { phone } of users)
      test.sim.subscribers.set(phone ?? '', { status: 'invalid', advancedStatus: 'TIMEOUT' });
    for (const user of users.slice(0, 12)) await visit(test, user).login();
    expect([lookups(), messages()]).toEqual([12, 12]);
  });

  it('is counted in all', async () => {
    await start([numberCheck(CHECK)], {
      users: americans(5),
      options: { limits: { total: { max: 3 } } },
    });
    const refused = { status: 'invalid', advancedStatus: 'TELE_SERVICE_NOT_PROVISIONED' };
    for (const { phone } of americans(5)) test.sim.subscribers.set(phone ?? '', refused);
    for (const user of americans(5)) await visit(test, user).login();
    expect(lookups()).toBe(3);
  });
});

const FRENCH: TestUser = { id: 'french', phone: '+33612345670' };
const PAID: readonly (readonly [string, () => Policy<unknown>])[] = [
  ['a number check', () => numberCheck(CHECK)],
  ['one that only reports', () => numberCheck({ ...CHECK, mode: 'report' })],
];

/** Why a send is refused, and what is done before it. Each refuses the last login. */
const REFUSALS: readonly (readonly [string, readonly Policy<unknown>[], TestAppOptions])[] = [
  ['the limit in all', [], { options: { limits: { total: { max: 1 } } } }],
  ['the limit per address', [], { options: { limits: { perAddress: { maxUnproven: 1 } } } }],
  [
    'a daily budget',
    [spendLimits({ mode: 'enforce', fallbackPrice: '0.01', budgets: { daily: '0.0140' } })],
    {},
  ],
  [
    'a price',
    [spendLimits({ mode: 'enforce', fallbackPrice: '0.01', maxPricePerMessage: '0.0100' })],
    { users: [ALICE, FRENCH] },
  ],
  ['the country', [], { users: [ALICE, FRENCH], options: { allowedCountries: ['US'] } }],
  [
    'another rule, though it comes later in the list',
    [
      {
        name: 'own',
        stage: 'send',
        check: ({ userId }: PolicyContext<unknown>) =>
          userId === ALICE.id ? 'allow' : { deny: 'denied' },
      },
    ],
    {},
  ],
  ['the counter of another rule', [countOne()], {}],
];

/** A rule that allows one message in all. */
function countOne(): Policy<unknown> {
  return {
    name: 'one',
    stage: 'send',
    check: () => 'allow',
    charges: () => [{ counter: { key: 'one', windowSeconds: 60, max: 1 }, reason: 'one' }],
  };
}

describe('a refused send costs no lookup', () => {
  for (const [paid, make] of PAID) {
    it.each(REFUSALS)(`of ${paid}: %s`, async (_what, policies, given) => {
      const users = given.users ?? americans(2).map((user, at) => (at === 0 ? ALICE : user));
      await start([make(), ...policies], { ...given, users });
      const [first, last] = users as [TestUser, TestUser];
      expect((await visit(test, first).login()).status).toBe(200);
      expect((await visit(test, last).login()).status).toBeGreaterThanOrEqual(400);
      expect([lookups(), messages()]).toEqual([1, 1]);
    });
  }

  it('of a user who is still in the gap, and the answer is as before', async () => {
    await start([numberCheck(CHECK)]);
    const visitor = visit(test);
    expect((await visitor.login()).body).toMatchObject({ sent: true });
    expect((await visitor.login()).status).toBe(200);
    expect((await visitor.resend()).body).toMatchObject({ error: 'resend-too-soon' });
    expect([lookups(), messages()]).toEqual([1, 1]);
  });

  it('at an enrollment in another country', async () => {
    const options = { allowedCountries: ['US'] };
    await start([numberCheck({ mode: 'enforce' })], { hasPhones: true, options });
    const visitor = visit(test);
    await visitor.logIn();
    test.clock.advanceSeconds(60);
    expect((await visitor.enroll('+33612345670')).body).toMatchObject({
      error: 'country-not-allowed',
    });
    expect(lookups()).toBe(0);
  });

  it('of a provider that simSwap asks', async () => {
    let asked = 0;
    const provider = {
      check: () => {
        asked += 1;
        return Promise.resolve({ swapped: false });
      },
    };
    await start([simSwap({ provider })], {
      users: americans(3),
      options: { limits: { total: { max: 1 } } },
    });
    for (const user of americans(3)) await visit(test, user).login();
    expect([asked, messages()]).toEqual([1, 1]);
  });
});

describe('a budget', () => {
  const budgets = { daily: '1', monthly: '1', dailyPerCountry: '1', dailyPerUser: '1' };

  it('takes lookups', async () => {
    const [ann] = americans(1) as [TestUser];
    await start(
      [
        spendLimits({ mode: 'enforce', fallbackPrice: '0.01', budgets }),
        numberCheck({ ...CHECK, mode: 'report' }),
      ],
      { users: [ann], variant: 'B' },
    );
    await visit(test, ann).login();
    const day = new Date(test.clock.now()).toISOString().slice(0, 10);
    const keys = ['all', 'country:US', `user:${ann.id}`].map((scope) => `${day}:${scope}`);
    // The message at 0.0079, and a lookup at 0.0050.
    expect(await Promise.all(keys.map((key) => readAmount(test, key)))).toEqual(
      keys.map(() => '0.0129'),
    );
    expect(await readAmount(test, 'spent')).toBe('0.0129');
  });

  it('that lookups have used up refuses the next message, and its lookup', async () => {
    await start(
      [
        numberCheck(CHECK),
        spendLimits({ mode: 'enforce', fallbackPrice: '0.01', budgets: { daily: '0.0250' } }),
      ],
      { users: americans(5), variant: 'B' },
    );
    const refused = { status: 'invalid', advancedStatus: 'TELE_SERVICE_NOT_PROVISIONED' };
    for (const { phone } of americans(4)) test.sim.subscribers.set(phone ?? '', refused);
    const answers: number[] = [];
    for (const user of americans(5)) answers.push((await visit(test, user).login()).status);
    expect(answers).toEqual([403, 403, 403, 403, 429]);
    expect([lookups(), messages()]).toEqual([4, 0]);
  });
});

describe('the order of rules', () => {
  it('has those that use a lookup after it, in the order of the list', async () => {
    const shared = numberLookups();
    const { networkOf } = shared;
    await start(
      [
        conversionBreaker({ networkOf }),
        spendLimits({ fallbackPrice: '0.01', networkOf }),
        numberCheck({ ...CHECK, lookups: shared }),
        prefixVelocity(),
      ],
      { users: americans(1) },
    );
    await visit(test, americans(1)[0]).login();
    expect(test.told('policy-decided').map(({ policy }) => policy)).toEqual([
      'allowed-countries',
      'number-types',
      'prefix-velocity',
      'conversion-breaker',
      'spend-limits',
      'number-check',
    ]);
  });
});

describe('calls of the store', () => {
  async function count(policies: readonly Policy<unknown>[]): Promise<number> {
    const options = { policies: policies as Policy[] };
    await test.start({ isTampered: true, options });
    await visit(test).login();
    return test.tampered.calls.filter(({ call }) => call === 'charge').length;
  }

  it('are no more than before where no rule of a login costs money', async () => {
    expect(await count([])).toBe(1);
    expect(await count([numberCheck()])).toBe(1);
    expect(await count([prefixVelocity()])).toBe(1);
  });
});
