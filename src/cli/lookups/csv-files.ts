import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { readFile, stat, truncate } from 'node:fs/promises';
import type { Info, Parser } from 'csv-parse';
import { readFields } from '../../errors';
import { cleanText, findMobile, toFileFailure } from '../command';
import { CommandFailure } from '../failures';

/** One record of a CSV file (RFC 4180). */
export interface CsvRecord {
  /** The line it begins on, from 1. */
  readonly line: number;
  /** Empty for a broken record: it is too long, or its last quotation mark is missing. */
  readonly fields: readonly string[];
}

const PARSE_OPTIONS = {
  ...{ bom: true, info: true, record_delimiter: '\n', skip_empty_lines: true },
  ...{ relax_column_count: true, relax_quotes: true, skip_records_with_error: true },
  /** In bytes. A longer record lacks a quotation mark, or the file is not CSV. */
  max_record_size: 65_536,
};

interface ParsedRecord {
  readonly info: Info;
  readonly record: readonly string[];
}

/**
 * Parses CSV as it arrives, in pieces of any size. Empty lines are left out; a broken record has no
 * fields.
 */
export async function* readRecords(
  chunks: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<CsvRecord> {
  // Only files need it.
  const { parse } = await import('csv-parse');
  const errors: unknown[] = [];
  const start = (): Parser =>
    parse({ ...PARSE_OPTIONS, on_skip: (error) => void errors.push(error) });
  let parser = start();
  let lineOffset = 0;
  let lastLine = 0;

  function toRecord({ info, record }: ParsedRecord): CsvRecord {
    lastLine = lineOffset + info.lines;
    return { line: lastLine - (record.join().split('\n').length - 1), fields: record };
  }

  for await (const piece of splitLines(chunks)) {
    if (errors.length === 0) parser.write(piece);
    // With `info` the parser returns such objects; what is written is parsed at once.
    for (let next; (next = parser.read() as ParsedRecord | null) !== null;) yield toRecord(next);
    if (errors.length === 0 || !piece.endsWith('\n')) continue;
    // csv-parse drops everything after a record that is too long, so a new parser begins with the
    // next line.
    yield { line: lastLine + 1, fields: [] };
    lineOffset += parser.info.lines;
    lastLine = lineOffset;
    errors.length = 0;
    parser = start();
  }
  parser.end();
  // As above.
  for await (const last of parser) yield toRecord(last as ParsedRecord);
  if (errors.length > 0) yield { line: lastLine + 1, fields: [] };
}

/**
 * Splits at line breaks and writes each one as `\n`: csv-parse counts a quoted `\r\n` as two lines.
 */
async function* splitLines(
  chunks: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string> {
  let endsWithReturn = false;
  for await (const chunk of chunks) {
    const text = endsWithReturn ? chunk.replace(/^\n/, '') : chunk;
    endsWithReturn = chunk.endsWith('\r');
    if (text !== '') yield* text.replaceAll(/\r\n?/g, '\n').split(/(?<=\n)/);
  }
}

/** The numbers of a CSV file. */
export interface InputNumbers {
  /** E.164 with plus, each once, in the order of the file. */
  readonly mobiles: readonly string[];
  /** Lines without a usable number, from 1. */
  readonly invalidLines: readonly number[];
  readonly duplicates: number;
}

/** They are held in memory, and looking up more takes days. */
const MAX_NUMBERS = 1_000_000;

/** @throws {CommandFailure} when the file has no such column, or too many numbers. */
export async function readInputNumbers(
  path: string,
  column: string | undefined,
): Promise<InputNumbers> {
  const mobiles = new Set<string>();
  const invalidLines: number[] = [];
  let duplicates = 0;
  let index: number | null = null;
  for await (const { line, fields } of readRecords(readChunks(path))) {
    if (index === null) {
      index = findColumn(fields, column);
      continue;
    }
    const mobile = findMobile(fields[index] ?? '');
    if (mobile === null) invalidLines.push(line);
    else if (mobiles.has(mobile)) duplicates += 1;
    else mobiles.add(mobile);
    if (mobiles.size > MAX_NUMBERS) {
      throw new CommandFailure('The file has more than 1,000,000 numbers.', 'Split it.');
    }
  }
  if (index === null) throw new CommandFailure('The file is empty.');
  return { mobiles: [...mobiles], invalidLines, duplicates };
}

async function* readChunks(path: string): AsyncGenerator<string> {
  // With an encoding the chunks are strings.
  const chunks: AsyncIterable<string> = createReadStream(path, 'utf8');
  try {
    yield* chunks;
  } catch (error) {
    throw toFileFailure('read', error);
  }
}

/** Names of the column when the user passes none. */
const USUAL_NAMES = ['phone', 'mobile', 'number', 'msisdn', 'phone_number', 'phonenumber'];

function findColumn(header: readonly string[], wanted: string | undefined): number {
  const names = header.map((name) => name.trim().toLowerCase());
  const searched = wanted === undefined ? USUAL_NAMES : [wanted.toLowerCase()];
  const found = searched.find((name) => names.includes(name));
  if (found !== undefined) return names.indexOf(found);
  if (wanted !== undefined) {
    // Without a header the first line is personal data: what has many digits or an @ is not the
    // name of a column.
    const known = header.map(cleanText).filter((name) => name !== '' && !/@|(\d\D*){6}/.test(name));
    throw new CommandFailure(
      'The file has no such column.',
      `It has: ${known.slice(0, 20).join(', ') || 'no names'}.`,
    );
  }
  throw new CommandFailure(
    'The first line names no column of phone numbers.',
    'Name the column with --column.',
  );
}

/** One row of the output; the phone is E.164 with plus. */
export type Result = Readonly<Record<(typeof RESULT_FIELDS)[number], string | null>>;

const NETWORK_FIELDS = ['country', 'operator', 'mcc', 'mnc'] as const;
const RESULT_FIELDS = [
  'phone',
  'status',
  'advancedStatus',
  ...NETWORK_FIELDS,
  'cost',
  'error',
] as const;

/** `advanced_status` for `advancedStatus`. */
const RESULT_HEADER = RESULT_FIELDS.map((field) => field.replace(/(?=[A-Z])/, '_').toLowerCase());

/**
 * Returns the numbers that the file already has. A missing file has none. @throws {CommandFailure}
 * for any other file.
 */
export async function readDoneNumbers(path: string): Promise<ReadonlySet<string>> {
  const bytes = await readBytes(path);
  if (bytes === null || bytes.length === 0) return new Set();
  const rows: (readonly string[])[] = [];
  for await (const { fields } of readRecords([bytes.toString()])) rows.push(fields);
  if (rows[0]?.join() !== RESULT_HEADER.join()) {
    throw new CommandFailure(
      'The output file exists and is not a list of lookups.',
      'Choose another one.',
    );
  }
  const isWhole = bytes.at(-1) === LINE_FEED;
  // A killed run may have left half a line: it is removed, and its number is looked up again.
  if (!isWhole) await truncate(path, bytes.lastIndexOf(LINE_FEED) + 1);
  return new Set(
    rows.slice(1, isWhole ? undefined : -1).flatMap(([phone = '']) => findMobile(phone) ?? []),
  );
}

const LINE_FEED = 0x0a;

async function readBytes(path: string): Promise<Buffer | null> {
  try {
    // A device may have no end.
    if (!(await stat(path)).isFile()) throw new CommandFailure('The output must be a file.');
    return await readFile(path);
  } catch (error) {
    if (readFields(error).code === 'ENOENT') return null;
    if (error instanceof CommandFailure) throw error;
    throw toFileFailure('read', error);
  }
}

/**
 * Opens the file that results are appended to; a new one gets a header. One write a row: the file
 * is always whole.
 */
export function openResultFile(path: string, isNew: boolean) {
  // Phone numbers are personal data: only the owner may read the file.
  const file = tryToWrite(() => openSync(path, isNew ? 'w' : 'a', 0o600));
  const write = (fields: readonly (string | null)[]): void =>
    void tryToWrite(() => writeSync(file, toCsvLine(fields)));
  if (isNew) write(RESULT_HEADER);
  return {
    add: (result: Result): void => write(RESULT_FIELDS.map((field) => result[field])),
    close: (): void => closeSync(file),
  };
}

function tryToWrite(access: () => number): number {
  try {
    return access();
  } catch (error) {
    throw toFileFailure('written', error);
  }
}

/** Formats a record as one line. No field breaks the line, and none is run as a formula. */
export function toCsvLine(fields: readonly (string | null)[]): string {
  return `${fields.map(toField).join(',')}\n`;
}

function toField(value: string | null): string {
  const text = guardFormula(cleanText(value));
  return /[",;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Spreadsheets run strings that begin like this, except plain numbers. Where the decimal sign is a
 * comma they begin a field after each semicolon, whatever is quoted. OWASP, CSV injection.
 */
function guardFormula(text: string): string {
  if (/^[+-]?[0-9.]+$/.test(text)) return text;
  return text.replace(/(?=[=+@\-\uFF1D\uFF0B\uFF20\uFF0D])(?<=^|;["'\s]*)/g, "'");
}
