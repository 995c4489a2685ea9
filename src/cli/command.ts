import type { ReadLine } from './args/ask';
import type { Screen } from './output/screen';

/** A stream that is written to: standard output, standard error, or what a test reads. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Standard input. */
export type TextSource = AsyncIterable<Buffer | string> & { readonly isTTY?: boolean | undefined };

/** Everything a command has from outside. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: TextSource;
  /** Data. */
  readonly stdout: TextSink;
  /** Questions, progress, complaints. */
  readonly stderr: TextSink;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits; ends early and without an error when the signal does. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Ctrl+C. */
  readonly signal: AbortSignal;
  /** The folder it runs in: files are named from here, and `redis` and `pg` are looked for. */
  readonly folder: string;
}

/** An option of a command, as `--help` shows it. */
export interface CommandOption {
  /** What stands for its value, such as `<number>`; left out: the option is a switch. */
  readonly value?: string;
  readonly help: string;
  /** True when it may be given more than once. */
  readonly isRepeatable?: boolean;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** What was typed, checked against the command's options. */
export interface Arguments {
  readonly positionals: readonly string[];
  /** The value of an option, the last one where it was given twice. */
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  isOn(name: string): boolean;
}

/** 0: fine. 1: a check or a call failed. 2: wrong usage. */
export type ExitCode = 0 | 1 | 2;

/** What a command runs with. */
export interface CommandCall {
  readonly args: Arguments;
  readonly io: CliIo;
  readonly screen: Screen;
  readonly readLine: ReadLine;
}

/** One command. */
export interface Command {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** What stands for its arguments, such as `<user>`; in brackets: may be left out. */
  readonly positionals: readonly string[];
  readonly options: CommandOptions;
  /** Sentences for `--help`. */
  readonly notes: readonly string[];
  run(call: CommandCall): Promise<ExitCode>;
}

export const JSON_OPTION = { json: { help: 'write JSON' } } satisfies CommandOptions;

export const YES_OPTION = { yes: { help: 'spend money without asking' } } satisfies CommandOptions;
