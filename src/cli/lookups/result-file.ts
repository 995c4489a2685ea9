import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile, stat, truncate } from 'node:fs/promises';
import { CsvParser } from '../csv/csv-parser';
import { toCsvLine } from '../csv/write-record';
import { CommandFailure } from '../failures';
import { findMobile, toFileFailure } from '../line/read-values';

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
