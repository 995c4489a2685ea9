import { closeSync, createReadStream, openSync, writeFileSync } from 'node:fs';
import { appendFile, readFile, stat, truncate } from 'node:fs/promises';
import { z } from 'zod';
import { readFields } from '../../errors';
import { type CliIo, cleanText, findMobile, toFileFailure } from '../command';
import { CommandFailure } from '../failures';

/** In characters. A longer line is no number, and a file of one line must not fill the memory. */
const MAX_LINE_CHARACTERS = 1_024;
const TOO_LONG = 'too long';

/** Splits text that arrives in pieces of any size. Of a line that is too long only that is said. */
export async function* readLines(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  // A character may arrive in two pieces.
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = (rest + text).split('\n');
    rest = toShortLine(lines.pop() ?? '');
    yield* lines.map(toShortLine);
  }
  if (rest !== '') yield rest;
}

function toShortLine(line: string): string {
  return line.length > MAX_LINE_CHARACTERS ? TOO_LONG : line;
}

/** The numbers of the input. */
export interface InputNumbers {
  /** E.164 with plus, each once, in the order of the input. */
  readonly mobiles: readonly string[];
  /** Lines without a usable number, from 1. Empty lines are not among them. */
  readonly invalidLines: readonly number[];
  readonly duplicates: number;
}

/** They are held in memory, and looking up more takes days. */
const MAX_NUMBERS = 1_000_000;

/**
 * Reads one number a line.
 * @param input A file, or a stream such as standard input.
 * @throws {CommandFailure} when there is no number in it, or too many.
 */
export async function readInputNumbers(input: string | CliIo['stdin']): Promise<InputNumbers> {
  const mobiles = new Set<string>();
  const invalidLines: number[] = [];
  let duplicates = 0;
  let line = 0;
  for await (const text of readLines(typeof input === 'string' ? readFileChunks(input) : input)) {
    line += 1;
    // trim() removes a byte order mark, and the CR of a CRLF.
    if (text.trim() === '') continue;
    const mobile = findMobile(text.trim());
    if (mobile === null) invalidLines.push(line);
    else if (mobiles.has(mobile)) duplicates += 1;
    else mobiles.add(mobile);
    if (mobiles.size > MAX_NUMBERS) {
      throw new CommandFailure('The input has more than 1,000,000 numbers.', 'Split it.');
    }
  }
  if (mobiles.size > 0) return { mobiles: [...mobiles], invalidLines, duplicates };
  if (invalidLines.length === 0) throw new CommandFailure('The input is empty.');
  throw new CommandFailure(
    'No line of the input is a number.',
    'Write one number a line, with its country code, and nothing else.',
  );
}

async function* readFileChunks(path: string): AsyncGenerator<Buffer> {
  // Without an encoding the chunks are buffers.
  const chunks: AsyncIterable<Buffer> = createReadStream(path);
  try {
    yield* chunks;
  } catch (error) {
    throw toFileFailure('read', error);
  }
}

/** One line of the output; the phone is E.164 with plus. */
export type Result = Readonly<Record<(typeof RESULT_FIELDS)[number], string | null>>;

const NETWORK_FIELDS = ['country', 'operator', 'mcc', 'mnc'] as const;
/** In the order in which they are written: a half-written line is known by its beginning. */
const RESULT_FIELDS = [
  'phone',
  'status',
  'advancedStatus',
  ...NETWORK_FIELDS,
  'cost',
  'error',
] as const;
const BEGINNING = '{"phone":"+';

/** What a later run reads of a line. */
const savedLine = z.object({ phone: z.string() });

const LINE_FEED = 0x0a;

/**
 * Returns the numbers that the file already has. A missing file has none. @throws {CommandFailure}
 * for any other file.
 */
export async function readDoneNumbers(path: string): Promise<ReadonlySet<string>> {
  const bytes = (await readBytes(path)) ?? Buffer.alloc(0);
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  const half = bytes.subarray(end).toString();
  const isOurs = half.startsWith(BEGINNING) || BEGINNING.startsWith(half);
  const done = isOurs ? readSavedLines(bytes.subarray(0, end).toString()) : null;
  if (done === null) {
    throw new CommandFailure(
      'The output file exists and is not a list of lookups.',
      'Choose another one.',
    );
  }
  if (half === '') return done;
  // A killed run may have left a line without its end. Where the result is whole it is kept;
  // otherwise it is removed, and its number is looked up again.
  const last = readSavedLine(half);
  await (last === null ? truncate(path, end) : appendFile(path, '\n'));
  return last === null ? done : new Set([...done, last]);
}

/** Returns the numbers of whole lines, or null when a line is not one of ours. */
function readSavedLines(text: string): ReadonlySet<string> | null {
  const done = new Set<string>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const mobile = readSavedLine(line);
    if (mobile === null) return null;
    done.add(mobile);
  }
  return done;
}

function readSavedLine(line: string): string | null {
  try {
    const saved = savedLine.safeParse(JSON.parse(line));
    return saved.success ? findMobile(saved.data.phone) : null;
  } catch {
    // The parser's message may quote the number.
    return null;
  }
}

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

/** Opens the file that results are appended to, one line each, written before the next is paid. */
export function openResultFile(path: string) {
  // Phone numbers are personal data: only the owner may read the file.
  const file = tryToWrite(() => openSync(path, 'a', 0o600));
  return {
    add: (result: Result): void => tryToWrite(() => writeFileSync(file, toJsonLine(result))),
    close: (): void => closeSync(file),
  };
}

function tryToWrite<Outcome>(access: () => Outcome): Outcome {
  try {
    return access();
  } catch (error) {
    throw toFileFailure('written', error);
  }
}

/** Formats a result as one line. Nothing in it controls a terminal on which the file is shown. */
export function toJsonLine(result: Result): string {
  const shown = RESULT_FIELDS.map((field) => [
    field,
    result[field] === null ? null : cleanText(result[field]).trim(),
  ]);
  return `${JSON.stringify(Object.fromEntries(shown))}\n`;
}
