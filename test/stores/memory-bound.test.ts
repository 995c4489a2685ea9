import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { StoreError } from '../../src/errors';
import { memoryStore } from '../../src/stores/memory/memory-store';
import type { CounterStore, NewPendingLogin } from '../../src/stores/store';
import { beginLogin, makeBegin, makeOtp, makePendingLogin, makeRecord } from './make-stored';

describe('the bound of memoryStore', () => {
  it('refuses a charge that needs more room than there is, and charges nothing', async () => {
    const { counters } = memoryStore({ maxEntries: 1 });
    await fill(counters, 8);
    const [a, b, c] = ['a', 'b', 'c'].map((key) => ({ key, windowSeconds: 600 })) as [
      Named,
      Named,
      Named,
    ];
    await counters.charge([a]);
    await expect(counters.charge([a, b, c])).rejects.toThrow(StoreError);
    expect((await counters.charge([a, b])).counts.map(({ count }) => count)).toEqual([2, 1]);
    const locked = { key: 'd', windowSeconds: 10, lock: { every: 1, seconds: [10] } };
    await expect(counters.charge([locked])).rejects.toThrow(StoreError);
  });

  it('counts pending logins, records, counters and accounts apart', async () => {
    const { pendingLogins, records, counters, tokens } = memoryStore({ maxEntries: 1 });
    await beginLogin(pendingLogins, 'a');
    await records.put({ kind: 'device', owner: 'a', record: makeRecord('a'), ttlSeconds: 600 });
    await counters.charge([{ key: 'a', windowSeconds: null }]);
    await tokens.renew('a', 0, () => Promise.resolve({ sealed: 'x', ttlSeconds: 10 }));
    await expect(
      tokens.renew('b', 0, () => Promise.reject(new Error('not reached'))),
    ).rejects.toThrow(StoreError);
  });

  it('gives the room of expired and cleared counters back, one among many', async () => {
    let nowMs = 0;
    const { counters } = memoryStore({ maxEntries: 100, now: () => nowMs });
    for (let index = 0; index < 999; index += 1) await charge(`long ${index}`, 600);
    await charge('short', 5);
    await expect(charge('one more', 600)).rejects.toThrow(StoreError);
    nowMs = 5_000;
    await charge('one more', 600);
    await counters.clear(['long 500']);
    await charge('and another', 600);
    await expect(charge('too many', 600)).rejects.toThrow(StoreError);

    async function charge(key: string, windowSeconds: number): Promise<void> {
      await counters.charge([{ key, windowSeconds }]);
    }
  });

  it('counts and begins anew under keys that expired among many', async () => {
    let nowMs = 0;
    const { pendingLogins, counters } = memoryStore({ maxEntries: 50, now: () => nowMs });
    for (let index = 0; index < 50; index += 1) {
      await counters.charge([{ key: `key ${index}`, windowSeconds: 1 + index }]);
      await beginLogin(pendingLogins, `id ${index}`, { otp: makeOtp('x') }, 1 + index);
    }
    nowMs = 60_000;
    expect((await counters.charge([{ key: 'key 49', windowSeconds: 60 }])).counts[0]?.count).toBe(
      1,
    );
    const other = { userId: 'another', otp: makeOtp('y') };
    await beginLogin(pendingLogins, 'id 49', other, 60);
    await beginLogin(pendingLogins, 'new', { otp: makeOtp('z') }, 60);
    expect(await pendingLogins.find('id 49')).toMatchObject({
      ...{ userId: 'another', otps: [makeOtp('y')] },
    });
  });

  it('keeps a counter without window for 400 days from its last charge', async () => {
    let nowMs = 0;
    const { counters } = memoryStore({ now: () => nowMs });
    const charge = async (): Promise<unknown> =>
      (await counters.charge([{ key: 'a', windowSeconds: null }])).counts[0]?.count;
    const counts = [];
    for (const days of [0, 399, 399, 400]) {
      nowMs += days * 86_400_000;
      counts.push(await charge());
    }
    expect(counts).toEqual([1, 2, 3, 1]);
  });

  it('keeps a counter whose lock outlives its window', async () => {
    let nowMs = 0;
    const { counters } = memoryStore({ maxEntries: 1, now: () => nowMs });
    await fill(counters, 9);
    await counters.charge([{ key: 'a', windowSeconds: 1, lock: { every: 1, seconds: [100] } }]);
    nowMs = 50_000;
    await expect(counters.charge([{ key: 'b', windowSeconds: 1 }])).rejects.toThrow(StoreError);
    expect((await counters.charge([{ key: 'a', windowSeconds: 1 }])).refusedBy).toBe(0);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('is never %p', (maxEntries) => {
    expect(() => memoryStore({ maxEntries })).toThrow(
      new TypeError('maxEntries must be a whole number from 1'),
    );
  });
});

/** Two kilobytes that are like no others. */
const longName = (): string => randomBytes(1_000).toString('hex');

function makeLongLogin(userId = longName()): NewPendingLogin {
  const [side, block] = ['others', longName()];
  return makePendingLogin(longName(), { userId, place: longName(), side, block });
}

type MemoryStore = ReturnType<typeof memoryStore>;

const USES: Record<string, (store: MemoryStore, pass: () => void) => Promise<unknown>> = {
  'a pending login that has ended': async ({ pendingLogins }) => {
    const login = makeLongLogin();
    await pendingLogins.begin(login, makeBegin());
    await pendingLogins.claim(login.pendingId, { of: 'totp', most: 5 });
    await pendingLogins.end(login.pendingId);
  },
  'the two pending logins of a user, ended': async ({ pendingLogins }) => {
    const userId = longName();
    for (const login of [makeLongLogin(userId), makeLongLogin(userId)])
      await pendingLogins.begin(login, makeBegin());
    await pendingLogins.endAll(userId);
  },
  'a pending login that ends for want of room': async ({ pendingLogins }) => {
    const userId = longName();
    for (const pendingId of [longName(), longName()])
      await pendingLogins.begin(makePendingLogin(pendingId, { userId }), makeBegin({ most: 1 }));
    await pendingLogins.endAll(userId);
  },
  'the OTPs of a pending login that has ended': async ({ pendingLogins }) => {
    const login = makeLongLogin();
    await pendingLogins.begin(login, makeBegin());
    for (let count = 0; count < 3; count += 1) {
      await pendingLogins.attach(login.pendingId, { otpId: longName(), value: '{}' });
      await pendingLogins.claim(login.pendingId, { of: 'otp', most: 5 });
    }
    await pendingLogins.end(login.pendingId);
  },
  'a pending login whose mark has expired': async (store, pass) => {
    const login = makeLongLogin();
    await store.pendingLogins.begin(login, makeBegin());
    await store.pendingLogins.attach(login.pendingId, { otpId: longName(), value: '{}' });
    await store.finish(login.pendingId, { leavesMark: true, clears: [], charges: [], puts: [] });
    pass();
  },
  'a record that was removed': async ({ records }) => {
    const [owner, id] = [longName(), longName()];
    const record = { id, tag: 'first', rank: 1, value: '{}' };
    await records.put({ kind: 'device', owner, record, ttlSeconds: null });
    await records.remove({ kind: 'device', owner, id });
  },
  'a record that has expired': async ({ records }, pass) => {
    const record = { id: longName(), tag: 'first', rank: 1, value: '{}' };
    await records.put({ kind: 'device', owner: longName(), record, ttlSeconds: 600 });
    pass();
  },
  'a cleared counter': async ({ counters }) => {
    const key = longName();
    await counters.charge([{ key, windowSeconds: 600 }]);
    await counters.clear([key]);
  },
};

describe('the memory of memoryStore', () => {
  it.each(Object.keys(USES))('holds nothing of %s', async (name) => {
    const uses = 2_000;
    let nowMs = 0;
    const store = memoryStore({ maxEntries: 100, now: () => nowMs });
    const use = (): Promise<unknown> | undefined => USES[name]?.(store, () => (nowMs += 600_000));
    await use();
    const before = bytesInUse();
    for (let index = 0; index < uses; index += 1) await use();
    // A single name that stays of each would be four megabytes.
    expect(bytesInUse() - before).toBeLessThan(uses * 1_000);
    expect(await store.pendingLogins.find('none')).toBeNull();
  });

  it('is about twice what was written of a pending login and of a record', async () => {
    const many = 5_000;
    const { pendingLogins, records } = memoryStore();
    const begin = (index: number): Promise<void> => {
      const otp = { otpId: randomUUID(), value: makeJson(150, index) };
      const [value, userId] = [makeJson(200, index), `user-${index}`];
      const [block, sender] = [makeDigest(), makeDigest()];
      return beginLogin(pendingLogins, randomUUID(), { userId, block, sender, value, otp });
    };
    const put = (index: number): Promise<unknown> => {
      const record = { id: randomUUID(), tag: 'first', rank: 0.5, value: makeJson(130, index) };
      return records.put({ kind: 'login', owner: `user-${index}`, record, ttlSeconds: 600 });
    };
    for (const [write, bytes] of [
      [begin, 960],
      [put, 700],
    ] as const) {
      await write(0);
      const before = bytesInUse();
      for (let index = 1; index <= many; index += 1) await write(index);
      expect((bytesInUse() - before) / many).toBeLessThan(bytes);
    }
    expect(await pendingLogins.find('none')).toBeNull();
    expect(await records.list({ kind: 'login', owner: 'none' })).toEqual([]);
  });
});

/** Returns JSON of about this length that is like no other. */
function makeJson(length: number, index: number): string {
  return JSON.stringify({ index, filled: 'x'.repeat(length - 25) });
}

/** Returns as long a digest as those of pending logins. */
function makeDigest(): string {
  return randomBytes(16).toString('base64url');
}

function bytesInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

describe('the warning of memoryStore', () => {
  const { NODE_ENV } = process.env;
  const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  afterEach(() => {
    process.env.NODE_ENV = NODE_ENV;
    emitWarning.mockClear();
  });

  it('is emitted once for each store in production, and names what to use', async () => {
    process.env.NODE_ENV = 'production';
    const { pendingLogins } = memoryStore();
    await pendingLogins.find('a');
    const told =
      'memoryStore() keeps logins and limits in this process only: a restart ends all logins and ' +
      'forgets all limits, and no other process shares them. Use redisStore or postgresStore in ' +
      'production.';
    expect(emitWarning.mock.calls).toEqual([[told, { code: 'SMS_OTP_MEMORY_STORE' }]]);
  });

  it.each([
    { where: 'in a worker', NODE_ENV: 'development', codes: ['SMS_OTP_MEMORY_STORE'] },
    { where: 'alone', NODE_ENV: 'development', codes: [] },
  ])('is $codes in $NODE_ENV $where', async ({ where, NODE_ENV, codes }) => {
    const child = fork(require.resolve('./warning-program'), [where], {
      execArgv: ['--require', require.resolve('tsx/cjs')],
      env: { ...process.env, NODE_ENV },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = once(child, 'exit');
    expect((await once(child, 'message'))[0]).toEqual(codes);
    await ended;
  });
});

interface Named {
  readonly key: string;
  readonly windowSeconds: number;
}

/** Takes the room of so many counters for an hour: a store has room for ten times `maxEntries`. */
async function fill(counters: CounterStore, count: number): Promise<void> {
  const others = Array.from({ length: count }, (_, index) => ({
    key: `other ${index}`,
    windowSeconds: 3600,
  }));
  await counters.charge(others);
}
