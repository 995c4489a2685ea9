import { beforeEach, describe, expect, it } from '@jest/globals';

import { StoreError } from '../../src/errors';
import { memoryStore } from '../../src/stores/memory/memory-store';
import type { FinishOptions, RecordPut } from '../../src/stores/store';
import { beginLogin, makeBegin, makePendingLogin } from './make-stored';

const FULL = new StoreError('memoryStore: it is full');

let nowMs = 0;
let store: ReturnType<typeof memoryStore>;
beforeEach(() => {
  nowMs = 1_000_000;
  store = memoryStore({ maxEntries: 2, now: () => nowMs });
});

function begin(pendingId: string, ttlSeconds = 600, userId = 'alice'): Promise<void> {
  const otp = { otpId: `otp of ${pendingId}`, value: '{}' };
  const place = `login ${pendingId}`;
  return beginLogin(store.pendingLogins, pendingId, { userId, place, otp }, ttlSeconds);
}

function makePut(id: string, changes: Partial<RecordPut> = {}): RecordPut {
  const record = { id, tag: 'first', rank: 1, value: '{}' };
  return { kind: 'device', owner: 'alice', record, ttlSeconds: 600, ...changes };
}

function put(id: string, changes?: Partial<RecordPut>): Promise<unknown> {
  return store.records.put(makePut(id, changes));
}

function finish(pendingId: string, changes: Partial<FinishOptions> = {}): Promise<unknown> {
  const none = { leavesMark: true, clears: [], charges: [], puts: [] };
  return store.finish(pendingId, { ...none, ...changes });
}

async function idsOf(kind = 'device', owner = 'alice'): Promise<readonly string[]> {
  return (await store.records.list({ kind, owner })).map(({ id }) => id);
}

async function countOf(key: string): Promise<number | undefined> {
  const read = { key, windowSeconds: 600, amount: 0, isOnlyRead: true };
  return (await store.counters.charge([read])).counts[0]?.count;
}

/** Takes the room of so many counters: there is room for twenty. */
async function fillCounters(count: number): Promise<void> {
  const keys = Array.from({ length: count }, (_, index) => `other ${index}`);
  await store.counters.charge(keys.map((key) => ({ key, windowSeconds: 600 })));
}

describe('a put that is optional', () => {
  const isOptional = true;

  it('is left out where live records fill the store, and the login finishes', async () => {
    for (const id of ['a', 'b']) await put(id);
    await begin('x');
    const login = makePut('l', { kind: 'login' });
    const finished = await finish('x', { puts: [makePut('c', { isOptional }), login] });
    const results = [
      { isPut: false, gone: [], replaced: null },
      { isPut: true, gone: [], replaced: null },
    ];
    expect(finished).toEqual({ isFinished: true, results, replaced: null });
    expect(await idsOf()).toEqual(['a', 'b']);
    expect(await idsOf('login')).toEqual(['l']);
    expect(await store.pendingLogins.find('x')).toBe('passed');
  });

  it('is left out by itself as well', async () => {
    for (const id of ['a', 'b']) await put(id);
    expect(await put('c', { isOptional })).toEqual({ isPut: false, gone: [], replaced: null });
    expect(await idsOf()).toEqual(['a', 'b']);
  });

  it('is written where there is room, also that of one which goes, or whose life is over', async () => {
    for (const id of ['a', 'b']) await put(id, { ttlSeconds: id === 'a' ? 5 : 600 });
    const written = { isPut: true, gone: ['b'], replaced: null };
    nowMs += 5_000;
    expect(await put('c', { isOptional })).toEqual({ isPut: true, gone: [], replaced: null });
    expect(await put('d', { isOptional, most: 2 })).toEqual(written);
    await begin('x');
    const finished = await finish('x', { puts: [makePut('c', { isOptional })] });
    expect(finished).toMatchObject({ results: [{ isPut: true }] });
  });

  it('comes after those that must be written, in whatever order they are named', async () => {
    await put('a');
    await begin('x');
    const puts = [makePut('c', { owner: 'bob', isOptional }), makePut('d', { owner: 'carol' })];
    expect(await finish('x', { puts })).toMatchObject({
      results: [{ isPut: false }, { isPut: true }],
    });
    expect(await idsOf('device', 'carol')).toEqual(['d']);
  });

  it('changes nothing where one that must be written finds no room', async () => {
    for (const id of ['a', 'b']) await put(id);
    await begin('x');
    const puts = [makePut('c'), makePut('k', { kind: 'browser', isOptional })];
    await expect(finish('x', { puts })).rejects.toThrow(FULL);
    expect(await idsOf('browser')).toEqual([]);
    expect(await store.pendingLogins.find('x')).not.toBe('passed');
  });

  it('lets the record go that the login replaces', async () => {
    for (const id of ['a', 'b']) await put(id, { owner: id });
    await begin('x');
    const replaces = { kind: 'device', owner: 'a', id: 'a' };
    const puts = [makePut('c', { owner: 'a', isOptional }), makePut('d', { owner: 'bob' })];
    expect(await finish('x', { replaces, puts })).toMatchObject({
      results: [{ isPut: false }, { isPut: true }],
    });
    expect(await idsOf('device', 'a')).toEqual([]);
  });
});

describe('the room for pending logins', () => {
  it('is refused beyond maxEntries, and active ones stay', async () => {
    for (const id of ['a', 'b']) await begin(id);
    await expect(begin('c')).rejects.toThrow(FULL);
    for (const id of ['a', 'b']) expect(await store.pendingLogins.find(id)).not.toBeNull();
    expect(await store.pendingLogins.find('c')).toBeNull();
    // More OTPs need none.
    expect(await store.pendingLogins.attach('a', { otpId: 'more', value: '{}' })).toBe(true);
  });

  it('takes no OTP from another login when it is refused', async () => {
    for (const id of ['a', 'b']) await begin(id);
    const late = makePendingLogin('c', { userId: 'alice', place: 'login a' });
    await expect(store.pendingLogins.begin(late, makeBegin())).rejects.toThrow(FULL);
    expect(await store.pendingLogins.find('a')).toMatchObject({ otps: [{}] });
  });

  const passSeconds = (seconds: number): void => void (nowMs += seconds * 1000);
  const ways: Record<string, () => unknown> = {
    ended: () => store.pendingLogins.end('short'),
    'ended with all': () => store.pendingLogins.endAll('alice'),
    finished: () => finish('short', { leavesMark: false }),
    expired: () => passSeconds(5),
    'expired after it has passed': () => finish('short').then(() => passSeconds(5)),
  };
  it.each(Object.entries(ways))('is given back by one that has %s', async (_title, end) => {
    await begin('long', 600, 'bob');
    await begin('short', 5);
    await end();
    await begin('new');
    expect(await store.pendingLogins.find('long')).not.toBeNull();
    expect(await store.pendingLogins.find('new')).not.toBeNull();
  });

  it('is taken by a mark until the end of its life', async () => {
    for (const id of ['a', 'b']) await begin(id);
    await finish('a');
    await expect(begin('c')).rejects.toThrow(FULL);
    expect(await store.pendingLogins.find('a')).toBe('passed');
  });

  it('keeps a login that begins under the id of one that has expired', async () => {
    await begin('a', 5);
    nowMs += 5_000;
    await begin('a', 600, 'bob');
    await begin('b');
    await store.pendingLogins.endAll('alice');
    expect(await store.pendingLogins.find('a')).toMatchObject({ userId: 'bob' });
    await store.pendingLogins.endAll('bob');
    expect(await store.pendingLogins.find('a')).toBeNull();
  });
});

describe('the room for records', () => {
  it('is refused beyond maxEntries of each kind, whoever their owners are', async () => {
    await put('a');
    await put('b', { owner: 'bob' });
    for (const owner of ['alice', 'carol']) await expect(put('c', { owner })).rejects.toThrow(FULL);
    expect(await idsOf()).toEqual(['a']);
    expect(await idsOf('device', 'carol')).toEqual([]);
    // Another kind has room of its own, and one that takes a place needs none.
    await put('c', { kind: 'browser' });
    await put('a', { ttlSeconds: null });
    await put('d', { most: 1 });
    expect(await idsOf()).toEqual(['d']);
    const next = { ...makePut('e').record, tag: 'second' };
    const d = { kind: 'device', owner: 'alice', id: 'd' };
    expect(await store.records.swap(d, 'first', next, 600)).toBe(true);
    await expect(put('f')).rejects.toThrow(FULL);
    // A swap for an id that is there gives room back.
    await store.records.removeAll({ kind: 'device', owner: 'bob' });
    await put('f');
    expect(await store.records.swap({ ...d, id: 'e' }, 'second', makePut('f').record, 60)).toBe(
      true,
    );
    await put('g');
    await expect(put('h')).rejects.toThrow(FULL);
  });

  it('is ten times as much for logins', async () => {
    for (let index = 0; index < 20; index += 1) await put(`${index}`, { kind: 'login' });
    await expect(put('20', { kind: 'login' })).rejects.toThrow(FULL);
    expect(await idsOf('login')).toHaveLength(20);
  });

  it('is given back by records that are removed, and whose time is up', async () => {
    await put('short', { ttlSeconds: 5, owner: 'bob' });
    await put('a', { ttlSeconds: null });
    await expect(put('b')).rejects.toThrow(FULL);
    nowMs += 5_000;
    await put('b');
    await expect(put('c')).rejects.toThrow(FULL);
    await store.records.remove({ kind: 'device', owner: 'alice', id: 'a' });
    await put('c');
    await store.records.removeAll({ kind: 'device', owner: 'alice' }, 'c');
    await put('d');
    await expect(put('e')).rejects.toThrow(FULL);
    nowMs += 599_999;
    await expect(put('e')).rejects.toThrow(FULL);
    nowMs += 1;
    await put('e');
    expect(await idsOf()).toEqual(['e']);
  });
});

describe('a finish in a full store', () => {
  const charge = (key: string) => ({ key, windowSeconds: 600 });
  const old = { kind: 'device', owner: 'alice', id: 'old' };

  async function assertNothingChanged(): Promise<void> {
    expect(await store.pendingLogins.find('a')).toMatchObject({ otps: [{}], sends: 1 });
    expect(await idsOf('browser')).toEqual([]);
    expect(await countOf('one')).toBe(0);
    expect(await countOf('other 0')).toBe(1);
  }

  it('is refused for a record, and changes nothing', async () => {
    await begin('a');
    await fillCounters(2);
    for (const id of ['old', 'b']) await put(id);
    const browser = makePut('x', { kind: 'browser' });
    const change = { clears: ['other 0'], charges: [charge('one')] };
    const puts = [browser, makePut('c')];
    await expect(finish('a', { ...change, puts })).rejects.toThrow(FULL);
    await expect(finish('a', { ...change, puts: puts.toReversed() })).rejects.toThrow(FULL);
    await assertNothingChanged();
    expect(await idsOf()).toEqual(['b', 'old']);
    // The one that is replaced makes room, and so does one beyond the ceiling.
    const finished = await finish('a', { ...change, puts, replaces: old });
    expect(finished).toMatchObject({ isFinished: true, replaced: makePut('old').record });
    expect(await idsOf()).toEqual(['b', 'c']);
    expect([await countOf('one'), await countOf('other 0')]).toEqual([1, 0]);
    await begin('b');
    const isFinished = true;
    const pushed = { results: [{ isPut: true, gone: ['b'], replaced: null }], replaced: null };
    const beyond = { puts: [makePut('d', { most: 2 })] };
    expect(await finish('b', beyond)).toEqual({ isFinished, ...pushed });
  });

  it('is refused for the records of several owners together', async () => {
    await begin('a');
    await put('old');
    const puts = ['bob', 'carol'].map((owner) => makePut('new', { owner }));
    await expect(finish('a', { puts })).rejects.toThrow(FULL);
    for (const owner of ['bob', 'carol']) expect(await idsOf('device', owner)).toEqual([]);
    expect(await finish('a', { puts, replaces: old })).toMatchObject({ isFinished: true });
    expect(await idsOf()).toEqual([]);
  });

  it('is refused for a counter, and changes nothing', async () => {
    await begin('a');
    await put('old');
    await fillCounters(20);
    const change = {
      charges: ['one', 'two'].map(charge),
      puts: [makePut('x', { kind: 'browser' })],
      replaces: old,
    };
    for (const clears of [[], ['other 0'], ['other 0', 'never charged']])
      await expect(finish('a', { ...change, clears })).rejects.toThrow(FULL);
    await assertNothingChanged();
    expect(await idsOf()).toEqual(['old']);
    // What it clears makes room for what it charges.
    const clears = ['other 0', 'other 1'];
    expect(await finish('a', { ...change, clears })).toMatchObject({ isFinished: true });
    expect([await countOf('two'), await countOf('other 1')]).toEqual([1, 0]);
  });

  it('needs no room for itself, for what is there, and for what it gives back', async () => {
    for (const id of ['a', 'b']) await begin(id);
    for (const id of ['old', 'b']) await put(id);
    await fillCounters(20);
    const charges = [charge('other 0'), { ...charge('new'), amount: -1 }];
    const finished = await finish('a', { charges, puts: [makePut('old')] });
    const results = [{ isPut: true, gone: [], replaced: makePut('old').record }];
    expect(finished).toEqual({ isFinished: true, results, replaced: null });
    expect(await countOf('other 0')).toBe(2);
  });
});

it('a finish adds to a count that is as high as can be, and is not refused', async () => {
  const most = Number.MAX_SAFE_INTEGER;
  await store.counters.charge([{ key: 'one', windowSeconds: 600, amount: most }]);
  await begin('a');
  const charges = [{ key: 'one', windowSeconds: 600 }];
  expect(await finish('a', { charges })).toMatchObject({ isFinished: true });
  expect(await countOf('one')).toBe(most);
});

it('a raise lets a counter without window live on for 400 days, also where it raises nothing', async () => {
  const raised = { key: 'one', windowSeconds: null, raisesTo: 1 };
  await store.counters.charge([raised]);
  for (const raise of [
    () => store.counters.charge([raised]),
    async () => {
      await begin('a');
      return finish('a', { charges: [raised] });
    },
  ]) {
    nowMs += 399 * 86_400_000;
    await raise();
    expect(await countOf('one')).toBe(1);
  }
  nowMs += 400 * 86_400_000;
  expect(await countOf('one')).toBe(0);
});

it('nothing that was returned changes with a later call', async () => {
  await begin('a');
  const found = await store.pendingLogins.find('a');
  const claimed = await store.pendingLogins.claim('a', { of: 'otp', most: 5 });
  await store.pendingLogins.attach('a', { otpId: 'more', value: '{}' });
  const otp = { otpId: 'otp of a', value: '{}' };
  const login = { userId: 'alice', value: '{}', sends: 1, otps: [otp] };
  expect(found).toEqual(login);
  expect(claimed).toEqual({ outcome: 'claimed', attempt: 1, otpId: 'otp of a', login });
  await put('a');
  const listed = await store.records.list({ kind: 'device', owner: 'alice' });
  await store.records.removeAll({ kind: 'device', owner: 'alice' });
  expect(listed).toEqual([makePut('a').record]);
});

it('a record keeps nothing of an object that its caller changes later', async () => {
  const record = { id: 'a', tag: 'first', rank: 1, value: '{}' };
  const otp = { otpId: 'x', value: '{}' };
  await store.records.put({ ...makePut('a'), record });
  await begin('a');
  await store.pendingLogins.attach('a', otp);
  Object.assign(record, { tag: 'other' });
  Object.assign(otp, { otpId: 'other' });
  expect(await store.records.list({ kind: 'device', owner: 'alice' })).toMatchObject([
    { tag: 'first' },
  ]);
  expect(await store.pendingLogins.find('a')).toMatchObject({ otps: [{ otpId: 'x' }, {}] });
});
