import { describe, expect, it } from '@jest/globals';
import { GatewayClient } from 'passport-sms-otp/client';
import { numberCheck, numberLookups, spendLimits } from 'passport-sms-otp/policies';
import {
  type BalanceEvent,
  type BalanceOptions,
  watchBalance,
} from '../../docs/recipes/balance-watch';
import {
  americans,
  type PriceAppOptions,
  priceApp,
  readAmount,
} from '../policies/prices/price-app';
import { queue } from '../support/people';
import type { TestApp, TestUser } from '../support/test-app';
import { visit } from '../support/visit';
import { waitUntil } from '../support/wait-until';
import { useOwnApps } from '../support/use-app';

const USERS = americans(60);
const PRICE = 0.0079;

type Levels = Omit<BalanceOptions, 'report'>;

const test = useOwnApps();
let next: () => TestUser;
/** What was reported. */
let told: BalanceEvent[];
async function start(balance: Levels, options: Partial<PriceAppOptions> = {}): Promise<void> {
  next = queue(USERS);
  told = [];
  await test.start(
    priceApp({
      fallbackPrice: '0.0300',
      users: USERS,
      wrap: (limits) => watchBalance(limits, { ...balance, report: (event) => told.push(event) }),
      // The network is known, so that the ledger of A is as exact as that of B.
      networkOf: () => ({ mcc: '310', mnc: '410' }),
      ...options,
    }),
  );
}
const apps = useOwnApps();

/** People who have never been here log in, one after the other. */
async function send(times = 1, app: TestApp = test): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    expect((await visit(app, next()).login()).status).toBe(200);
  }
}
const looks = (): number => test.sim.stats().calls.balance;

/** Lets the time of a look come, sends, and waits until it has been had. */
async function look(): Promise<void> {
  const before = looks();
  test.clock.advanceSeconds(300);
  await send();
  await waitUntil(() => looks() > before);
  await waitUntilStill();
}

/** The answer of the gateway becomes an event soon after it, also on a machine that is busy. */
async function waitUntilStill(): Promise<void> {
  let [last, rounds] = [-1, 0];
  await waitUntil(() => {
    const seen = test.events.length + told.length;
    rounds = last === seen ? rounds + 1 : 0;
    last = seen;
    return rounds === STILL_ROUNDS;
  });
}

/** So many looks in a row, of 10 ms each, show no further event. */
const STILL_ROUNDS = 10;

/** Somebody spends money with the same account, elsewhere. */
async function sendElsewhere(times: number): Promise<void> {
  const { baseUrl, username, password, variant } = test.sim;
  const client = new GatewayClient({ baseUrl, username, password, variant });
  for (let time = 0; time < times; time += 1)
    await client.otp.generate({ mobile: `1212999${1000 + time}` });
  await client.close();
}

describe.each(['A', 'B'] as const)('the balance (variant %s)', (variant) => {
  it('is not checked unless the app asks for it', async () => {
    await start({}, { variant, wrap: (limits) => limits });
    await send(3);
    expect(looks()).toBe(0);
  });

  it('is checked once per interval, however many messages are sent', async () => {
    await start({}, { variant });
    await Promise.all(USERS.slice(0, 8).map((user) => visit(test, user).login()));
    await waitUntil(() => looks() > 0);
    test.clock.advanceSeconds(299);
    for (let user = 0; user < 8; user += 1) next();
    await send(2);
    expect(looks()).toBe(1);
    test.clock.advanceSeconds(1);
    await send(2);
    await waitUntil(() => looks() === 2);
  });

  it('causes no store call between two checks', async () => {
    await start({}, { variant });
    const charged: string[] = [];
    const charge = test.store.counters.charge.bind(test.store.counters);
    test.store.counters.charge = (counters) => {
      charged.push(...counters.map(({ key }) => key).filter((key) => key.endsWith(':turn')));
      return charge(counters);
    };
    await send(5);
    expect(charged).toEqual(['balance-watch:turn']);
  });

  it('is reported once when it is low', async () => {
    const balance = (10 + 1.5 * PRICE).toFixed(4);
    await start({ warnBelow: '10', criticalBelow: '1' }, { variant, simulator: { balance } });
    for (let time = 0; time < 4; time += 1) await look();
    expect(told).toEqual([{ type: 'balance-low', level: 'warning', balance: '9.9961' }]);
  });

  it('that cannot be read changes nothing', async () => {
    await start({ warnBelow: '1000' }, { variant });
    // The client asks twice, because a balance costs nothing.
    test.sim.failNext('balance', { kind: 'error', code: 2121 }, 2);
    await look();
    expect([told, test.errors]).toEqual([[], []]);
    await look();
    await waitUntil(() => told.length > 0);
    expect(told).toHaveLength(1);
  });
});

describe('spend', () => {
  it.each(['A', 'B'] as const)('of this app alone is explained (variant %s)', async (variant) => {
    await start({ unexplained: '0' }, { variant });
    for (let time = 0; time < 3; time += 1) {
      await look();
      await send(5);
    }
    await look();
    // The message whose settlement looks is in the ledger before it looks.
    expect(told).toEqual([]);
  });

  it.each(['A', 'B'] as const)(
    'of the message whose settlement checks is explained, whatever it costs (variant %s)',
    async (variant) => {
      const french = { id: 'french', phone: '+33612345670' };
      const networkOf: PriceAppOptions['networkOf'] = ({ mobile }) =>
        mobile.startsWith('+1') ? { mcc: '310', mnc: '410' } : { mcc: '208', mnc: '01' };
      await start({ unexplained: '0' }, { variant, users: [...USERS, french], networkOf });
      await look();
      next = () => french;
      await look();
      expect(looks()).toBe(2);
      expect(told).toEqual([]);
    },
  );

  it('on lookups is explained, and what they found is what a message is priced by', async () => {
    const lookups = numberLookups();
    const networkOf = lookups.networkOf;
    await start(
      { unexplained: '0' },
      { before: [numberCheck({ stage: 'send', mode: 'enforce', lookups })], networkOf },
    );
    await look();
    await send(5);
    await look();
    expect(test.sim.stats().calls.lookup).toBe(7);
    expect(told).toEqual([]);
    // Seven messages at 0.0079 and seven lookups at 0.0050.
    expect(await readAmount(test, 'spent')).toBe('0.0903');
  });

  it('by someone else is reported', async () => {
    await start({ unexplained: '0.0500' }, { variant: 'B' });
    await look();
    await sendElsewhere(10);
    await send(2);
    await look();
    await look();
    expect(told).toEqual([
      { type: 'unexplained-spend', spent: expect.any(String), explained: '0.0237' },
    ]);
  });

  it('of another process with the same store is explained, and one of them checks', async () => {
    await start({ unexplained: '0', warnBelow: '1000' }, { variant: 'B' });
    const toldThere: BalanceEvent[] = [];
    const other = await apps.start({
      variant: 'B',
      clock: test.clock,
      users: USERS,
      gateway: { baseUrl: test.sim.baseUrl },
      options: {
        store: test.store,
        allowedCountries: 'any',
        policies: [
          watchBalance(spendLimits({ fallbackPrice: '0.03' }), {
            ...{ unexplained: '0', warnBelow: '1000' },
            report: (event) => toldThere.push(event),
          }),
        ],
      },
    });
    await look();
    await send(5, other);
    expect(looks()).toBe(1);
    await look();
    test.clock.advanceSeconds(300);
    await send(1, other);
    await waitUntil(() => looks() === 3);
    await send(3);
    expect(looks()).toBe(3);
    expect([told, toldThere]).toEqual([[expect.objectContaining({ type: 'balance-low' })], []]);
  });
});

describe('watchBalance', () => {
  const make = (options: object) => (): unknown =>
    watchBalance(spendLimits({ fallbackPrice: '0.05' }), { report: () => undefined, ...options });

  it('is the policy that it is given, and takes amounts as they are written in the documents', () => {
    const levels = { warnBelow: '20', criticalBelow: '5.5', everySeconds: 60, unexplained: '1' };
    expect(make(levels)()).toMatchObject({ name: 'spend-limits', stage: 'send', mode: 'report' });
  });

  it.each([
    [{ everySeconds: 1 }, 'everySeconds must be a whole number from 60 to 86400'],
    [{ everySeconds: 90_000 }, 'everySeconds must be a whole number from 60 to 86400'],
    [{ everySeconds: 60.5 }, 'everySeconds must be a whole number from 60 to 86400'],
    [{ warnBelow: '-1' }, 'warnBelow must be a decimal string'],
    [{ criticalBelow: '1,50' }, 'criticalBelow must be a decimal string'],
    [{ unexplained: '0.0000001' }, 'unexplained must be a decimal string'],
  ])('refuses %j', (options, problem) => {
    expect(make(options)).toThrow(TypeError);
    expect(make(options)).toThrow(`watchBalance: ${problem}`);
  });
});
