import assert from 'node:assert/strict';

import type { Count } from '../store';
import { atOnce, fact, windowed, type Bench, type StoreFact } from './fact';

/** `CounterStore`, sentence for sentence; locks have a list of their own. */
export const counterFacts: readonly StoreFact[] = [
  fact('a charge adds one to each counter and answers in their order', async ({ counters, name }) => {
    const [one, other] = [windowed(name('one')), windowed(name('other'))];
    await counters.charge([other]);
    const { refusedBy, counts } = await counters.charge([one, other]);
    assert.equal(refusedBy, null);
    assert.deepEqual(
      counts.map(({ count }) => count),
      [1, 2],
    );
  }),

  fact('a charge of nothing charges nothing', async ({ counters }) => {
    assert.deepEqual(await counters.charge([]), { refusedBy: null, counts: [] });
  }),

  fact('200 charges at once each get a count of their own', async ({ counters, name }) => {
    const charges = await atOnce(200, () => counters.charge([windowed(name('one'))]));
    const counts = charges.map((charge) => charge.counts[0]?.count);
    assert.equal(new Set(counts).size, 200);
    assert.equal(Math.max(...counts.map(Number)), 200);
  }),

  fact('a full counter refuses the charge, and nothing at all is charged', async (bench) => {
    const { counters, name } = bench;
    const free = windowed(name('free'));
    const full = windowed(name('full'), { max: 2 });
    await counters.charge([full]);
    await counters.charge([full]);
    const { refusedBy, counts } = await counters.charge([free, full, windowed(name('new'))]);
    assert.equal(refusedBy, 1);
    assert.deepEqual(
      counts.map(({ count }) => count),
      [0, 2, 0],
    );
    assert.ok(Number(counts[1]?.resetSeconds) > 590, 'a refusal says when the counter falls');
    assert.equal(await countOf(bench, full.key), 2);
    assert.equal(await countOf(bench, free.key), 0);
  }),

  fact('the first of several full counters is named', async ({ counters, name }) => {
    const full = ['a', 'b', 'c'].map((word) => windowed(name(word), { max: 1 }));
    for (const counter of full.slice(1)) await counters.charge([counter]);
    assert.equal((await counters.charge(full)).refusedBy, 1);
  }),

  fact('of 200 charges at once no more pass than the counter holds', async (bench) => {
    const { counters, name } = bench;
    const [before, full, after] = [
      windowed(name('before')),
      windowed(name('full'), { max: 5 }),
      windowed(name('after')),
    ];
    const charges = await atOnce(200, () => counters.charge([before, full, after]));
    assert.equal(charges.filter(({ refusedBy }) => refusedBy === null).length, 5);
    assert.equal(charges.filter(({ refusedBy }) => refusedBy === 1).length, 195);
    for (const { key } of [before, full, after]) assert.equal(await countOf(bench, key), 5);
  }),

  fact('charges that name the same counters in another order do not block each other', async (bench) => {
    const { counters, name } = bench;
    const forth = ['a', 'b', 'c', 'd', 'e', 'f'].map((word) => windowed(name(word)));
    const back = forth.toReversed();
    const charges = await atOnce(60, (index) => counters.charge(index % 2 === 0 ? forth : back));
    assert.ok(charges.every(({ refusedBy }) => refusedBy === null));
    for (const { key } of forth) assert.equal(await countOf(bench, key), 60);
  }),

  fact('a window runs from the first charge and later charges do not move it', async (bench) => {
    const { counters, name } = bench;
    const counter = { key: name('one'), windowSeconds: 3 };
    const charge = async (): Promise<Count | undefined> => (await counters.charge([counter])).counts[0];
    assert.deepEqual(await charge(), { count: 1, resetSeconds: 3, lockedSeconds: 0 });
    await bench.pass(1);
    const second = await charge();
    assert.equal(second?.count, 2);
    assert.ok(Number(second.resetSeconds) < 3);
    await bench.pass(2);
    assert.deepEqual(await charge(), { count: 1, resetSeconds: 3, lockedSeconds: 0 });
  }),

  fact('a counter without window counts on and says no time', async (bench) => {
    const counter = { key: bench.name('one'), windowSeconds: null };
    await bench.counters.charge([counter]);
    await bench.pass(1);
    assert.deepEqual((await bench.counters.charge([counter])).counts, [
      { count: 2, resetSeconds: null, lockedSeconds: 0 },
    ]);
  }),

  fact('clearing sets counters back to nothing, and no others', async (bench) => {
    const { counters, name } = bench;
    const all = ['a', 'b', 'c'].map((word) => windowed(name(word), { max: 1 }));
    await counters.charge(all);
    await counters.clear([name('a'), name('b'), name('never charged')]);
    await counters.clear([]);
    assert.deepEqual(await Promise.all(['a', 'b', 'c'].map((word) => countOf(bench, name(word)))), [0, 0, 1]);
    assert.equal((await counters.charge(all.slice(0, 2))).refusedBy, null);
  }),

  fact('a counter that is only read is never added to, and still refuses when full', async (bench) => {
    const { counters, name } = bench;
    const read = windowed(name('read'), { max: 1, isOnlyRead: true });
    const other = windowed(name('other'));
    assert.deepEqual((await counters.charge([read, other])).counts[0]?.count, 0);
    await counters.charge([windowed(name('read'))]);
    assert.equal((await counters.charge([other, read])).refusedBy, 1);
    assert.equal(await countOf(bench, other.key), 1);
    assert.equal(await countOf(bench, read.key), 1);
  }),

  fact('a counter is exempt while the one that exempts it is above zero', async (bench) => {
    const { counters, name } = bench;
    const tight = windowed(name('tight'), { max: 1, exemptBy: name('proof') });
    const other = windowed(name('other'));
    await counters.charge([tight]);
    assert.equal((await counters.charge([other, tight])).refusedBy, 1);
    await counters.charge([{ key: name('proof'), windowSeconds: null }]);
    const exempt = await counters.charge([other, tight]);
    assert.equal(exempt.refusedBy, null);
    assert.deepEqual(
      exempt.counts.map(({ count }) => count),
      [1, 0],
    );
    await counters.clear([name('proof')]);
    assert.equal((await counters.charge([other, tight])).refusedBy, 1);
    assert.equal(await countOf(bench, tight.key), 1);
  }),

  fact('a charge that could count a counter twice is refused', async (bench) => {
    const counter = windowed(bench.name('one'));
    await assert.rejects(bench.counters.charge([counter, counter]));
    assert.equal(await countOf(bench, counter.key), 0);
  }),
];

async function countOf({ counters }: Bench, key: string): Promise<number | undefined> {
  return (await counters.charge([windowed(key, { isOnlyRead: true })])).counts[0]?.count;
}
