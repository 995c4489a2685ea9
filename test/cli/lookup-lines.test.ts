import { writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import {
  type InputNumbers,
  openResultFile,
  readDoneNumbers,
  readInputNumbers,
  type Result,
  toJsonLine,
} from '../../src/cli/lookups/line-files';
import { makeFolder } from './support/files';

const RESULT: Result = {
  phone: '+447700900110',
  status: 'valid',
  advancedStatus: null,
  country: 'Österreich 😀',
  operator: 'A "mobile" one',
  mcc: '234',
  mnc: '15',
  cost: '0.0060',
  error: null,
};

/** Reads the bytes as standard input, in pieces of this size. */
function read(text: string, pieceSize = 1_000): Promise<InputNumbers> {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceSize) }, (_piece, index) =>
    bytes.subarray(index * pieceSize, (index + 1) * pieceSize),
  );
  return readInputNumbers(Readable.from(pieces));
}

describe('one number a line', () => {
  it.each([
    ['plain', '+447700900110\n+447700900111\n'],
    ['CRLF', '+447700900110\r\n+447700900111\r\n'],
    ['without a last line break', '+447700900110\n+447700900111'],
    ['with a byte order mark', '\uFEFF+447700900110\n+447700900111\n'],
    ['with empty lines', '\n\n+447700900110\n\r\n  \n+447700900111\n\n'],
    ['with signs that people write', ' +44 7700 900110\t\n(+44) 7700-900.111\n'],
  ])('%s', async (_title, text) => {
    const mobiles = ['+447700900110', '+447700900111'];
    for (const pieceSize of [1, 7, 1_000])
      expect(await read(text, pieceSize)).toEqual({ mobiles, invalidLines: [], duplicates: 0 });
  });

  it('names the lines without one, or without its plus, and counts a number that is there twice', async () => {
    const text =
      'phone\n\n+447700900110\n447700900110\n+44 7700 900110\n٤٤٧٧٠٠٩٠٠١١٤\nAnn,+447700900111\n';
    for (const pieceSize of [1, 3, 1_000]) {
      expect(await read(text, pieceSize)).toEqual({
        mobiles: ['+447700900110'],
        invalidLines: [1, 4, 6, 7],
        duplicates: 1,
      });
    }
  });

  it('has none in a line of 1 MB, which is not kept, and goes on after it', async () => {
    for (const line of ['1'.repeat(1_000_000), `+447700900111${' '.repeat(1_000_000)}x`]) {
      expect(await read(`+447700900110\n${line}\n+447700900112\n${line}`)).toEqual({
        mobiles: ['+447700900110', '+447700900112'],
        invalidLines: [2, 4],
        duplicates: 0,
      });
    }
  });

  it.each([
    ['', 'The input is empty.'],
    ['\n \r\n', 'The input is empty.'],
    ['name,phone\nAnn,+447700900110\n', 'No line of the input is a number.'],
  ])('is missing in %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});

describe('a line of the output', () => {
  it('is the result as JSON, the number first', () => {
    const line = toJsonLine(RESULT);
    expect(JSON.parse(line)).toEqual(RESULT);
    expect(line).toMatch(/^\{"phone":"\+447700900110","status":"valid",.*\}\n$/);
  });

  it('neither breaks nor controls a terminal', () => {
    const line = toJsonLine({ ...RESULT, operator: 'a\r\nb\u001b[2J\u202ec\u009bd' });
    expect(JSON.parse(line)).toMatchObject({ operator: 'a  b [2J c d' });
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe('an output whose last line was cut off', () => {
  const first = toJsonLine({ ...RESULT, phone: '+447700900100' });
  const last = toJsonLine(RESULT);

  it('at any byte keeps what is whole, and is whole again', async () => {
    const bytes = Buffer.from(first + last);
    const folder = makeFolder();
    const path = `${folder.path}/out.jsonl`;
    for (let length = 0; length <= bytes.length; length += 1) {
      writeFileSync(path, bytes.subarray(0, length));
      const done = await readDoneNumbers(path);
      // All but the line break is there: the number need not be paid for again.
      const firstIsThere = length >= Buffer.byteLength(first) - 1;
      const lastIsThere = length >= bytes.length - 1;
      expect([length, ...done]).toEqual([
        length,
        ...(firstIsThere ? ['+447700900100'] : []),
        ...(lastIsThere ? ['+447700900110'] : []),
      ]);
      const rest = (firstIsThere ? first : '') + (lastIsThere ? last : '');
      expect(folder.read('out.jsonl')).toBe(rest);
    }
  });

  it('and is then appended to', async () => {
    const folder = makeFolder();
    const path = `${folder.path}/out.jsonl`;
    folder.write('out.jsonl', first + last.slice(0, 30));
    await readDoneNumbers(path);
    const file = openResultFile(path);
    file.add(RESULT);
    file.close();
    expect(folder.read('out.jsonl')).toBe(first + last);
  });
});
