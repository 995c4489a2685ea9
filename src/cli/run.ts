import { parseArgs } from 'node:util';
import { closestName } from '../closest-name';
import {
  type Arguments,
  type CliIo,
  type Command,
  createArguments,
  createCall,
  createOutput,
  type ExitCode,
  type GivenOptions,
  type Output,
  PROGRAM,
  readVersion,
  type Style,
} from './command';
import { audit } from './commands/audit';
import { copyPages } from './commands/copy-pages';
import { demo } from './commands/demo';
import { doctor } from './commands/doctor';
import { lookup } from './commands/lookup';
import { numbers } from './commands/numbers';
import { send, validate } from './commands/otp';
import { balance, pricing } from './commands/pricing';
import { simulate } from './commands/simulate';
import { unlock } from './commands/unlock';
import { explain, WrongUsage } from './failures';

/** Every command, in the order of the overview. */
export const COMMANDS: readonly Command[] = [
  demo,
  copyPages,
  simulate,
  audit,
  doctor,
  balance,
  pricing,
  lookup,
  numbers,
  send,
  validate,
  unlock,
];

/** Variables whose values must not appear in any argument or output. */
const SECRET_VARIABLES = ['SMS_OTP_PASSWORD', 'REDIS_URL', 'DATABASE_URL'];

/**
 * Runs one command line. Never rejects.
 * @param argv The words after the program's name.
 * @returns the exit code: 0 success, 1 a check or a call failed, 2 wrong usage, 130 after Ctrl+C.
 */
export async function run(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const output = createOutput(io);
  const secrets = SECRET_VARIABLES.flatMap((name) => io.env[name] ?? []);
  const [name = '', ...words] = argv;
  const command = COMMANDS.find((known) => known.name === name);

  try {
    if (command === undefined) return runWithoutCommand(argv, secrets, output);
    if (isAskingForHelp(words)) {
      output.lines(formatHelp(command, output.style));
      return 0;
    }
    const args = readArguments(command, words, secrets);
    const exitCode = await command.run(createCall(args, io, output));
    // For a command that runs until Ctrl+C, Ctrl+C is a success.
    return exitCode === 0 ? 0 : (readInterruption(io.signal) ?? exitCode);
  } catch (error) {
    if (!io.signal.aborted) return reportError(error, output, argv.includes('--json'), command);
    output.note('Interrupted.');
    return readInterruption(io.signal) ?? 1;
  }
}

/** Exit codes after a signal, as in shells: 128 plus the number of the signal. */
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Returns the exit code after a signal; null if there was none. */
function readInterruption(signal: AbortSignal): ExitCode | null {
  const reason: unknown = signal.reason;
  return reason === 'SIGINT' || reason === 'SIGTERM' ? SIGNAL_CODES[reason] : null;
}

function runWithoutCommand(
  argv: readonly string[],
  secrets: readonly string[],
  output: Output,
): ExitCode {
  const [name] = argv;
  if (name === undefined) {
    for (const line of formatOverview(output.noteStyle).split('\n')) output.note(line);
    return 2;
  }

  if (name === '--version' || name === '-v') output.line(readVersion());
  else if (isAskingForHelp(argv) || name === 'help') output.lines(formatOverview(output.style));
  else {
    refuseSecrets(argv, secrets);
    const names = COMMANDS.map((known) => known.name);
    const meant = closestName(name, names);
    throw new WrongUsage(
      `There is no such command${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    );
  }
  return 0;
}

function isAskingForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).some((word) => word === '--help' || word === '-h');
}

function reportError(
  error: unknown,
  output: Output,
  hasJson: boolean,
  command: Command | undefined,
): ExitCode {
  const { exitCode, ...shown } = explain(error);
  const { message, advice } = shown;
  if (hasJson) output.json({ error: shown });

  const paint = output.noteStyle;
  output.note(`${paint('red', 'error')}  ${message}`);
  for (const line of advice?.split('\n') ?? []) output.note(`       ${line}`);

  if (exitCode === 2) {
    output.note(
      paint('dim', `       ${[PROGRAM, ...(command ? [command.name] : []), '--help'].join(' ')}`),
    );
  }
  return exitCode;
}

/** Returns the help page of all commands. */
function formatOverview(style: Style): string {
  const rows = COMMANDS.map((command): Pair => [formatUsage(command), command.summary]);
  return [
    `${style('bold', PROGRAM)}  text-message codes as a second factor: the account, the state, ` +
      'the simulator',
    '',
    ...alignPairs(rows, style),
    '',
    `${style('dim', 'The gateway ')}  SMS_OTP_BASE_URL, SMS_OTP_VARIANT (A or B), ` +
      'SMS_OTP_USERNAME, SMS_OTP_PASSWORD',
    `${style('dim', 'The state   ')}  REDIS_URL or DATABASE_URL`,
    `${style('dim', 'Exit codes  ')}  0 success, 1 a check or a call failed, 2 wrong usage, ` +
      '130 ended by Ctrl+C',
    '',
    `${PROGRAM} <command> --help shows the options of a command, ${PROGRAM} --version the version.`,
  ].join('\n');
}

/** Returns the help page of one command. */
function formatHelp(command: Command, style: Style): string {
  const { options, summary, notes = [] } = command;
  const rows = Object.entries(options).map(([name, { value, isRepeatable, help }]): Pair => {
    return [
      `--${name}${value === undefined ? '' : ` ${value}`}${isRepeatable === true ? ' …' : ''}`,
      help,
    ];
  });

  return [
    `${style('bold', `${PROGRAM} ${formatUsage(command)}`)}  ${summary}`,
    '',
    ...alignPairs([...rows, ['--help', 'show this']], style),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ].join('\n');
}

function formatUsage(command: Command): string {
  return [command.name, ...(command.positionals ?? [])].join(' ');
}

type Pair = readonly [left: string, right: string];

function alignPairs(pairs: readonly Pair[], style: Style): string[] {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(
    ([left, right]) => `  ${style('cyan', left)}${' '.repeat(width - left.length)}  ${right}`,
  );
}

/**
 * Options that people try. Others could read a secret in them in the process list and in the
 * shell's history.
 */
const SECRET_OPTION =
  /^--?(user(name)?|pass(word|phrase)?|secret|token|access-token|api-?key|key|pin|code|otp)(=|$)/i;
/** Matches a URL with a password. */
const SECRET_ADDRESS = /:\/\/[^/\s]*:[^/\s]*@/;
/** Matches a JSON web token: three parts. */
const WEB_TOKEN = /(?:^|=)eyJ[\w-]+\.[\w-]+\.[\w-]*$/;

const MIN_SECRET_CHARACTERS = 4;

/**
 * Refuses an argument that is a secret or looks like one.
 * @param secrets Values of the environment that must not appear among the arguments.
 * @throws {WrongUsage} that does not repeat it.
 */
export function refuseSecrets(words: readonly string[], secrets: readonly string[]): void {
  const known = secrets.filter((secret) => secret.length >= MIN_SECRET_CHARACTERS);
  const isSecret = (word: string): boolean =>
    SECRET_OPTION.test(word) ||
    SECRET_ADDRESS.test(word) ||
    WEB_TOKEN.test(word) ||
    known.some((secret) => word.includes(secret));

  if (!words.some(isSecret)) return;
  throw new WrongUsage(
    'A secret does not belong on the command line, where other users can see it.',
    'Use SMS_OTP_USERNAME, SMS_OTP_PASSWORD, REDIS_URL, DATABASE_URL; or standard input for ' +
      '--password-stdin and codes.',
  );
}

/**
 * Parses and checks the words after the command's name.
 * @param secrets Values that must not appear among them.
 * @throws {WrongUsage} that names options and never shows a value.
 */
export function readArguments(
  command: Command,
  words: readonly string[],
  secrets: readonly string[],
): Arguments {
  refuseSecrets(words, secrets);

  const known = Object.entries(command.options).map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  const options = Object.fromEntries(known);
  // Do not parse strictly: those error messages would repeat unknown arguments.
  const parsed = parseArgs({
    args: [...words],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });

  const given = new Map<string, (string | undefined)[]>();
  for (const token of parsed.tokens) {
    if (token.kind === 'option')
      given.set(token.name, [...(given.get(token.name) ?? []), token.value]);
  }

  checkOptions(command, given);
  checkPositionals(command, parsed.positionals);
  return createArguments(parsed.positionals, given);
}

function checkOptions(command: Command, given: GivenOptions): void {
  for (const [name, values] of given) {
    const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
    // Repeat only what looks like the name of an option: anything else might be a secret.
    const shown = /^[a-z]{1,12}(-[a-z]{1,12})?$/.test(name) ? `--${name}` : 'An argument';
    if (option === undefined) throw new WrongUsage(`${shown} is not an option of ${command.name}`);

    const takesValue = option.value !== undefined;
    if (takesValue && values.some((value) => value === undefined || value === '')) {
      throw new WrongUsage(`--${name} needs a value: --${name} ${option.value}`);
    }
    if (!takesValue && values.some((value) => value != null))
      throw new WrongUsage(`--${name} takes no value`);
    if (values.length > 1 && !option.isRepeatable)
      throw new WrongUsage(`--${name} was given more than once`);
  }
}

function checkPositionals(command: Command, given: readonly string[]): void {
  const { name, positionals = [] } = command;
  const needed = positionals.filter((positional) => !positional.startsWith('['));
  const missing = needed[given.length];
  if (missing !== undefined) throw new WrongUsage(`${name} needs ${missing}`);
  const takesMore = positionals.at(-1)?.includes('…') === true;
  if (!takesMore && given.length > positionals.length)
    throw new WrongUsage(`${name} takes fewer arguments`);
  if (given.includes('')) throw new WrongUsage(`an argument of ${name} is empty`);
}
