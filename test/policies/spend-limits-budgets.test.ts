import { describe, expect, it } from '@jest/globals';
import { memoryStore } from 'passport-sms-otp';
import { readTotalSpend, type SpendBudgets } from 'passport-sms-otp/policies';
import type { TestUser } from '../support/test-app';
import { seen, visit } from '../support/visit';
import { americans, type PriceAppOptions, priceApp, readAmount } from './prices/price-app';
import { useOwnApps } from '../support/use-app';

const USERS = americans(6);
const [ANN, BEN, CARL, DORA] = USERS as [TestUser, TestUser, TestUser, TestUser];
const FRENCH = { id: 'french', phone: '+33612345670' };
const DAY = '2030-05-15';

const test = useOwnApps();

async function start(budgets: SpendBudgets, options: Partial<PriceAppOptions> = {}): Promise<void> {
  await test.start(
    priceApp({
      fallbackPrice: '0.0300',
      users: [...USERS, FRENCH],
      budgets,
      ...options,
    }),
  );
}
async function login(user: TestUser): Promise<number> {
  return (await visit(test, user).login()).status;
}

async function logInAll(...users: readonly TestUser[]): Promise<number[]> {
  const answers: number[] = [];
  for (const user of users) answers.push(await login(user));
  return answers;
}

/** American messages are reserved at 0.0083, the dearest of their country, and cost 0.0079. */
describe('a budget', () => {
  it('of a day is shared by all users, and a new one begins at midnight UTC', async () => {
    await start({ daily: '0.0166' });
    expect(await logInAll(ANN, BEN)).toEqual([200, 200]);
    const refused = await visit(test, CARL).login();
    // Twelve hours, and a little for processes whose clocks differ.
    expect([...seen(refused), refused.headers['retry-after']]).toEqual([
      429,
      { error: 'send-limit', retryAfterSeconds: expect.any(Number) },
      '43800',
    ]);
    expect(test.told('denied')).toMatchObject([{ userId: CARL.id, policy: 'spend-limits' }]);
    test.clock.advanceSeconds(12 * 3_600 - 1);
    expect(await login(CARL)).toBe(429);
    test.clock.advanceSeconds(1);
    expect(await logInAll(CARL, DORA, ANN)).toEqual([200, 200, 429]);
  });

  it('of a month ends with the month', async () => {
    await start({ monthly: '0.0166' }, { startsAt: Date.UTC(2031, 11, 30, 23) });
    expect(await logInAll(ANN, BEN, CARL)).toEqual([200, 200, 429]);
    test.clock.advanceSeconds(86_400);
    expect(await login(CARL)).toBe(429);
    test.clock.advanceSeconds(3_600);
    expect(await login(CARL)).toBe(200);
    expect(await readAmount(test, '2031-12:all')).toBe('0.0166');
    expect(await readAmount(test, '2032-01:all')).toBe('0.0083');
  });

  it('of a country is for that country, the same for each', async () => {
    await start({ dailyPerCountry: '0.0540' });
    expect(await logInAll(FRENCH, ...USERS)).toEqual([200, 200, 200, 200, 200, 200, 200]);
    test.clock.advanceSeconds(30);
    expect(await logInAll(FRENCH, ANN)).toEqual([429, 429]);
  });

  it('of a country may be an amount by its code; others are free', async () => {
    await start({ dailyPerCountry: { FR: '0.0539' }, monthlyPerCountry: { US: '0.0083' } });
    expect(await logInAll(FRENCH, ANN, BEN)).toEqual([429, 200, 429]);
  });

  it('of a country is for the territories that share its numbering too, unless they have their own', async () => {
    const british = ['+447400123456', '+447911123456', '+447624123456', '+447797712345'];
    const users = british.map((phone, index) => ({ id: `british-${index}`, phone }));
    // GB, GG, IM, JE; each message counts as 0.0410.
    await start({ dailyPerCountry: { GB: '0.0820', JE: '0.0410' } }, { users });
    expect(await logInAll(...users)).toEqual([200, 200, 429, 200]);
  });

  it('of a user is for that user', async () => {
    await start({ dailyPerUser: '0.0083', monthlyPerUser: '0.0166' });
    expect(await logInAll(ANN, BEN)).toEqual([200, 200]);
    test.clock.advanceSeconds(60);
    expect(await login(ANN)).toBe(429);
    test.clock.advanceSeconds(86_400);
    expect(await login(ANN)).toBe(200);
    test.clock.advanceSeconds(86_400);
    expect(await login(ANN)).toBe(429);
  });

  it('of nothing denies every message', async () => {
    await start({ daily: '0' });
    expect(await login(ANN)).toBe(429);
    expect(test.sim.stats().sent).toBe(0);
  });

  it('that is used up is not named while the gap between messages refuses', async () => {
    await start({ dailyPerUser: '0.0083' });
    await login(ANN);
    expect((await visit(test, ANN).login()).body).toMatchObject({
      error: 'resend-too-soon',
      retryAfterSeconds: 30,
    });
    expect(test.told('denied')).toMatchObject([{ limit: 'gap', policy: null }]);
  });

  it('refuses another login of a session, although its code is still valid', async () => {
    await start({ dailyPerUser: '0.0083' });
    const ann = visit(test, ANN);
    await ann.login();
    test.clock.advanceSeconds(31);
    expect(seen(await ann.login())).toMatchObject([429, { error: 'send-limit' }]);
  });

  it('refuses without charging the others', async () => {
    await start({ daily: '1', dailyPerUser: '0.0083' });
    await login(ANN);
    test.clock.advanceSeconds(60);
    expect(await logInAll(ANN, ANN)).toEqual([429, 429]);
    expect(await readAmount(test, `${DAY}:all`)).toBe('0.0083');
    expect(await readAmount(test, `${DAY}:user:${ANN.id}`)).toBe('0.0083');
  });
});

const BUDGETS = {
  daily: '1',
  monthly: '1',
  dailyPerCountry: '1',
  dailyPerUser: '1',
  monthlyPerUser: '1',
};
const KEYS = [
  `${DAY}:all`,
  '2030-05:all',
  `${DAY}:country:US`,
  `${DAY}:user:user-0`,
  '2030-05:user:user-0',
  'spent',
];

async function amounts(): Promise<string[]> {
  return Promise.all(KEYS.map((key) => readAmount(test, key)));
}

describe('what was reserved', () => {
  it('stays when the gateway reports no cost', async () => {
    await start(BUDGETS, { variant: 'A' });
    await login(ANN);
    expect(await amounts()).toEqual(KEYS.map(() => '0.0083'));
    expect(await readTotalSpend(test.store.counters)).toBe('0.0083');
  });

  it('is replaced by the cost that the gateway reports', async () => {
    await start(BUDGETS, { variant: 'B' });
    await login(ANN);
    expect(await amounts()).toEqual(KEYS.map(() => '0.0079'));
    expect(await readTotalSpend(test.store.counters)).toBe('0.0079');
    expect(await readTotalSpend(memoryStore().counters)).toBe('0.0000');
  });

  it('is replaced by a higher cost too, even beyond the budget', async () => {
    const cheap = { mcc: '310', mnc: '410' };
    await start({ ...BUDGETS, daily: '0.0078' }, { variant: 'B', networkOf: () => cheap });
    const pricing = [{ countryname: 'USA', operatorname: null, ...cheap, price: '0.0070' }];
    const body = JSON.stringify({ status_code: 200, payload: { currency: {}, pricing } });
    test.sim.failNext('pricing', { kind: 'body', status: 200, body });
    expect(await logInAll(ANN, BEN)).toEqual([200, 429]);
    expect(await amounts()).toEqual(KEYS.map(() => '0.0079'));
  });

  it.each(['A', 'B'] as const)(
    'is given back when nothing was sent (variant %s)',
    async (variant) => {
      await start(BUDGETS, { variant });
      test.sim.failNext('generate', { kind: 'error', code: variant === 'A' ? 2103 : 2101 });
      expect(await login(ANN)).toBe(502);
      expect(await amounts()).toEqual(KEYS.map(() => '0.0000'));
    },
  );

  it.each(['A', 'B'] as const)('stays when the answer is lost (variant %s)', async (variant) => {
    await start(BUDGETS, { variant });
    test.sim.failNext('generate', { kind: 'reset', when: 'after' });
    expect(await login(ANN)).toBe(502);
    expect(await amounts()).toEqual(KEYS.map(() => '0.0083'));
  });

  it('is corrected on the day it was reserved', async () => {
    await start({ daily: '1' }, { variant: 'B', startsAt: Date.UTC(2030, 4, 15, 23, 59, 59) });
    const generate = test.store.counters.charge.bind(test.store.counters);
    test.store.counters.charge = async (counters) => {
      const charge = await generate(counters);
      // Midnight passes while the message is being sent.
      if (counters.some(({ max, key }) => key.startsWith('spend-limits') && max !== undefined))
        test.clock.advanceSeconds(2);
      return charge;
    };
    await login(ANN);
    expect(await readAmount(test, `${DAY}:all`)).toBe('0.0079');
    expect(await readAmount(test, '2030-05-16:all')).toBe('0.0000');
  });

  it('is the fallback price where the list says that a message is free', async () => {
    await start({ daily: '0.3000' }, { networkOf: () => ({ mcc: '310', mnc: '410' }) });
    const pricing = [
      { countryname: 'USA', operatorname: null, mcc: '310', mnc: '410', price: '0.0000' },
    ];
    const body = JSON.stringify({ status_code: 200, payload: { currency: {}, pricing } });
    test.sim.failNext('pricing', { kind: 'body', status: 200, body });
    expect(await logInAll(ANN)).toEqual([200]);
    expect(await readAmount(test, `${DAY}:all`)).toBe('0.0300');
  });

  it('stops sixty messages of price 0 where the budget allows ten', async () => {
    const users = americans(60);
    await start({ daily: '0.3000' }, { users });
    const pricing = [
      { countryname: 'USA', operatorname: null, mcc: '310', mnc: '410', price: '0' },
    ];
    const body = JSON.stringify({ status_code: 200, payload: { currency: {}, pricing } });
    test.sim.failNext('pricing', { kind: 'body', status: 200, body });
    await logInAll(...users);
    expect(test.sim.stats().sent).toBe(10);
  });
});

describe('the budget of proven numbers', () => {
  /** Ann has entered a code, so that her number is proven. */
  async function prove(): Promise<void> {
    const ann = visit(test, ANN);
    await ann.login();
    await ann.enterRight();
    test.clock.advanceSeconds(60);
  }

  it('is not used up by strangers', async () => {
    await start({ monthly: '0.0249' });
    await prove();
    expect(await logInAll(BEN, CARL, DORA)).toEqual([200, 200, 429]);
    expect(await login(ANN)).toBe(200);
    const proven = await readAmount(test, '2030-05:proven:all');
    expect([await readAmount(test, '2030-05:all'), proven]).toEqual(['0.0249', '0.0083']);
  });

  it('is as large, and ends for the same reason', async () => {
    await start({ daily: '0.0083' });
    await prove();
    expect(await login(ANN)).toBe(200);
    test.clock.advanceSeconds(60);
    expect(await logInAll(ANN, BEN)).toEqual([429, 429]);
    const reasons = test.told('policy-decided').flatMap((event) => event.reasons);
    expect(reasons).toEqual(['the daily budget, proven numbers', 'the daily budget']);
  });

  it.each(['A', 'B'] as const)('is settled like the other (variant %s)', async (variant) => {
    await start({ daily: '1' }, { variant });
    await prove();
    test.sim.failNext('generate', { kind: 'error', code: variant === 'A' ? 2103 : 2101 });
    await login(ANN);
    expect(await readAmount(test, `${DAY}:proven:all`)).toBe('0.0000');
    test.clock.advanceSeconds(60);
    await login(ANN);
    const cost = variant === 'A' ? '0.0083' : '0.0079';
    expect(await readAmount(test, `${DAY}:proven:all`)).toBe(cost);
  });

  it('asks the store for nothing more where there are no budgets', async () => {
    await test.start({ ...priceApp({ fallbackPrice: '0.03', users: USERS }), isTampered: true });
    await login(ANN);
    const charges = test.tampered.calls.filter(({ call }) => call === 'charge');
    // The send, and the total spend.
    expect(charges).toHaveLength(2);
  });
});

describe('an event', () => {
  const near = (changes: object): object => ({
    type: 'budget-near',
    userId: USERS[3]?.id,
    budget: 'daily',
    scope: 'all',
    isProven: false,
    spent: '0.0332',
    max: '0.0400',
    ...changes,
  });

  it('says once that four fifths of a budget are used up', async () => {
    await start({ daily: '0.0400', dailyPerCountry: '0.0415', monthly: '1' });
    expect(await logInAll(...USERS)).toEqual([200, 200, 200, 200, 429, 429]);
    expect(test.told('budget-near')).toEqual([
      near({}),
      near({ scope: 'country US', max: '0.0415' }),
    ]);
    test.clock.advanceSeconds(86_400);
    await logInAll(...USERS);
    expect(test.told('budget-near')).toHaveLength(4);
  });

  it('comes once from several processes, and from one that did not see the crossing', async () => {
    await start({ daily: '0.0400' });
    await Promise.all(USERS.map(login));
    expect(test.told('budget-near')).toHaveLength(1);
  });

  it('names the user of a budget that is for one', async () => {
    await start({ dailyPerUser: '0.0090' });
    await login(BEN);
    expect(test.told('budget-near')).toEqual([
      near({ userId: BEN.id, scope: 'user', spent: '0.0083', max: '0.0090' }),
    ]);
  });
});
