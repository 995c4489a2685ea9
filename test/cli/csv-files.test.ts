import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { type CsvRecord, readRecords, toCsvLine } from '../../src/cli/lookups/csv-files';

async function parse(text: string, pieceSize = text.length || 1): Promise<readonly CsvRecord[]> {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieceSize) pieces.push(text.slice(at, at + pieceSize));
  const records: CsvRecord[] = [];
  for await (const record of readRecords(pieces)) records.push(record);
  return records;
}

const fieldsOf = async (text: string): Promise<unknown> =>
  (await parse(text)).map(({ fields }) => fields);

describe('a CSV file', () => {
  it.each([
    [
      'plain',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'CRLF',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['lone CR', 'a\r1\r', [['a'], ['1']]],
    ['without a last line break', 'a\n1', [['a'], ['1']]],
    ['with a byte order mark', '\uFEFFa\n1', [['a'], ['1']]],
    [
      'with quoted commas, line breaks and marks',
      '"a,b","c\r\nd","e""f"\n',
      [['a,b', 'c\nd', 'e"f']],
    ],
    [
      'with empty fields',
      ',,\n"",\n',
      [
        ['', '', ''],
        ['', ''],
      ],
    ],
    ['with empty lines', '\n\na\n\r\n1\n\n', [['a'], ['1']]],
    ['with a mark within a field', 'a"b,c\n', [['a"b', 'c']]],
    ['with text after a closing mark', '"a"b,c\n', [['"a"b', 'c']]],
  ])('%s', async (_title, text, fields) => {
    expect(await fieldsOf(text)).toEqual(fields);
  });

  it('numbers each record by the line it begins on, also after quoted line breaks', async () => {
    for (const pieceSize of [1, 100]) {
      const records = await parse('a\n"b\r\nb"\n\nc\r\nd\re', pieceSize);
      expect(records.map(({ line }) => line)).toEqual([1, 2, 5, 6, 7]);
    }
  });

  it('has no fields for a record without its last quotation mark', async () => {
    expect(await parse('a\n"b\nc')).toEqual([
      { line: 1, fields: ['a'] },
      { line: 2, fields: [] },
    ]);
  });

  it.each([
    ['plain', 'x,'.repeat(500_000), 1_000],
    ['quoted', `"${'x'.repeat(1_000_000)}"`, 1_000],
    ['with an open quotation mark', `"${'x'.repeat(1_000_000)}`, 1_000],
    ['in one piece', 'x'.repeat(1_000_000), 2_000_000],
  ])(
    'has no fields for a line of 1 MB, %s, and goes on after it',
    async (_title, line, pieceSize) => {
      const text = `a,b\n${line}\n1,2\r\n${line}\r\n3,4\n`;
      expect(await parse(text, pieceSize)).toEqual([
        { line: 1, fields: ['a', 'b'] },
        { line: 2, fields: [] },
        { line: 3, fields: ['1', '2'] },
        { line: 4, fields: [] },
        { line: 5, fields: ['3', '4'] },
      ]);
    },
  );

  it('has no fields for a line of 1 MB at the end of the file', async () => {
    expect(await parse(`a\n${'x'.repeat(1_000_000)}`)).toEqual([
      { line: 1, fields: ['a'] },
      { line: 2, fields: [] },
    ]);
  });

  it('yields the same records in pieces of any size', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ',', '"', '\n', '\r', 'ł'),
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (csv, size) => {
        expect(await parse(csv, size)).toEqual(await parse(csv));
      }),
    );
  });
});

describe('a line that is written', () => {
  it('is read back as it was, line breaks and control characters aside', async () => {
    const fields = fc.array(
      fc.string({ unit: fc.constantFrom('a', ',', '"', ' ', '1'), maxLength: 9 }),
      {
        minLength: 2,
        maxLength: 5,
      },
    );
    await fc.assert(
      fc.asyncProperty(fields, async (values) => {
        expect(await fieldsOf(toCsvLine(values))).toEqual([values.map((value) => value.trim())]);
      }),
    );
  });

  it.each([
    ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ['+cmd', "'+cmd"],
    ['@SUM(1)', "'@SUM(1)"],
    ['-2+3', "'-2+3"],
    ['\uff1dSUM(1)', "'\uff1dSUM(1)"],
    ['\uff0bcmd', "'\uff0bcmd"],
    ['\uff0d2', "'\uff0d2"],
    ['\uff20SUM(1)', "'\uff20SUM(1)"],
    ['Tel; =1+1;-2+3', `"Tel; '=1+1;'-2+3"`],
    ['Tel;"=1+1"', `"Tel;""'=1+1"""`],
    ['Tel; Mobil', '"Tel; Mobil"'],
    ['+12025550123', '+12025550123'],
    ['-1.5', '-1.5'],
    ['a\r\nb', 'a  b'],
  ])('makes no formula and no second line of %j', (value, line) => {
    expect(toCsvLine([value])).toBe(`${line}\n`);
  });
});
