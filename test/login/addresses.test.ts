import { expect, it } from '@jest/globals';
import { maskAddress, toEnding } from '../../src/core/addresses';

it.each([
  ['a number', '+12025550123', '23', '•• •• 23'],
  ['an email address', 'alice@example.org', 'a@example.org', 'a•••@example.org'],
  ['one of a single character', 'a@example.org', 'a@example.org', 'a•••@example.org'],
  ['one that begins with an emoji', '😀b@example.org', '😀@example.org', '😀•••@example.org'],
  ['a name that begins with @', '@alice:example.org', 'rg', '•• •• rg'],
  ['two @', '"a@b"@example.org', 'rg', '•• •• rg'],
  ['another address', 'user-4711', '11', '•• •• 11'],
  ['two emojis', 'xy😀😀', '😀😀', '•• •• 😀😀'],
])('of %s a page and a session show a part', (_what, address, ending, masked) => {
  expect(toEnding(address)).toBe(ending);
  expect(maskAddress(address)).toBe(masked);
  // A session keeps the ending, and a page masks it.
  expect(maskAddress(ending)).toBe(masked);
});

it('of no address is empty', () => {
  expect(toEnding('')).toBe('');
});
