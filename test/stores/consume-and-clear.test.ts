import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { redisStore } from 'passport-sms-otp/redis';
import type { Response } from 'supertest';
import { type GuardedStore, guardStore, type StoreEvent } from '../../src/stores/guarded-store';
import { memoryStore } from '../../src/stores/memory/memory-store';
import type { SmsOtpStore } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { ALICE, startTestApp } from '../support/test-app';
import { visit } from '../support/visit';
import { makeChallenge } from './make-challenge';
import { connectNodeRedis, redisLibraries, type TestClient } from './redis-clients';

const quiet = { onWarning: () => undefined };

const CHANGE = {
  byCode: true,
  clears: ['failures', 'sends'],
  charges: [
    { key: 'proven', windowSeconds: null },
    { key: 'slow', windowSeconds: 60, amount: -1 },
  ],
};
const NAMES = ['failures', 'sends', 'proven', 'slow'];

/**
 * A challenge whose code lives, and two charges of every counter but the proof. The first has a
 * lock as well.
 */
async function prepare({ challenges, counters }: GuardedStore): Promise<void> {
  await challenges.begin(makeChallenge('a', { userId: 'alice' }), 600);
  for (const key of ['failures', 'sends', 'slow'])
    await counters.charge([{ key, windowSeconds: 60, amount: 2 }]);
  await counters.lock('failures', 60);
}

async function readCounts({ counters }: GuardedStore): Promise<unknown> {
  const { counts } = await counters.charge(
    NAMES.map((key) => ({ key, windowSeconds: 60, amount: 0, isOnlyRead: true })),
  );
  return Object.fromEntries(
    counts.map(({ count, lockedSeconds }, index) => [NAMES[index], [count, lockedSeconds > 0]]),
  );
}

const BEFORE = { failures: [2, true], sends: [2, false], proven: [0, false], slow: [2, false] };
const AFTER = { failures: [0, false], sends: [0, false], proven: [1, false], slow: [1, false] };

/** What every store must do, in one step or two. */
function describeSuccess(getStore: () => SmsOtpStore): void {
  let store: GuardedStore;
  beforeEach(async () => {
    store = guardStore(getStore());
    await prepare(store);
  });

  it('consumes the challenge, clears counters and charges others', async () => {
    expect(await readCounts(store)).toEqual(BEFORE);
    expect(await store.consumeAndClear('a', CHANGE)).toEqual({ isConsumed: true, isCleared: true });
    expect(await readCounts(store)).toEqual(AFTER);
    expect(await store.challenges.find('a')).toBeNull();
  });

  it('changes nothing for the second caller', async () => {
    await store.consumeAndClear('a', CHANGE);
    await store.counters.charge([{ key: 'failures', windowSeconds: 60 }]);
    expect(await store.consumeAndClear('a', CHANGE)).toEqual({
      isConsumed: false,
      isCleared: false,
    });
    expect(await readCounts(store)).toEqual({ ...AFTER, failures: [1, false] });
  });

  it('changes nothing once a later text has taken the code, unless it is not by code', async () => {
    await store.challenges.begin(makeChallenge('b', { userId: 'alice' }), 600);
    expect(await store.consumeAndClear('a', CHANGE)).toEqual({
      isConsumed: false,
      isCleared: false,
    });
    expect(await readCounts(store)).toEqual(BEFORE);
    expect(await store.consumeAndClear('a', { ...CHANGE, byCode: false })).toMatchObject({
      isConsumed: true,
    });
    expect(await readCounts(store)).toEqual(AFTER);
  });

  it('clears alone when there is nothing to charge', async () => {
    expect(await store.consumeAndClear('a', { ...CHANGE, charges: [] })).toEqual({
      isConsumed: true,
      isCleared: true,
    });
    expect(await readCounts(store)).toEqual({ ...AFTER, proven: [0, false], slow: [2, false] });
  });

  it('is true for exactly one of many callers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => store.consumeAndClear('a', CHANGE)),
    );
    expect(answers.filter(({ isConsumed }) => isConsumed)).toHaveLength(1);
    expect(await readCounts(store)).toEqual(AFTER);
  });
}

describe('a success in the memory store', () => {
  describeSuccess(() => memoryStore());
});

describe('a success in a store of another maker', () => {
  const consumed = {
    challenges: { ...memoryStore().challenges, consume: () => Promise.resolve(true) },
  };

  it('is one when counters fail, and says whether they were cleared', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('canary'));
    const { counters } = memoryStore();
    const run = (changed: object) =>
      guardStore({
        ...memoryStore(),
        ...consumed,
        counters: { ...counters, ...changed },
      }).consumeAndClear('a', CHANGE);
    expect(await run({ clear: fail })).toEqual({ isConsumed: true, isCleared: false });
    expect(await run({ charge: fail })).toEqual({ isConsumed: true, isCleared: true });
  });

  it('makes no call that charges nothing', async () => {
    let charges = 0;
    const charge = (): Promise<never> => Promise.reject(new Error(`charge ${(charges += 1)}`));
    const counters = { ...memoryStore().counters, charge };
    await guardStore({ ...memoryStore(), ...consumed, counters }).consumeAndClear('a', {
      ...CHANGE,
      charges: [],
    });
    expect(charges).toBe(0);
  });

  it('is none unless consume returns true', async () => {
    const answering = (answer: unknown): Promise<unknown> => {
      const challenges = {
        ...memoryStore().challenges,
        consume: () => Promise.resolve(answer as boolean),
      };
      return guardStore({ ...memoryStore(), challenges }).consumeAndClear('a', CHANGE);
    };
    expect(await answering(false)).toEqual({ isConsumed: false, isCleared: false });
    for (const answer of [1, 'true', undefined])
      await expect(answering(answer)).rejects.toThrow('consume: unknown answer');
  });
});

describeWithService('redis')('a success in Redis', () => {
  let server: Service;
  let connected: TestClient;
  beforeAll(async () => {
    server = await startRedis();
    connected = await connectNodeRedis(server.port);
  });
  afterAll(async () => {
    await connected.close();
    await server.close();
  });
  beforeEach(() => connected.command('FLUSHALL'));

  async function countScripts(work: () => Promise<unknown>): Promise<number> {
    await connected.command('CONFIG', 'RESETSTAT');
    await work();
    const stats = String(await connected.command('INFO', 'commandstats'));
    return Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
  }

  describe.each(redisLibraries)('in one step, with %s', (_library, connect) => {
    let own: TestClient;
    beforeAll(async () => {
      own = await connect(server.port);
    });
    afterAll(() => own.close());
    describeSuccess(() => redisStore(own.client, quiet));
  });

  describe('in two steps, with counters of another store', () => {
    describeSuccess(() => ({
      ...redisStore(connected.client, quiet),
      counters: memoryStore().counters,
    }));
  });

  describe('in two steps, with a copy of its challenges', () => {
    describeSuccess(() => {
      const store = redisStore(connected.client, quiet);
      return { ...store, challenges: { ...store.challenges } };
    });
  });

  it('takes one script, and with another part in place of one of the two as many as there are calls', async () => {
    const store = redisStore(connected.client, quiet);
    const guarded = guardStore(store);
    // The server knows all scripts then.
    await prepare(guarded);
    await guarded.consumeAndClear('a', CHANGE);
    await prepare(guarded);
    expect(await countScripts(() => guarded.consumeAndClear('a', CHANGE))).toBe(1);
    for (const other of [
      { counters: { ...store.counters } },
      { challenges: new Proxy(store.challenges, {}) },
    ]) {
      await prepare(guarded);
      const wrapped = guardStore({ ...store, ...other });
      expect(await countScripts(() => wrapped.consumeAndClear('a', CHANGE))).toBe(3);
    }
  });

  it('is reported as a call of consume', async () => {
    const events: StoreEvent[] = [];
    const guarded = guardStore(redisStore(connected.client, quiet), (event) => events.push(event));
    await prepare(guarded);
    events.length = 0;
    await guarded.consumeAndClear('a', CHANGE);
    const durationMs: unknown = expect.any(Number);
    expect(events).toEqual([
      { type: 'store-call', operation: 'consume', outcome: 'ok', durationMs },
    ]);
  });

  it('lets the user in when a counter cannot be charged', async () => {
    const guarded = guardStore(redisStore(connected.client, quiet));
    await prepare(guarded);
    await connected.command('SET', '{sms-otp}:counter:proven', 'no record');
    expect(await guarded.consumeAndClear('a', CHANGE)).toEqual({
      isConsumed: true,
      isCleared: true,
    });
    expect(await connected.command('EXISTS', '{sms-otp}:counter:failures')).toBe(0);
  });

  it('makes a login of two scripts for the text and three for the code, and one more in a new browser', async () => {
    const test = await startTestApp({ options: { store: redisStore(connected.client, quiet) } });
    const cookies = (answer: unknown): string => String((answer as Response).get('Set-Cookie'));
    const logIn = async (known = ''): Promise<{ scripts: number[]; browser: string }> => {
      const visitor = visit(test, ALICE);
      const [name = '', value = ''] = known.split('=');
      if (known !== '') visitor.cookies.set(name, value);
      await test.smsOtp.unlockUser(ALICE.id);
      let browser = '';
      const send = await countScripts(async () => expect((await visitor.login()).status).toBe(200));
      const verify = await countScripts(
        async () => (browser = cookies(await visitor.enterRight())),
      );
      return {
        scripts: [send, verify],
        browser: /__Host-sms-otp-browser=[^;]+/.exec(browser)?.[0] ?? '',
      };
    };
    try {
      // The first login needs a token, and shows the server the scripts.
      await logIn();
      const { scripts, browser } = await logIn();
      expect(scripts).toEqual([2, 4]);
      // A browser that is known is written once a day.
      expect((await logIn(browser)).scripts).toEqual([2, 3]);
    } finally {
      await test.close();
    }
  });
});
