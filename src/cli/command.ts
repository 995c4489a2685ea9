import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { styleText } from 'node:util';
import { readFields } from '../errors';
import { toDigits } from '../protocol/mobile';
import { CommandFailure, WrongUsage } from './failures';

export { readVersion } from '../client/version';

export const PROGRAM = 'passport-sms-otp';

/** An option of a command, as `--help` shows it. */
export interface CommandOption {
  /** The placeholder of its value, such as `<number>`. Without one the option is a flag. */
  readonly value?: string;
  readonly help: string;
  /** True if it may be given more than once. */
  readonly isRepeatable?: boolean;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** 0: success. 1: a check or a call failed. 2: wrong usage. 130, 143: ended by a signal. */
export type ExitCode = 0 | 1 | 2 | 130 | 143;

export interface Command {
  readonly name: string;
  /** A description in one line. */
  readonly summary: string;
  /**
   * The placeholders of its arguments, such as `<user>`. Optional ones are in brackets. A last one
   * with `…` may be given more than once. Default: none.
   */
  readonly positionals?: readonly string[];
  readonly options: CommandOptions;
  /** Further lines for `--help`. */
  readonly notes?: readonly string[];
  run(call: CommandCall): Promise<ExitCode>;
}

/** Options that several commands share. */
export const JSON_OPTION = { json: { help: 'write JSON' } } satisfies CommandOptions;
export const YES_OPTION = { yes: { help: 'spend money without asking' } } satisfies CommandOptions;

/** A stream to write to: standard output, standard error, or a buffer in tests. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/** The parts of the process that a command uses. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Buffer | string> & { readonly isTTY?: boolean | undefined };
  /** For results. */
  readonly stdout: TextSink;
  /** For questions, progress and errors. */
  readonly stderr: TextSink;
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
  /** Waits. Returns early, without an error, if the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /**
   * Aborted by Ctrl+C, by a signal to end, or when the reader of the output has closed it. The
   * reason is the name of the signal, if there was one.
   */
  readonly signal: AbortSignal;
  /**
   * The working directory. File names are relative to it, and `redis` and `pg` are loaded from it.
   */
  readonly folder: string;
}

export type Format = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Colors a string for one stream. Without colors it is returned unchanged. */
export type Style = (format: Format, text: string) => string;

/**
 * Returns a function that colors on a terminal, unless NO_COLOR (no-color.org) or a dumb terminal
 * forbids it.
 */
function createStyle(sink: TextSink, env: CliIo['env'], mark: string): Style {
  const hasColors = sink.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  // Do not let Node examine a stream: it would examine the standard output of its own process.
  return (format, text) =>
    hasColors
      ? styleText(format, cleanText(text), { validateStream: false }).replaceAll(ESCAPE, mark)
      : text;
}

const ESCAPE = '\u001b';

/** Where a command writes: results to standard output, everything else to standard error. */
export type Output = Readonly<ReturnType<typeof createOutput>>;

/**
 * Creates the functions that a command writes with. Everything is cleaned here, and only here, so
 * that no string of the gateway or of a file can control the terminal or break a line.
 */
export function createOutput({ stdout, stderr, env }: Pick<CliIo, 'stdout' | 'stderr' | 'env'>) {
  const hasProgress = stderr.isTTY === true && env.TERM !== 'dumb';
  // A random mark that stands for the escape character of our own formats, so that no other string
  // can contain it.
  const mark = randomUUID();
  const clean = (text: string): string => cleanText(text).replaceAll(mark, ESCAPE);
  const line = (...cells: readonly string[]): void =>
    void stdout.write(`${cells.map(clean).join('\t')}\n`);

  return {
    /** Colors for standard output. */
    style: createStyle(stdout, env, mark),
    /** Colors for standard error. */
    noteStyle: createStyle(stderr, env, mark),
    /** Writes one line, with tabs between cells. */
    line,
    /** Writes our own message of several lines. */
    lines: (text: string): void => {
      for (const one of text.split('\n')) line(one);
    },
    json: (value: unknown): void => void stdout.write(`${toJson(value)}\n`),
    note: (text: string): void => void stderr.write(`${clean(text)}\n`),
    /** Writes a question without a line break. */
    ask: (text: string): void => void stderr.write(clean(text)),
    /**
     * Replaces the progress line of a terminal. An empty string removes it. Writes nothing if there
     * is no terminal.
     */
    progress: (text: string): void => {
      if (hasProgress) stderr.write(`\r${ESCAPE}[K${clean(text)}`);
    },
  };
}

/** Matches characters that control a terminal, change the writing direction, or break a line. */
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Makes a string safe to print: each control character becomes a blank. */
export function cleanText(text: string): string {
  return text.replaceAll(CONTROLS, ' ');
}

/** Formats a value as JSON that is safe to print. Parsing it returns the same value. */
export function toJson(value: unknown, indent = 2): string {
  const json = JSON.stringify(value, null, indent);
  // Line breaks of the format stay. Those in strings are escaped already.
  return json.replaceAll(CONTROLS, (control) =>
    control === '\n' ? control : escapeUnits(control),
  );
}

/** Returns the escapes of a character: two if it has two UTF-16 units. */
function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const code = character.charCodeAt(index).toString(16);
    return `\\u${code.padStart(4, '0')}`;
  }).join('');
}

const MAX_LINE_CHARACTERS = 1_024;

/** Reads standard input line by line. Reads nothing before the first call. */
function createLineReader({ stdin, signal }: Pick<CliIo, 'stdin' | 'signal'>) {
  let lines: AsyncIterator<string> | null = null;

  /** Returns the next line. Null at the end of the input or after Ctrl+C. */
  return async function readLine(): Promise<string | null> {
    lines ??= createInterface({ input: Readable.from(stdin), signal })[Symbol.asyncIterator]();
    const step = await lines.next();
    if (step.done === true || signal.aborted) return null;
    // A line this long was piped in by mistake.
    if (step.value.length > MAX_LINE_CHARACTERS)
      throw new WrongUsage('the line on standard input is too long');
    return step.value.trim();
  };
}

/** The values of each given option, in order. Undefined for a flag. */
export type GivenOptions = ReadonlyMap<string, readonly (string | undefined)[]>;

/** The command line after it was checked against the command's options. */
export type Arguments = Readonly<ReturnType<typeof createArguments>>;

export function createArguments(positionals: readonly string[], given: GivenOptions) {
  const text = (name: string): string | undefined => given.get(name)?.at(-1);

  return {
    positionals,
    text,
    texts: (name: string): readonly string[] =>
      (given.get(name) ?? []).filter((value) => value !== undefined),
    isOn: (name: string): boolean => given.has(name),
    /** Reads a whole number within bounds. @throws {WrongUsage} */
    whole(name: string, bounds: { min: number; max: number; fallback: number }): number {
      const { min, max } = bounds;
      const given = text(name);
      if (given === undefined) return bounds.fallback;
      const value = /^[0-9]{1,9}$/.test(given) ? Number(given) : NaN;
      if (value >= min && value <= max) return value;
      throw new WrongUsage(`--${name} must be a whole number from ${min} to ${max}`);
    },
  };
}

/** Everything that a command runs with. */
export type CommandCall = Readonly<ReturnType<typeof createCall>>;

export function createCall(args: Arguments, io: CliIo, output: Output) {
  const readLine = createLineReader(io);

  return {
    ...{ args, io, output, readLine },
    /** Writes a result to standard output: as JSON with --json, otherwise in words. */
    showResult(value: unknown, showText: () => void): void {
      if (args.isOn('json')) output.json(value);
      else showText();
    },
    /**
     * Asks before money is spent, unless `--yes` was given.
     * @throws {WrongUsage} without a terminal to ask on. @throws {CommandFailure} if the answer is
     * no.
     */
    async askForMoney(question: string): Promise<void> {
      if (args.isOn('yes')) return;
      if (io.stdin.isTTY !== true) {
        throw new WrongUsage('This costs money, and there is no terminal to ask on: add --yes');
      }
      output.ask(`${question} ${output.noteStyle('dim', '[y/N]')} `);
      const answer = await readLine();
      if (!/^y(es)?$/i.test(answer ?? '')) throw new CommandFailure('Nothing was done.');
    },
  };
}

/** Reads one of a few words. Null if there is none. @throws {WrongUsage} */
export function readChoice<Choice extends string>(
  name: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | null {
  const choice = choices.find((word) => word === text) ?? null;
  if (text && choice === null) throw new WrongUsage(`${name} must be ${choices.join(' or ')}`);
  return choice;
}

/** Reads a phone number. @throws {WrongUsage} */
export function readMobile(text: string): string {
  const mobile = findMobile(text);
  if (mobile === null) {
    throw new WrongUsage(
      'the number must have a plus, a country code and 7 to 15 digits, such as +12025550123',
    );
  }
  return mobile;
}

/**
 * Returns a number as E.164 with plus, or null. Spaces, dots, hyphens and parentheses are ignored.
 * The plus is required: 2025550123 may be in Washington or in Egypt, and messages and lookups cost
 * money.
 */
export function findMobile(text: string): string | null {
  const mobile = text.replaceAll(/[\s().-]/g, '');
  return mobile.startsWith('+') && toDigits(mobile) !== null ? mobile : null;
}

/** Reads a file of at most 16 MiB. @throws {CommandFailure} */
export async function readText(folder: string, path: string): Promise<string> {
  try {
    const text = await readFile(resolve(folder, path), 'utf8');
    return text.slice(0, 16 * 1024 * 1024);
  } catch (error) {
    throw toFileFailure('read', error);
  }
}

/** Describes a failed access to a file without repeating its path. */
export function toFileFailure(verb: 'read' | 'written', error: unknown): CommandFailure {
  const { code } = readFields(error);
  const why = typeof code === 'string' && /^E[A-Z]+$/.test(code) ? ` (${code})` : '';
  return new CommandFailure(
    `the file could not be ${verb}${why}`,
    'Check its name and your permissions.',
    'ERR_FILE',
  );
}
