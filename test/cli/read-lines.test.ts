import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readLines } from '../../src/cli/read-lines';

/** Reads the bytes as standard input, in pieces of this size. */
async function read(text: string, pieceSize = 1_000): Promise<readonly string[]> {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceSize) }, (_piece, index) =>
    bytes.subarray(index * pieceSize, (index + 1) * pieceSize),
  );
  const lines: string[] = [];
  for await (const line of readLines(Readable.from(pieces))) lines.push(line);
  return lines;
}

describe('lines that arrive in pieces', () => {
  it.each([
    ['plain', '+447700900110\n+447700900111\n', ['+447700900110', '+447700900111']],
    ['without a last line break', 'a\nb', ['a', 'b']],
    ['with an empty line', 'a\n\nb\n', ['a', '', 'b']],
    ['of several bytes a character', '٠٥٠١\n😀\n', ['٠٥٠١', '😀']],
    ['of nothing', '', []],
  ])('%s', async (_title, text, lines) => {
    for (const pieceSize of [1, 3, 7, 1_000]) expect(await read(text, pieceSize)).toEqual(lines);
  });

  it('of 1 MB are not kept, and the next line is read', async () => {
    for (const line of ['1'.repeat(1_000_000), `+447700900111${' '.repeat(1_000_000)}x`]) {
      const isLong = expect.stringMatching(/^too long.{0,1024}$/);
      expect(await read(`a\n${line}\nb\n${line}`)).toEqual(['a', isLong, 'b', isLong]);
    }
  });
});
