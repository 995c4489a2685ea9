import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { CsvParser, type CsvRecord, toCsvLine } from '../../src/cli/lookups/csv-files';

function parse(text: string, pieceSize = text.length || 1): readonly CsvRecord[] {
  const parser = new CsvParser();
  const records: CsvRecord[] = [];
  for (let at = 0; at < text.length; at += pieceSize)
    records.push(...parser.push(text.slice(at, at + pieceSize)));
  return [...records, ...parser.end()];
}

const fieldsOf = (text: string): unknown => parse(text).map(({ fields }) => fields);

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
    ['with quoted commas, line breaks and marks', '"a,b","c\r\nd","e""f"\n', [['a,b', 'c\nd', 'e"f']]],
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
    ['with text after a closing mark', '"a"b,c\n', [['ab', 'c']]],
  ])('%s', (_title, text, fields) => {
    expect(fieldsOf(text)).toEqual(fields);
  });

  it('has lines by their number, also after quoted line breaks', () => {
    const lines = parse('a\n"b\nb"\n\nc\r\nd').map(({ line }) => line);
    expect(lines).toEqual([1, 2, 5, 6]);
  });

  it('marks a record without its last quotation mark', () => {
    expect(parse('a\n"b\nc').map(({ isBroken }) => isBroken)).toEqual([false, true]);
  });

  it('marks a line of 1 MB, keeps little of it, and goes on after it', () => {
    const records = parse(`a,b\n${'x,'.repeat(500_000)}\n1,2\n`, 1_000);
    expect(records.map(({ line, isBroken }) => [line, isBroken])).toEqual([
      ...[
        [1, false],
        [2, true],
        [3, false],
      ],
    ]);
    expect(records[1]?.fields.join().length).toBeLessThan(70_000);
    expect(records[2]?.fields).toEqual(['1', '2']);
  });

  it('is the same in pieces of any size', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', 'ł'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 7 }), (csv, size) => {
        expect(parse(csv, size)).toEqual(parse(csv));
      }),
    );
  });
});

describe('a line that is written', () => {
  it('is read back as it was, line breaks and control characters aside', () => {
    const fields = fc.array(fc.string({ unit: fc.constantFrom('a', ',', '"', ' ', '1'), maxLength: 9 }), {
      minLength: 2,
      maxLength: 5,
    });
    fc.assert(
      fc.property(fields, (values) => {
        expect(fieldsOf(toCsvLine(values))).toEqual([values.map((value) => value.trim())]);
      }),
    );
  });

  it.each([
    ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ['+cmd', "'+cmd"],
    ['@SUM(1)', "'@SUM(1)"],
    ['-2+3', "'-2+3"],
    ['+12025550123', '+12025550123'],
    ['-1.5', '-1.5'],
    ['a\r\nb', 'a  b'],
  ])('makes no formula and no second line of %j', (value, line) => {
    expect(toCsvLine([value])).toBe(`${line}\n`);
  });
});
