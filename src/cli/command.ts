import type { CliIo, Output, ReadLine } from './terminal';

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

/** The command line, checked against the command's options. */
export interface Arguments {
  readonly positionals: readonly string[];
  /** The value of an option. */
  text(name: string): string | undefined;
  /** All values of a repeatable option. */
  texts(name: string): readonly string[];
  isOn(name: string): boolean;
}

/** 0: success. 1: a check or a call failed. 2: wrong usage. */
export type ExitCode = 0 | 1 | 2;

/** What a command runs with. */
export interface CommandCall {
  readonly args: Arguments;
  readonly io: CliIo;
  readonly output: Output;
  readonly readLine: ReadLine;
}

/** One command. */
export interface Command {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** The placeholders of its arguments, such as `<user>`; optional ones are in brackets. */
  readonly positionals: readonly string[];
  readonly options: CommandOptions;
  /** Sentences for `--help`. */
  readonly notes: readonly string[];
  run(call: CommandCall): Promise<ExitCode>;
}

/** Options that several commands have. */
export const JSON_OPTION = { json: { help: 'write JSON' } } satisfies CommandOptions;
export const YES_OPTION = { yes: { help: 'spend money without asking' } } satisfies CommandOptions;
