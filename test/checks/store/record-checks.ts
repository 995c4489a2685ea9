import assert from 'node:assert/strict';
import type { PutResult, RecordPut, StoredRecord } from 'passport-sms-otp';
import { forEach } from '../for-each';
import {
  assertOneTrue,
  atOnce,
  type CheckContext,
  checksOf,
  WORDS,
  type StoreCheck,
} from './context';

/** The result of a put that replaced no record and removed none. */
export const PUT: PutResult = { isPut: true, gone: [], replaced: null };

const KIND = 'device';

const about = checksOf('records', setUpRecords);

/** Checks of `RecordStore`: what is written, found, swapped and removed. */
export const recordChecks: readonly StoreCheck[] = [
  about('a record is found as it was put, and is null before', async (user) => {
    assert.equal(await user.find('a'), null);
    assert.deepEqual(await user.put(user.record('a')), PUT);
    assert.deepEqual(await user.find('a'), user.record('a'));
    assert.deepEqual(await user.list(), [user.record('a')]);
  }),

  about('the value of a record comes back letter by letter', async (user) => {
    const values = [
      ' { "b" : 1.0, "a" : [1e3, "b"], "a": null } ',
      JSON.stringify({ text: 'it\'s {x}\n\\ "ü" 語 😀 \0 : $1 %s' }),
      '""',
      `"${'x'.repeat(8_190)}"`,
      `"${'ü'.repeat(8_190)}"`,
      `"${'語'.repeat(8_190)}"`,
    ];
    await forEach(values, async (value) => {
      await user.put(user.record('a', { value }));
      assert.equal((await user.find('a'))?.value, value);
    });
  }),

  about('a put replaces the record of the same id and its life', async (user) => {
    await user.put(user.record('a'), { ttlSeconds: 2 });
    const again = user.record('a', { tag: 'second', rank: 7, value: '"again"' });
    const replaced = user.record('a');
    assert.deepEqual(await user.put(again), { ...PUT, replaced });
    await user.put(user.record('b'));
    await user.put(user.record('b', { tag: 'second' }), { ttlSeconds: 2 });
    await user.pass(2);
    assert.deepEqual(await user.list(), [again]);
  }),

  about('a put returns the record that it was written over, while that lived', async (user) => {
    const values = ['""', '"it\'s {x} \\\\ ü 😀"', `"${'語'.repeat(8_190)}"`];
    let replaced: StoredRecord | null = null;
    await forEach(values.entries(), async ([index, value]) => {
      const next = user.record('a', { tag: `t${index}:"'`, rank: index + 0.1 + 0.2, value });
      assert.deepEqual(await user.put(next, { most: 1 }), { ...PUT, replaced });
      replaced = next;
    });
    const pushed = await user.put(user.record('b'), { most: 1 });
    assert.deepEqual(pushed, { ...PUT, gone: [user.name('a')] });
    await user.remove('b');
    assert.deepEqual(await user.put(user.record('b'), { ttlSeconds: 1 }), PUT);
    await user.pass(1);
    assert.deepEqual(await user.put(user.record('b')), PUT);
    const foreign = { kind: KIND, owner: user.name('other'), record: user.record('b') };
    assert.deepEqual(await user.store.put({ ...foreign, ttlSeconds: 600 }), PUT);
  }),

  about('records of two owners and of two kinds never mix', async (user) => {
    const apart = [
      { kind: KIND, owner: user.name('a:b') },
      { kind: KIND, owner: user.name('a') },
      { kind: 'browser', owner: user.name('a') },
      { kind: `${KIND}-a`, owner: user.name('b') },
      { kind: KIND, owner: user.name('a-b') },
    ];
    await forEach(apart.entries(), async ([index, of]) => {
      const record = user.record('x', { value: `${index}` });
      assert.deepEqual(await user.store.put({ ...of, record, ttlSeconds: 600, most: 1 }), PUT);
      const next = user.record('y', { value: `${index}` });
      assert.equal(await user.store.swap({ ...of, id: record.id }, 'first', next, 600), true);
      const ifNone = await user.store.put({ ...of, record, ttlSeconds: 600, ifNone: true });
      assert.deepEqual(ifNone, { isPut: false, gone: [], replaced: null });
    });
    await forEach(apart.entries(), async ([index, of]) => {
      const kept = user.record('y', { value: `${index}` });
      assert.deepEqual(await user.store.list(of), [kept]);
      assert.deepEqual(await user.store.find({ ...of, id: kept.id }), kept);
      if (index % 2 === 0) assert.deepEqual(await user.store.removeAll(of), [kept.id]);
      else assert.equal(await user.store.remove({ ...of, id: kept.id }), true);
      assert.deepEqual(await user.store.list(of), []);
    });
  }),

  about('owners and ids are arbitrary strings', async (user) => {
    await forEach(WORDS, async (ownerWord) => {
      const of = { kind: KIND, owner: user.name(ownerWord) };
      for (const word of WORDS) {
        const record = user.record(word, { value: JSON.stringify(word) });
        await user.store.put({ ...of, record, ttlSeconds: 600 });
      }
      const listed = await user.store.list(of);
      assert.deepEqual(new Set(listed.map(({ value }) => value)), toJson(WORDS));
      await forEach(WORDS, async (word) => {
        const id = user.name(word);
        assert.equal((await user.store.find({ ...of, id }))?.id, id);
        const next = user.record(`${word} next`, { tag: '{x}:"\'' });
        assert.equal(await user.store.swap({ ...of, id }, 'first', next, 600), true);
        assert.equal(await user.store.swap({ ...of, id: next.id }, '{x}:"\'', next, null), true);
        assert.equal(await user.store.remove({ ...of, id }), false);
        assert.equal(await user.store.remove({ ...of, id: next.id }), true);
      });
    });
  }),

  about('an id of one owner finds nothing for another', async (user) => {
    await user.put(user.record('a'));
    const foreign = { kind: KIND, owner: user.name('other'), id: user.name('a') };
    assert.equal(await user.store.find(foreign), null);
    assert.equal(await user.store.swap(foreign, 'first', user.record('a'), 600), false);
    assert.equal(await user.store.remove(foreign), false);
    assert.deepEqual(await user.store.removeAll(foreign), []);
    assert.deepEqual(await user.list(), [user.record('a')]);
    assert.deepEqual(await user.store.list(foreign), []);
  }),

  about('a record is swapped only while it has the tag that was seen', async (user) => {
    await user.put(user.record('a'));
    const second = user.record('a', { tag: 'second', rank: 5, value: '"second"' });
    assert.equal(await user.swap('a', 'other', second), false);
    assert.deepEqual(await user.find('a'), user.record('a'));
    assert.equal(await user.swap('a', 'first', second), true);
    assert.deepEqual(await user.list(), [second]);
    assert.equal(await user.swap('a', 'first', user.record('a')), false);
    assert.equal(await user.swap('a', 'second', user.record('a', { tag: 'second' })), true);
    assert.deepEqual(await user.list(), [user.record('a', { tag: 'second' })]);
    assert.equal(await user.swap('never', 'first', user.record('never')), false);
    assert.equal(await user.find('never'), null);
  }),

  about('of many that swap a record with the same tag one does', async (user) => {
    await user.put(user.record('a'));
    const nexts = Array.from({ length: 50 }, (_, index) => user.record('a', { tag: `t${index}` }));
    const swapped = await Promise.all(nexts.map((next) => user.swap('a', 'first', next)));
    assertOneTrue(swapped);
    assert.deepEqual(await user.list(), [nexts[swapped.indexOf(true)]]);
  }),

  about('a record is swapped for one with another id, and the old one is removed', async (user) => {
    await user.put(user.record('a'));
    await user.put(user.record('other', { rank: 9 }));
    assert.equal(await user.swap('a', 'other', user.record('b')), false);
    assert.equal(await user.find('b'), null);
    assert.equal(await user.swap('a', 'first', user.record('b')), true);
    assert.equal(await user.find('a'), null);
    assert.deepEqual(await user.list(), [user.record('b'), user.record('other', { rank: 9 })]);
    assert.equal(await user.swap('a', 'first', user.record('c')), false);
    assert.equal(await user.remove('a'), false);
    assert.deepEqual(await user.removeAll(), ['b', 'other'].map(user.name));
  }),

  about('a record that is swapped for the id of another one replaces that one', async (user) => {
    await user.put(user.record('a'));
    await user.put(user.record('b', { tag: 'of b', rank: 9 }), { ttlSeconds: 2 });
    const next = user.record('b', { tag: 'second', value: '"was a"' });
    assert.equal(await user.swap('a', 'other', next), false);
    assert.equal((await user.list()).length, 2);
    assert.equal(await user.swap('a', 'first', next), true);
    assert.deepEqual([await user.find('b'), await user.list()], [next, [next]]);
    await user.pass(2);
    assert.deepEqual(await user.list(), [next]);
  }),

  about('of many that swap a record for another id one does', async (user) => {
    await user.put(user.record('a'));
    const swapped = await atOnce(20, (index) => user.swap('a', 'first', user.record(`n${index}`)));
    assertOneTrue(swapped);
    assert.deepEqual(await user.ids(), [user.name(`n${swapped.indexOf(true)}`)]);
  }),

  about('a record that is removed while it is swapped does not come back', async (user) => {
    await forEach([0, 1, 2, 7, 20], async (removedAt) => {
      await user.put(user.record('a', { tag: '0' }));
      const done = await atOnce(21, (index) => {
        if (index === removedAt) return user.remove('a');
        const next = user.record(index === 5 ? 'b' : 'a', { tag: `${(index + 1) % 3}` });
        return user.swap('a', `${index % 3}`, next);
      });
      const isRemoved = done[removedAt];
      const left = await user.ids();
      // It was removed, or it had got another id before.
      if (isRemoved) assert.deepEqual(left, []);
      else assert.equal(left.length, 1);
      assert.equal(await user.find('a'), null);
      await user.removeAll();
      assert.equal(await user.swap('a', '0', user.record('a')), false);
      assert.deepEqual(await user.list(), []);
    });
  }),

  about('exactly one of many callers removes a record, and no other goes', async (user) => {
    for (const id of ['a', 'b']) await user.put(user.record(id));
    assertOneTrue(await atOnce(50, () => user.remove('a')));
    assert.equal(await user.find('a'), null);
    assert.deepEqual(await user.list(), [user.record('b')]);
    assert.equal(await user.remove('never'), false);
  }),

  about('a record is removed by a tag only while it has that tag', async (user) => {
    const removeBy = (seenTag?: string): Promise<boolean> =>
      user.store.remove({ ...user.of, id: user.name('a') }, seenTag);
    assert.equal(await removeBy('first'), false);
    await user.put(user.record('a'));
    assert.equal(await removeBy('other'), false);
    assert.deepEqual(await user.list(), [user.record('a')]);
    await user.swap('a', 'first', user.record('a', { tag: 'second' }));
    assert.equal(await removeBy('first'), false);
    assertOneTrue(await atOnce(50, () => removeBy('second')));
    assert.deepEqual([await user.find('a'), await user.list()], [null, []]);
    await user.put(user.record('a'));
    assert.equal(await removeBy(), true);
  }),

  about('of callers that swap a record and remove it by its tag one does', async (user) => {
    await forEach([0, 1, 7, 20], async (removedAt) => {
      await user.put(user.record('a'));
      const done = await atOnce(21, (index) =>
        index === removedAt
          ? user.store.remove({ ...user.of, id: user.name('a') }, 'first')
          : user.swap('a', 'first', user.record('a', { tag: `t${index}` })),
      );
      assertOneTrue(done);
      assert.equal((await user.list()).length, done[removedAt] === true ? 0 : 1);
    });
  }),

  about('removing all names the records of one owner but the excepted one', async (user) => {
    const other = { kind: KIND, owner: user.name('other'), record: user.record('x') };
    await user.store.put({ ...other, ttlSeconds: 600 });
    for (const word of WORDS) await user.put(user.record(word));
    const except = user.name('a:b');
    const others = WORDS.map(user.name).filter((id) => id !== except);
    const gone = (await atOnce(5, () => user.removeAll(except))).flat();
    assert.deepEqual(gone.toSorted(), others.toSorted());
    await forEach(others, async (id) => {
      assert.equal(await user.store.find({ ...user.of, id }), null);
    });
    assert.deepEqual(await user.list(), [user.record('a:b')]);
    assert.deepEqual(await user.removeAll(user.name('never')), [except]);
    assert.deepEqual([await user.removeAll(), await user.list()], [[], []]);
    assert.deepEqual(await user.store.list(other), [other.record]);
  }),

  about(
    'of records that are put while all are removed each is named once or stays',
    async (user) => {
      await user.put(user.record('r0'));
      const put = atOnce(10, (index) =>
        user.put(user.record(`r${index + 1}`, { rank: index }), { most: 3 }),
      );
      const removed = (await atOnce(3, () => user.removeAll())).flat();
      const gone = [...removed, ...(await put).flatMap((result) => result.gone)];
      const left = await user.ids();
      assert.ok(left.length <= 3);
      const all = Array.from({ length: 11 }, (_, index) => user.name(`r${index}`));
      assert.deepEqual([...gone, ...left].toSorted(), all.toSorted());
    },
  ),
];

/** Checks of `RecordStore`: how many records stay, in which order, and how long. */
export const recordLifeChecks: readonly StoreCheck[] = [
  about(
    'records are listed by rank, the lowest first, and those of one rank by id',
    async (user) => {
      assert.deepEqual(await user.list(), []);
      const ranks = { b: 200.5, c: 1.7e12, d: -3, e: 0, f: 200.25, g: 10, h: 9 };
      for (const [id, rank] of Object.entries(ranks)) await user.put(user.record(id, { rank }));
      assert.deepEqual(await user.ids(), ['d', 'e', 'h', 'g', 'f', 'b', 'c'].map(user.name));
      assert.deepEqual(
        (await user.list()).map(({ rank }) => rank),
        [-3, 0, 9, 10, 200.25, 200.5, 1.7e12],
      );
      await user.put(user.record('d', { rank: 100 }));
      assert.equal(await user.swap('c', 'first', user.record('c', { rank: -1 })), true);
      assert.deepEqual(await user.ids(), ['c', 'e', 'h', 'g', 'd', 'f', 'b'].map(user.name));
      await user.removeAll();
      for (const id of ['bb', 'a', '😀', 'c', '～', 'B']) await user.put(user.record(id));
      assert.deepEqual(await user.ids(), ['B', 'a', 'bb', 'c', '～', '😀'].map(user.name));
    },
  ),

  about('beyond the ceiling the lowest ranks go, and are named', async (user) => {
    const foreign = { kind: KIND, owner: user.name('other'), record: user.record('x') };
    await user.store.put({ ...foreign, ttlSeconds: 600 });
    for (const [id, rank] of Object.entries({ b: 30, a: 10, c: 20 }))
      await user.put(user.record(id, { rank }));
    assert.deepEqual(await user.goneWith('d', 40, 3), ['a']);
    assert.deepEqual([await user.find('a'), await user.remove('a')], [null, false]);
    assert.deepEqual(await user.goneWith('e', 50, 2), ['b', 'c']);
    // The new record stays, however low its rank is.
    assert.deepEqual(await user.goneWith('f', 5, 2), ['d']);
    assert.deepEqual(await user.ids(), ['f', 'e'].map(user.name));
    // A record that only replaces itself removes no other.
    assert.deepEqual(await user.goneWith('f', 60, 2), []);
    assert.deepEqual(await user.goneWith('e', 1, 1), ['f']);
    assert.deepEqual(await user.ids(), [user.name('e')]);
    assert.deepEqual(await user.store.list(foreign), [foreign.record]);
  }),

  about('of the same rank the lowest id in bytes goes first', async (user) => {
    for (const id of ['b', '😀', '～', 'a']) await user.put(user.record(id, { rank: 7 }));
    assert.deepEqual(await user.goneWith('A', 7, 3), ['a', 'b']);
    assert.deepEqual(await user.goneWith('c', 7, 2), ['A', '～']);
    assert.deepEqual(await user.ids(), ['c', '😀'].map(user.name));
  }),

  about('without a ceiling all stay', async (user) => {
    for (let index = 0; index < 30; index += 1)
      assert.deepEqual(await user.put(user.record(`r${index}`)), PUT);
    assert.equal((await user.list()).length, 30);
  }),

  about(
    'of many that are put at once the most stay, and each other is named once',
    async (user) => {
      const puts = await atOnce(20, (index) =>
        user.put(user.record(`r${index}`, { rank: index }), { most: 5 }),
      );
      const gone = puts.flatMap((result) => result.gone);
      const left = await user.ids();
      assert.deepEqual([gone.length, left.length], [15, 5]);
      const all = Array.from({ length: 20 }, (_, index) => user.name(`r${index}`));
      assert.deepEqual([...gone, ...left].toSorted(), all.toSorted());
      const found = await atOnce(20, (index) => user.find(`r${index}`));
      assert.deepEqual(found.flatMap((one) => one?.id ?? []).toSorted(), left.toSorted());
    },
  ),

  about('many that put the same record at once leave one', async (user) => {
    await user.put(user.record('other'));
    const puts = await atOnce(20, (index) =>
      user.put(user.record('a', { tag: `t${index}`, rank: index }), { most: 2 }),
    );
    assert.deepEqual(
      puts.flatMap((result) => result.gone),
      [],
    );
    assert.equal((await user.list()).length, 2);
    // Each record was replaced by one other, except the last.
    const tags = puts.map(({ replaced }) => replaced?.tag ?? 'none');
    const left = (await user.find('a'))?.tag ?? '';
    const all = Array.from({ length: 20 }, (_, index) => `t${index}`);
    assert.deepEqual([...tags, left].toSorted(), ['none', ...all].toSorted());
  }),

  about('a record that is put only while there is none leaves the one there is', async (user) => {
    const first = user.record('a');
    assert.deepEqual(await user.put(first, { ifNone: true }), PUT);
    await forEach(['a', 'b'], async (id) => {
      const refused = await user.put(user.record(id, { tag: 'second' }), {
        ifNone: true,
        most: 1,
        ttlSeconds: 1,
      });
      assert.deepEqual(refused, { isPut: false, gone: [], replaced: null });
    });
    await user.pass(1);
    assert.deepEqual(await user.list(), [first]);
    assert.deepEqual(await user.put(user.record('b'), { ifNone: false }), PUT);
    await user.removeAll();
    assert.deepEqual(await user.put(user.record('c'), { ifNone: true, ttlSeconds: 1 }), PUT);
    await user.pass(1);
    assert.deepEqual(await user.put(first, { ifNone: true }), PUT);
    assert.deepEqual(await user.list(), [first]);
  }),

  about('of many first records that are put at once one is written', async (user) => {
    const puts = await atOnce(50, (index) =>
      user.put(user.record(`r${index % 10}`, { tag: `t${index}` }), { ifNone: true }),
    );
    const written = puts.map(({ isPut }) => isPut);
    assertOneTrue(written);
    const [kept, ...more] = await user.list();
    assert.deepEqual([kept?.tag, more], [`t${written.indexOf(true)}`, []]);
  }),

  about(
    'each record ends when its own time is up, and one without an end lives on',
    async (user) => {
      await user.put(user.record('short', { rank: 99 }), { ttlSeconds: 4 });
      await user.put(user.record('long'), { ttlSeconds: 600 });
      await user.put(user.record('endless'), { ttlSeconds: null });
      await user.pass(1);
      assert.equal((await user.list()).length, 3);
      assert.deepEqual(await user.find('short'), user.record('short', { rank: 99 }));
      await user.pass(3);
      assert.deepEqual(await user.ids(), ['endless', 'long'].map(user.name));
      assert.equal(await user.find('short'), null);
      assert.equal(await user.swap('short', 'first', user.record('short')), false);
      assert.equal(await user.swap('short', 'first', user.record('other')), false);
      assert.equal(await user.remove('short'), false);
      assert.deepEqual(await user.removeAll(), ['endless', 'long'].map(user.name));
    },
  ),

  about('a record whose time is up takes no place, and is not named', async (user) => {
    await user.put(user.record('over', { rank: 99 }), { ttlSeconds: 1 });
    await user.put(user.record('over too', { rank: -99 }), { ttlSeconds: 1 });
    await user.put(user.record('a', { rank: 1 }));
    await user.pass(1);
    assert.deepEqual(await user.goneWith('b', 2, 2), []);
    assert.deepEqual(await user.ids(), ['a', 'b'].map(user.name));
    assert.deepEqual(await user.goneWith('c', 3, 1), ['a', 'b']);
    assert.deepEqual(await user.removeAll(), [user.name('c')]);
  }),

  about('a swap gives a record the life that it names', async (user) => {
    for (const id of ['kept', 'cut', 'freed', 'moved']) {
      const ttlSeconds = id === 'cut' ? null : 4;
      await user.put(user.record(id), { ttlSeconds });
    }
    await user.pass(1);
    assert.equal(await user.swap('cut', 'first', user.record('cut'), 1), true);
    assert.equal(await user.swap('freed', 'first', user.record('freed'), null), true);
    assert.equal(await user.swap('moved', 'first', user.record('other id'), 600), true);
    await user.pass(3);
    assert.deepEqual(await user.ids(), ['freed', 'other id'].map(user.name));
  }),
];

/** Returns the calls for the records of one owner and kind. */
export function setUpRecords({ store: { records: store }, name, pass }: CheckContext) {
  const of = { kind: KIND, owner: name(`user: "it's"`) };
  const record = (id: string, changes: Partial<StoredRecord> = {}): StoredRecord => ({
    ...{ id: name(id), tag: 'first', rank: 1, value: `{"label":"Firefox on Linux"}` },
    ...changes,
  });
  const put = (one: StoredRecord, options: Partial<RecordPut> = {}): Promise<PutResult> =>
    store.put({ ...of, record: one, ttlSeconds: 600, ...options });
  const list = (): Promise<readonly StoredRecord[]> => store.list(of);
  return {
    ...{ store, name, pass, of, record, put, list },
    ids: async () => (await list()).map(({ id }) => id),
    find: (id: string) => store.find({ ...of, id: name(id) }),
    swap: (id: string, seenTag: string, next: StoredRecord, ttlSeconds: number | null = 600) =>
      store.swap({ ...of, id: name(id) }, seenTag, next, ttlSeconds),
    remove: (id: string) => store.remove({ ...of, id: name(id) }),
    /** Returns the ids of removed records, in the order of bytes. */
    removeAll: async (except?: string) => (await store.removeAll(of, except)).toSorted(),
    /** Puts a record and returns the ids of those removed beyond the ceiling. */
    goneWith: async (id: string, rank: number, most: number) => {
      const { isPut, gone } = await put(record(id, { rank }), { most });
      assert.equal(isPut, true);
      return gone.map((one) => one.slice(0, one.indexOf(':'))).toSorted();
    },
  };
}

function toJson(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.map((word) => JSON.stringify(word)));
}
