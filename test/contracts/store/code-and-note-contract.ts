import assert from 'node:assert/strict';
import { atOnce, factsOf, type StoreFact } from './context';

const CODES = ['one', 'two', 'three'];

const about = factsOf('recoveryCodes', (codes) => codes);
const aboutNotes = factsOf('notes', (notes) => notes);

/** `RecoveryCodeStore`. */
export const recoveryCodeContract: readonly StoreFact[] = [
  about('each hash is spent once, and the others remain', async (codes, { name }) => {
    const user = name('user');
    assert.equal(await codes.count(user), 0);
    assert.deepEqual(await codes.spend(user, 'one'), { isSpent: false, left: 0 });
    assert.equal(await codes.replace(user, CODES), true);
    assert.equal(await codes.count(user), 3);
    assert.deepEqual(await codes.spend(user, 'two'), { isSpent: true, left: 2 });
    assert.deepEqual(await codes.spend(user, 'two'), { isSpent: false, left: 2 });
    assert.deepEqual(await codes.spend(user, 'four'), { isSpent: false, left: 2 });
    assert.deepEqual(await codes.spend(user, 'one'), { isSpent: true, left: 1 });
    assert.deepEqual(await codes.spend(user, 'three'), { isSpent: true, left: 0 });
    assert.equal(await codes.count(user), 0);
  }),

  about('exactly one of many callers spends a hash', async (codes, { name }) => {
    await codes.replace(name('user'), CODES);
    const spent = await atOnce(50, () => codes.spend(name('user'), 'one'));
    assert.equal(spent.filter(({ isSpent }) => isSpent).length, 1);
    assert.ok(spent.every(({ left }) => left === 2));
    assert.equal(await codes.count(name('user')), 2);
  }),

  about('different hashes spent concurrently are all spent', async (codes, { name }) => {
    const hashes = Array.from({ length: 10 }, (_, index) => `hash ${index}`);
    await codes.replace(name('user'), hashes);
    const spent = await Promise.all(hashes.map((hash) => codes.spend(name('user'), hash)));
    // The null is for a store that loses one: no right store returns it.
    const left = spent.map((one) => (one.isSpent ? one.left : null));
    assert.deepEqual(left.sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.equal(await codes.count(name('user')), 0);
  }),

  about("a user's hash is worth nothing to another user", async (codes, { name }) => {
    await codes.replace(name('user'), CODES);
    await codes.replace(name('other'), ['other']);
    assert.deepEqual(await codes.spend(name('other'), 'one'), { isSpent: false, left: 1 });
    assert.deepEqual(await codes.spend(name('user'), 'other'), { isSpent: false, left: 3 });
    assert.equal((await codes.spend(name('user'), 'one')).isSpent, true);
  }),

  about(
    'new hashes replace all earlier ones of that user and of no other',
    async (codes, { name }) => {
      await codes.replace(name('user'), CODES);
      await codes.replace(name('other'), CODES);
      assert.equal(await codes.replace(name('user'), ['new', 'one']), true);
      assert.deepEqual(await codes.spend(name('user'), 'two'), { isSpent: false, left: 2 });
      assert.deepEqual(await codes.spend(name('user'), 'one'), { isSpent: true, left: 1 });
      assert.equal(await codes.replace(name('user'), []), true);
      assert.equal(await codes.replace(name('user'), []), true);
      assert.deepEqual(await codes.spend(name('user'), 'new'), { isSpent: false, left: 0 });
      assert.equal(await codes.count(name('other')), 3);
    },
  ),

  about('the first hashes are written only while the user has none', async (codes, { name }) => {
    const user = name('user');
    const isFirst = true;
    assert.equal(await codes.replace(user, ['a'], { isFirst }), true);
    assert.equal(await codes.replace(user, CODES, { isFirst }), false);
    assert.equal(await codes.replace(user, [], { isFirst }), false);
    assert.deepEqual(await codes.spend(user, 'a'), { isSpent: true, left: 0 });
    assert.equal(await codes.replace(user, [], { isFirst }), true);
    assert.equal(await codes.replace(user, ['b'], { isFirst }), true);
    assert.equal(await codes.replace(user, CODES, { isFirst: false }), true);
    assert.equal(await codes.count(user), 3);
  }),

  about(
    'of many first hashes written concurrently those of one caller remain',
    async (codes, { name }) => {
      const sets = Array.from({ length: 20 }, (_, index) => [`${index} a`, `${index} b`]);
      const written = await Promise.all(
        sets.map((hashes) => codes.replace(name('user'), hashes, { isFirst: true })),
      );
      const winners = sets.filter((_hashes, index) => written[index]);
      assert.equal(winners.length, 1);
      assert.equal(await codes.count(name('user')), 2);
      assert.equal((await codes.spend(name('user'), String(winners[0]?.[0]))).isSpent, true);
    },
  ),

  about('of many concurrent replacements those of one caller remain', async (codes, { name }) => {
    const sets = Array.from({ length: 20 }, (_, index) => [`${index} a`, `${index} b`]);
    await Promise.all(sets.map((hashes) => codes.replace(name('user'), hashes)));
    assert.equal(await codes.count(name('user')), 2);
    const spent = await Promise.all(sets.flat().map((hash) => codes.spend(name('user'), hash)));
    assert.equal(spent.filter(({ isSpent }) => isSpent).length, 2);
  }),

  about(
    'hashes and ids are arbitrary strings, and an empty or repeated hash is refused',
    async (codes, { name }) => {
      const hashes = ['a:b', '$scrypt$x=1,2', "'", '{x}', '"', '\\', 'NULL', 'a,b', 'ü'];
      for (const user of hashes.map(name)) {
        assert.equal(await codes.replace(user, hashes), true);
        for (const hash of hashes) assert.equal((await codes.spend(user, hash)).isSpent, true);
      }
      await assert.rejects(codes.replace(name('user'), ['a', 'a']));
      await assert.rejects(codes.replace(name('user'), ['']));
      assert.equal(await codes.count(name('user')), 0);
    },
  ),
];

/** `NoteStore`. */
export const noteContract: readonly StoreFact[] = [
  aboutNotes(
    'a note is read as it was written, and the last write wins',
    async (notes, { name }) => {
      assert.equal(await notes.read(name('a')), null);
      await notes.write(name('b'), 'other', 600);
      for (const text of [
        '',
        ':',
        '1:2',
        'it\'s {x}\n\\ "ü" 語 😀',
        'x'.repeat(4_096),
        'ü'.repeat(4_096),
      ]) {
        await notes.write(name('a'), text, 600);
        assert.equal(await notes.read(name('a')), text);
      }
      assert.equal(await notes.read(name('b')), 'other');
    },
  ),

  aboutNotes('a removed note is gone, and no other note', async (notes, { name }) => {
    await notes.write(name('a'), 'one', 600);
    await notes.write(name('b'), 'other', 600);
    await notes.remove(name('a'));
    await notes.remove(name('a'));
    assert.equal(await notes.read(name('a')), null);
    assert.equal(await notes.read(name('b')), 'other');
  }),

  aboutNotes(
    'a note is gone when its time is up, and writing it begins its time anew',
    async (notes, context) => {
      const { name } = context;
      await notes.write(name('a'), 'short', 2);
      await notes.write(name('b'), 'short', 2);
      assert.equal(await notes.read(name('a')), 'short');
      await notes.write(name('b'), 'long', 600);
      await context.pass(2);
      assert.equal(await notes.read(name('a')), null);
      assert.equal(await notes.read(name('b')), 'long');
      await notes.write(name('a'), 'again', 600);
      assert.equal(await notes.read(name('a')), 'again');
    },
  ),

  aboutNotes(
    'a note that is too long, or has no time to live, is refused',
    async (notes, { name }) => {
      await assert.rejects(notes.write(name('a'), 'x'.repeat(4_097), 600));
      await assert.rejects(notes.write(name('a'), 'x', 0));
      assert.equal(await notes.read(name('a')), null);
    },
  ),
];
