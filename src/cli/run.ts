import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLineReader } from './args/ask';
import { PROGRAM, showHelp, showOverview } from './args/help';
import { readArguments, refuseSecrets } from './args/read-arguments';
import type { CliIo, Command, ExitCode } from './command';
import { doctor } from './commands/doctor';
import { lookup } from './commands/lookup';
import { send, validate } from './commands/otp';
import { balance, pricing } from './commands/pricing';
import { simulate } from './commands/simulate';
import { enable, unlock } from './commands/unlock';
import { explain } from './explain';
import { UsageError } from './failures';
import { createScreen, type Screen } from './output/screen';

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

/** The known word that was probably meant, or null. */
function suggestWord(typed: string, known: readonly string[]): string | null {
  if (typed.length > 20) return null;
  const [best] = known
    .map((word) => ({ word, distance: distanceOf(typed, word) }))
    .sort((one, other) => one.distance - other.distance);
  return best !== undefined && best.distance <= 2 ? best.word : null;
}

/** Levenshtein's: letters to add, remove or change. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_value, index) => index);
  for (const [index, letter] of Array.from(one).entries()) {
    const next = [index + 1];
    for (let at = 1; at <= other.length; at += 1) {
      const change = (row[at - 1] ?? 0) + (other[at - 1] === letter ? 0 : 1);
      next.push(Math.min(change, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? Infinity;
}

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
