import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliIo } from './cli-io';
import type { Command, ExitCode } from './command';
import { COMMANDS } from './commands';
import { explain } from './explain';
import { UsageError } from './failures';
import { PROGRAM, showHelp, showOverview } from './line/help';
import { createLineReader } from './line/line-reader';
import { readArguments } from './line/read-arguments';
import { refuseSecrets } from './line/refuse-secrets';
import { suggestWord } from './line/suggest';
import { createScreen, type Screen } from './screen/screen';

/** Variables whose values may stand in no argument and in no output. */
const SECRET_VARIABLES = ['SMS_OTP_PASSWORD', 'REDIS_URL', 'DATABASE_URL'];

/**
 * Runs one command line. Never rejects.
 * @param argv What stands after the program's name.
 * @returns the exit code: 0 fine, 1 a check or a call failed, 2 wrong usage.
 */
export async function run(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const screen = createScreen(io);
  const [name = '', ...words] = argv;
  const command = COMMANDS.find((known) => known.name === name);
  try {
    if (command !== undefined) return await runCommand(command, words, { io, screen });
    return runWithoutCommand(name, argv, { io, screen });
  } catch (error) {
    return complain(error, { screen, hasJson: argv.includes('--json'), command, signal: io.signal });
  }
}

interface Surroundings {
  readonly io: CliIo;
  readonly screen: Screen;
}

function runCommand(
  command: Command,
  words: readonly string[],
  { io, screen }: Surroundings,
): Promise<ExitCode> {
  if (isAskingForHelp(words)) {
    screen.line(showHelp(command, screen.style));
    return Promise.resolve(0);
  }
  const args = readArguments(command, words, secretsOf(io));
  return command.run({ args, io, screen, readLine: createLineReader(io) });
}

function runWithoutCommand(name: string, argv: readonly string[], { io, screen }: Surroundings): ExitCode {
  if (argv[0] === '--version' || argv[0] === '-v') screen.line(readVersion());
  else if (isAskingForHelp(argv) || name === 'help') screen.line(showOverview(COMMANDS, screen.style));
  else if (argv.length === 0) {
    screen.note(showOverview(COMMANDS, screen.noteStyle));
    return 2;
  } else {
    refuseSecrets(argv, secretsOf(io));
    const meant = suggestWord(
      name,
      COMMANDS.map((known) => known.name),
    );
    throw new UsageError(`There is no such command${meant === null ? '' : `; did you mean ${meant}?`}`);
  }
  return 0;
}

function isAskingForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).some((word) => word === '--help' || word === '-h');
}

function secretsOf({ env }: CliIo): string[] {
  return SECRET_VARIABLES.flatMap((name) => env[name] ?? []);
}

interface Complaint {
  readonly screen: Screen;
  readonly hasJson: boolean;
  readonly command: Command | undefined;
  readonly signal: AbortSignal;
}

function complain(error: unknown, { screen, hasJson, command, signal }: Complaint): ExitCode {
  if (signal.aborted) {
    screen.note('Interrupted.');
    return 1;
  }
  const { message, advice, exitCode } = explain(error);
  if (hasJson) screen.json({ error: { message, advice } });
  const { red, dim } = screen.noteStyle;
  screen.note(`${red('error')}  ${message}`);
  if (advice !== null) screen.note(`       ${advice}`);
  if (exitCode === 2) {
    screen.note(dim(`       ${PROGRAM} ${command === undefined ? '' : `${command.name} `}--help`));
  }
  return exitCode;
}

/** The built files are as far from the manifest as the sources are. */
function readVersion(): string {
  // The manifest is our own.
  const manifest = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
}
