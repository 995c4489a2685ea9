import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { readFile, stat, truncate } from 'node:fs/promises';
import { findMobile, toFileFailure } from '../args/read-values';
import { CommandFailure } from '../failures';
import { cleanText } from '../output/screen';

/** One record of a CSV file (RFC 4180). */
export interface CsvRecord {
  /** The line it begins on, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
  /** True when it is longer than a record can sensibly be, or its last quotation mark is missing: the fields are no good. */
  readonly isBroken: boolean;
}

/** Characters that a record may have; what goes beyond is passed over without being kept. */
const MOST_CHARACTERS = 65_536;

/**
 * Takes a CSV file apart as it arrives: quoted fields, line breaks of any kind, a byte order mark. Lines without anything
 * on them are left out.
 */
export class CsvParser {
  #place: 'start' | 'plain' | 'quoted' | 'closing' = 'start';
  #fields: string[] = [];
  #field = '';
  #size = 0;
  #line = 1;
  #firstLine = 1;
  #isFirst = true;
  #isAfterReturn = false;

  /** The records that this piece completes. */
  push(piece: string): CsvRecord[] {
    const text = this.#isFirst ? piece.replace(/^\uFEFF/, '') : piece;
    this.#isFirst &&= piece === '';
    const records: CsvRecord[] = [];
    for (const character of text) {
      const isSecondHalf = this.#isAfterReturn && character === '\n';
      this.#isAfterReturn = character === '\r';
      if (isSecondHalf) continue;
      const isBreak = character === '\n' || character === '\r';
      if (isBreak) this.#line += 1;
      if (isBreak && this.#place !== 'quoted') records.push(...this.#endRecord());
      else this.#take(isBreak ? '\n' : character);
    }
    return records;
  }

  /** What is left when the file is over. */
  end(): CsvRecord[] {
    return this.#endRecord();
  }

  #take(character: string): void {
    this.#size += 1;
    if (this.#place === 'quoted') {
      if (character === '"') this.#place = 'closing';
      else this.#keep(character);
    } else if (character === ',') this.#endField();
    else if (character === '"' && this.#place !== 'plain') {
      // A mark right after a closing one stands for itself.
      if (this.#place === 'closing') this.#keep('"');
      this.#place = 'quoted';
    } else {
      this.#place = 'plain';
      this.#keep(character);
    }
  }

  #keep(character: string): void {
    if (this.#size <= MOST_CHARACTERS) this.#field += character;
  }

  #endField(): void {
    if (this.#size <= MOST_CHARACTERS) this.#fields.push(this.#field);
    this.#field = '';
    this.#place = 'start';
  }

  #endRecord(): CsvRecord[] {
    const isBroken = this.#place === 'quoted' || this.#size > MOST_CHARACTERS;
    const isEmpty = this.#size === 0;
    this.#endField();
    const record = { line: this.#firstLine, fields: this.#fields, isBroken };
    this.#fields = [];
    this.#size = 0;
    this.#firstLine = this.#line;
    return isEmpty ? [] : [record];
  }
}

/** The records of a file, one after the other. @throws {CommandFailure} when it cannot be read. */
async function* readRecords(path: string): AsyncGenerator<CsvRecord> {
  const parser = new CsvParser();
  const chunks: AsyncIterable<string> = createReadStream(path, 'utf8');
  try {
    for await (const chunk of chunks) yield* parser.push(chunk);
  } catch (error) {
    throw toFileFailure('read', error);
  }
  yield* parser.end();
}

/** A record as one line, line break included. No field breaks the line, and none is taken for a formula. */
export function toCsvLine(fields: readonly (string | null)[]): string {
  return `${fields.map(toField).join(',')}\n`;
}

function toField(value: string | null): string {
  const text = guardFormula(cleanText(value));
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets run what begins like this; a number with its plus is none. OWASP, CSV injection. */
function guardFormula(text: string): string {
  return /^[=+@-]/.test(text) && !/^[+-]?[0-9.]+$/.test(text) ? `'${text}` : text;
}

/** The numbers of a CSV file. */
export interface InputNumbers {
  /** E.164 with plus, each once, in the order of the file. */
  readonly mobiles: readonly string[];
  /** Lines without a usable number, from 1. */
  readonly oddLines: readonly number[];
  readonly duplicates: number;
}

/** Names of the column when the user gives none. */
const USUAL_NAMES = ['phone', 'mobile', 'number', 'msisdn', 'phone_number', 'phonenumber'];

/** A file with more is better split: it is held in memory and takes days. */
const MOST_NUMBERS = 1_000_000;

/** @throws {CommandFailure} when the file has no such column, or too many numbers. */
export async function readInputNumbers(path: string, column: string | undefined): Promise<InputNumbers> {
  const mobiles = new Set<string>();
  const oddLines: number[] = [];
  let duplicates = 0;
  let index: number | null = null;
  for await (const { line, fields, isBroken } of readRecords(path)) {
    if (index === null) index = findColumn(isBroken ? [] : fields, column);
    else {
      const mobile = isBroken ? null : findMobile(fields[index] ?? '');
      if (mobile === null) oddLines.push(line);
      else if (mobiles.has(mobile)) duplicates += 1;
      else mobiles.add(mobile);
    }
    if (mobiles.size > MOST_NUMBERS)
      throw new CommandFailure('The file has more than 1,000,000 numbers.', 'Split it.');
  }
  if (index === null) throw new CommandFailure('The file is empty.');
  return { mobiles: [...mobiles], oddLines, duplicates };
}

function findColumn(heads: readonly string[], wanted: string | undefined): number {
  const names = heads.map((head) => head.trim().toLowerCase());
  const [index = -1] = (wanted === undefined ? USUAL_NAMES : [wanted.toLowerCase()])
    .map((name) => names.indexOf(name))
    .filter((found) => found >= 0);
  if (index >= 0) return index;
  throw new CommandFailure(
    wanted === undefined
      ? 'The first line names no column of phone numbers.'
      : 'The file has no such column.',
    wanted === undefined ? 'Name the column with --column.' : 'Look at the first line of the file.',
  );
}

export const RESULT_COLUMNS = [
  ...['phone', 'status', 'advanced_status', 'country', 'operator', 'mcc', 'mnc', 'cost', 'error'],
] as const;

/** What is known of one number, by column; the phone is E.164 with plus. */
export type Result = Readonly<Record<(typeof RESULT_COLUMNS)[number], string | null>>;

/** The numbers that the file has already. A file that is not there has none. @throws {CommandFailure} for another kind of file. */
export async function readDoneNumbers(path: string): Promise<ReadonlySet<string>> {
  const bytes = await readBytes(path);
  if (bytes === null || bytes.length === 0) return new Set();
  const parser = new CsvParser();
  const [head, ...records] = [...parser.push(bytes.toString()), ...parser.end()];
  if (head?.fields.join() !== RESULT_COLUMNS.join()) {
    throw new CommandFailure(
      'The output file is there already and is no list of lookups.',
      'Choose another one.',
    );
  }
  await dropHalfLine(path, bytes);
  const whole = bytes.at(-1) === LINE_BREAK ? records : records.slice(0, -1);
  return new Set(whole.flatMap(({ fields: [phone = ''] }) => findMobile(phone) ?? []));
}

const LINE_BREAK = 0x0a;

/** What a killed run has left in its last line is taken away: the number is looked up again. */
async function dropHalfLine(path: string, bytes: Buffer): Promise<void> {
  if (bytes.at(-1) !== LINE_BREAK) await truncate(path, bytes.lastIndexOf(LINE_BREAK) + 1);
}

async function readBytes(path: string): Promise<Buffer | null> {
  try {
    // A device may have no end.
    if (!(await stat(path)).isFile()) throw new CommandFailure('The output must be a file.');
    return await readFile(path);
  } catch (error) {
    // A primitive has no code; Object() makes asking it harmless.
    if ((Object(error) as { code?: unknown }).code === 'ENOENT') return null;
    if (error instanceof CommandFailure) throw error;
    throw toFileFailure('read', error);
  }
}

/** The file that results are added to. */
export interface ResultFile {
  add(result: Result): void;
  close(): void;
}

/** Opens it, with its head when it is new. Each row is one write, so that the file is whole whenever the command ends. */
export function openResultFile(path: string, isNew: boolean): ResultFile {
  const file = open(path, isNew);
  const write = (line: string): void => {
    try {
      writeSync(file, line);
    } catch (error) {
      throw toFileFailure('written', error);
    }
  };
  if (isNew) write(toCsvLine(RESULT_COLUMNS));
  return {
    add: (result) => write(toCsvLine(RESULT_COLUMNS.map((column) => result[column]))),
    close: () => closeSync(file),
  };
}

function open(path: string, isNew: boolean): number {
  try {
    // Numbers of people are nobody else's business.
    return openSync(path, isNew ? 'w' : 'a', 0o600);
  } catch (error) {
    throw toFileFailure('written', error);
  }
}
