import assert from 'node:assert/strict';
import { factsOf, type StoreFact } from './context';

const about = factsOf('notes');

/** `NoteStore`. */
export const noteContract: readonly StoreFact[] = [
  about('a note is read as it was written, and the last write wins', async (notes, { name }) => {
    assert.equal(await notes.read(name('a')), null);
    await notes.write(name('b'), 'other', 600);
    for (const text of ['', ':', '1:2', 'it\'s {x}\n\\ "ü" 語 😀', 'x'.repeat(4_096), 'ü'.repeat(4_096)]) {
      await notes.write(name('a'), text, 600);
      assert.equal(await notes.read(name('a')), text);
    }
    assert.equal(await notes.read(name('b')), 'other');
  }),

  about('a removed note is gone, and no other note', async (notes, { name }) => {
    await notes.write(name('a'), 'one', 600);
    await notes.write(name('b'), 'other', 600);
    await notes.remove(name('a'));
    await notes.remove(name('a'));
    assert.equal(await notes.read(name('a')), null);
    assert.equal(await notes.read(name('b')), 'other');
  }),

  about('a note is gone when its time is up, and writing it begins its time anew', async (notes, context) => {
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
  }),

  about('a note that is too long, or has no time to live, is refused', async (notes, { name }) => {
    await assert.rejects(notes.write(name('a'), 'x'.repeat(4_097), 600));
    await assert.rejects(notes.write(name('a'), 'x', 0));
    assert.equal(await notes.read(name('a')), null);
  }),
];
