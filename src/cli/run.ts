import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closestName } from '../closest-name';
import { type Command, type CommandOption, type ExitCode, PROGRAM } from './command';
import { doctor } from './commands/doctor';
import { lookup } from './commands/lookup';
import { send, validate } from './commands/otp';
import { balance, pricing } from './commands/pricing';
import { simulate } from './commands/simulate';
import { enable, unlock } from './commands/unlock';
import { explain, UsageError } from './failures';
import { readArguments, refuseSecrets } from './read-arguments';
import { type CliIo, createLineReader, createOutput, type Output, type Style } from './terminal';

/** Every command, in the order of the overview. */
export const COMMANDS: readonly Command[] = [
  simulate,
  doctor,
  balance,
  pricing,
  lookup,
  send,
  validate,
  unlock,
  enable,
];

/** Variables whose values may appear in no argument and in no output. */
const SECRET_VARIABLES = ['SMS_OTP_PASSWORD', 'REDIS_URL', 'DATABASE_URL'];

/**
 * Runs one command line. Never rejects.
 * @param argv The words after the program's name.
 * @returns the exit code: 0 success, 1 a check or a call failed, 2 wrong usage.
 */
export async function run(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const output = createOutput(io);
  const [name = '', ...words] = argv;
  const command = COMMANDS.find((known) => known.name === name);
  try {
    if (command === undefined) return runWithoutCommand(name, argv, io, output);
    return await runCommand(command, words, io, output);
  } catch (error) {
    if (!io.signal.aborted) return reportError(error, output, argv.includes('--json'), command);
    output.note('Interrupted.');
    return 1;
  }
}

async function runCommand(
  command: Command,
  words: readonly string[],
  io: CliIo,
  output: Output,
): Promise<ExitCode> {
  if (isAskingForHelp(words)) {
    output.line(formatHelp(command, output.style));
    return 0;
  }
  const args = readArguments(command, words, secretsOf(io));
  return command.run({ args, io, output, readLine: createLineReader(io) });
}

function runWithoutCommand(name: string, argv: readonly string[], io: CliIo, output: Output): ExitCode {
  if (argv[0] === '--version' || argv[0] === '-v') output.line(readVersion());
  else if (isAskingForHelp(argv) || name === 'help') output.line(formatOverview(output.style));
  else if (argv.length === 0) {
    output.note(formatOverview(output.noteStyle));
    return 2;
  } else {
    refuseSecrets(argv, secretsOf(io));
    const meant = closestName(
      name,
      COMMANDS.map((known) => known.name),
    );
    throw new UsageError(`There is no such command${meant === undefined ? '' : `; did you mean ${meant}?`}`);
  }
  return 0;
}

function isAskingForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).some((word) => word === '--help' || word === '-h');
}

function secretsOf({ env }: CliIo): readonly string[] {
  return SECRET_VARIABLES.flatMap((name) => env[name] ?? []);
}

function reportError(
  error: unknown,
  output: Output,
  hasJson: boolean,
  command: Command | undefined,
): ExitCode {
  const { message, advice, exitCode } = explain(error);
  if (hasJson) output.json({ error: { message, advice } });
  const { red, dim } = output.noteStyle;
  output.note(`${red('error')}  ${message}`);
  if (advice !== null) output.note(`       ${advice}`);
  if (exitCode === 2) {
    output.note(dim(`       ${PROGRAM} ${command === undefined ? '' : `${command.name} `}--help`));
  }
  return exitCode;
}

/** The help page of all commands. */
function formatOverview(style: Style): string {
  const rows = COMMANDS.map((command) => [formatUsage(command), command.summary] as const);
  return [
    `${style.bold(PROGRAM)}  text-message codes as a second factor: the account, the state, the simulator`,
    '',
    ...alignPairs(rows, style),
    '',
    `${style.dim('The gateway ')}  SMS_OTP_BASE_URL, SMS_OTP_VARIANT (A or B), SMS_OTP_USERNAME, SMS_OTP_PASSWORD`,
    `${style.dim('The state   ')}  REDIS_URL or DATABASE_URL`,
    `${style.dim('Exit codes  ')}  0 success, 1 a check or a call failed, 2 wrong usage`,
    '',
    `Run ${PROGRAM} <command> --help for the options of a command.`,
  ].join('\n');
}

/** The help page of one command. */
function formatHelp(command: Command, style: Style): string {
  const options = Object.entries(command.options).map(
    ([name, option]) => [formatOption(name, option), option.help] as const,
  );
  return [
    `${style.bold(`${PROGRAM} ${formatUsage(command)}`)}  ${command.summary}`,
    '',
    ...alignPairs([...options, ['--help', 'show this']], style),
    ...(command.notes.length === 0 ? [] : ['', ...command.notes]),
  ].join('\n');
}

function formatUsage({ name, positionals }: Command): string {
  return [name, ...positionals].join(' ');
}

function formatOption(name: string, { value, isRepeatable }: CommandOption): string {
  return `--${name}${value === undefined ? '' : ` ${value}`}${isRepeatable === true ? ' …' : ''}`;
}

function alignPairs(pairs: readonly (readonly [string, string])[], style: Style): string[] {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${style.cyan(left)}${' '.repeat(width - left.length)}  ${right}`);
}

/** The built files are as deep below the manifest as the sources. */
function readVersion(): string {
  // The manifest is our own, and always has a version.
  const manifest = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
}
