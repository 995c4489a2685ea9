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
  /** The placeholder of its value, such as `<number>`; without one the option is a flag. */
  readonly value?: string;
  readonly help: string;
  /** True when it may be given more than once. */
  readonly isRepeatable?: boolean;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** 0: success. 1: a check or a call failed. 2: wrong usage. 130, 143: ended by a signal. */
export type ExitCode = 0 | 1 | 2 | 130 | 143;

/** One command. */
export interface Command {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /**
   * The placeholders of its arguments, such as `<user>`. Optional ones are in brackets, and a last
   * one with `…` may be given more than once. Default: none.
   */
  readonly positionals?: readonly string[];
  readonly options: CommandOptions;
  /** Sentences for `--help`. */
  readonly notes?: readonly string[];
  run(call: CommandCall): Promise<ExitCode>;
}

/** Options that several commands have. */
export const JSON_OPTION = { json: { help: 'write JSON' } } satisfies CommandOptions;
export const YES_OPTION = { yes: { help: 'spend money without asking' } } satisfies CommandOptions;

/** A stream to write to: standard output, standard error, or a buffer in tests. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/** Everything a command uses of its process. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Buffer | string> & { readonly isTTY?: boolean | undefined };
  /** Data. */
  readonly stdout: TextSink;
  /** Questions, progress, errors. */
  readonly stderr: TextSink;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits; returns early, without an error, when the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /**
   * Aborted by Ctrl+C, by a signal to end, or when nobody reads the output any more. The reason is
   * the name of the signal, if there was one.
   */
  readonly signal: AbortSignal;
  /**
   * The working directory: file names are relative to it, and `redis` and `pg` are resolved from
   * it.
   */
  readonly folder: string;
}

export type Format = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Colors a text for one stream; without colors it is returned unchanged. */
export type Style = (format: Format, text: string) => string;

/** Colors on a terminal, unless NO_COLOR (no-color.org) or a dumb terminal forbids them. */
function createStyle(sink: TextSink, env: CliIo['env'], mark: string): Style {
  const hasColors = sink.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  // The stream was examined above; Node would examine the standard output of its own process.
  return (format, text) =>
    hasColors
      ? styleText(format, cleanText(text), { validateStream: false }).replaceAll(ESCAPE, mark)
      : text;
}

const ESCAPE = '\u001b';

/** Where a command writes: data to standard output, everything else to standard error. */
export type Output = Readonly<ReturnType<typeof createOutput>>;

/**
 * Creates what a command writes with. Everything is cleaned here, and only here: no string of the
 * gateway's or of a file controls the terminal or breaks a line.
 */
export function createOutput({ stdout, stderr, env }: Pick<CliIo, 'stdout' | 'stderr' | 'env'>) {
  const hasProgress = stderr.isTTY === true && env.TERM !== 'dumb';
  // Stands for the escape character of our own formats, and cannot be guessed by anyone else.
  const mark = randomUUID();
  const clean = (text: string): string => cleanText(text).replaceAll(mark, ESCAPE);
  const line = (...cells: readonly string[]): void =>
    void stdout.write(`${cells.map(clean).join('\t')}\n`);

  return {
    /** Colors of standard output. */
    style: createStyle(stdout, env, mark),
    /** Colors of standard error. */
    noteStyle: createStyle(stderr, env, mark),
    /** Writes one line. Cells are separated by tabs. */
    line,
    /** Writes a text of ours that has several lines. */
    lines: (text: string): void => {
      for (const one of text.split('\n')) line(one);
    },
    json: (value: unknown): void => void stdout.write(`${toJson(value)}\n`),
    note: (text: string): void => void stderr.write(`${clean(text)}\n`),
    /** Writes a question, without a line break after it. */
    ask: (text: string): void => void stderr.write(clean(text)),
    /**
     * Replaces the progress line of a terminal; an empty string removes it. Writes nothing
     * elsewhere.
     */
    progress: (text: string): void => {
      if (hasProgress) stderr.write(`\r${ESCAPE}[K${clean(text)}`);
    },
  };
}

/** Characters that control a terminal, change the direction of a text, or break a line. */
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Makes a string safe to print: each character that controls becomes a blank. */
export function cleanText(text: string): string {
  return text.replaceAll(CONTROLS, ' ');
}

/** Formats a value as JSON that is safe to print, and the same when it is read. */
export function toJson(value: unknown, indent = 2): string {
  const json = JSON.stringify(value, null, indent);
  // Line breaks of the format stay. Those of a string have been escaped already.
  return json.replaceAll(CONTROLS, (control) =>
    control === '\n' ? control : escapeUnits(control),
  );
}

/** Returns the escapes of a character: two where it takes two UTF-16 units. */
function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const code = character.charCodeAt(index).toString(16);
    return `\\u${code.padStart(4, '0')}`;
  }).join('');
}

const MAX_LINE_CHARACTERS = 1_024;

/** Reads standard input line by line. Nothing is read before the first call. */
function createLineReader({ stdin, signal }: Pick<CliIo, 'stdin' | 'signal'>) {
  let lines: AsyncIterator<string> | null = null;

  /** Returns the next line; null at the end of the input or after Ctrl+C. */
  return async function readLine(): Promise<string | null> {
    lines ??= createInterface({ input: Readable.from(stdin), signal })[Symbol.asyncIterator]();
    const step = await lines.next();
    if (step.done === true || signal.aborted) return null;
    // Anything this long was piped in by mistake.
    if (step.value.length > MAX_LINE_CHARACTERS)
      throw new WrongUsage('the line on standard input is too long');
    return step.value.trim();
  };
}

/** The values of each option that was given, in their order; undefined where it takes none. */
export type GivenOptions = ReadonlyMap<string, readonly (string | undefined)[]>;

/** The command line, checked against the command's options. */
export type Arguments = Readonly<ReturnType<typeof createArguments>>;

export function createArguments(positionals: readonly string[], given: GivenOptions) {
  const text = (name: string): string | undefined => given.get(name)?.at(-1);

  return {
    positionals,
    /** Returns the value of an option. */
    text,
    /** Returns all values of a repeatable option. */
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

/** What a command runs with. */
export type CommandCall = Readonly<ReturnType<typeof createCall>>;

export function createCall(args: Arguments, io: CliIo, output: Output) {
  const readLine = createLineReader(io);

  return {
    ...{ args, io, output, readLine },
    /** Writes a result to standard output: as JSON with --json, otherwise as text. */
    showResult(value: unknown, showText: () => void): void {
      if (args.isOn('json')) output.json(value);
      else showText();
    },
    /**
     * Asks before money is spent, unless `--yes` was given.
     * @throws {WrongUsage} without a terminal to ask on. @throws {CommandFailure} when the answer
     * is no.
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

/** Reads one of a few words; null when there is none. @throws {WrongUsage} */
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
      'the number must have its plus, its country code and 7 to 15 digits, such as +12025550123',
    );
  }
  return mobile;
}

/**
 * Returns a number as E.164 with plus, or null. Spaces, dots, hyphens and parentheses are ignored.
 * Without its plus 2025550123 may be in Washington or in Egypt, and texts and lookups are paid.
 */
export function findMobile(text: string): string | null {
  const mobile = text.replaceAll(/[\s().-]/g, '');
  return mobile.startsWith('+') && toDigits(mobile) !== null ? mobile : null;
}

/** Reads a text file of the user's, up to 16 MiB. @throws {CommandFailure} */
export async function readText(folder: string, path: string): Promise<string> {
  try {
    const text = await readFile(resolve(folder, path), 'utf8');
    return text.slice(0, 16 * 1024 * 1024);
  } catch (error) {
    throw toFileFailure('read', error);
  }
}

/** Describes a failed access to a file, without repeating its path. */
export function toFileFailure(verb: 'read' | 'written', error: unknown): CommandFailure {
  const { code } = readFields(error);
  const why = typeof code === 'string' && /^E[A-Z]+$/.test(code) ? ` (${code})` : '';
  return new CommandFailure(
    `the file could not be ${verb}${why}`,
    'Check its name and your permissions.',
    'ERR_FILE',
  );
}
