import { parseArgs } from 'node:util';
import type { Arguments, Command } from './command';
import { UsageError } from './failures';

/** Options that people try. A secret in one would be seen in the process list and kept in the shell's history. */
const SECRET_OPTION =
  /^--?(user(name)?|pass(word|phrase)?|secret|token|access-token|api-?key|key|pin|code|otp)(=|$)/i;
/** A URL with a password in it. */
const SECRET_ADDRESS = /:\/\/[^/\s]*:[^/\s]*@/;
/** A JSON web token: three parts. */
const WEB_TOKEN = /(?:^|=)eyJ[\w-]+\.[\w-]+\.[\w-]*$/;

const MIN_SECRET_CHARACTERS = 4;

/**
 * Refuses an argument that is, or looks like, a secret.
 * @param secrets Values of the environment that must not appear among the arguments.
 * @throws {UsageError} that does not repeat it.
 */
export function refuseSecrets(words: readonly string[], secrets: readonly string[]): void {
  const known = secrets.filter((secret) => secret.length >= MIN_SECRET_CHARACTERS);
  const isSecret = (word: string): boolean =>
    SECRET_OPTION.test(word) ||
    SECRET_ADDRESS.test(word) ||
    WEB_TOKEN.test(word) ||
    known.some((secret) => word.includes(secret));
  if (!words.some(isSecret)) return;
  throw new UsageError(
    'A secret does not belong on the command line, where other users can see it.',
    'Use SMS_OTP_USERNAME, SMS_OTP_PASSWORD, REDIS_URL, DATABASE_URL; or standard input for --password-stdin and codes.',
  );
}

type Given = ReadonlyMap<string, readonly (string | undefined)[]>;

/**
 * Parses and checks the words after the command's name.
 * @param secrets Values that must not appear among them.
 * @throws {UsageError} which names options and never shows a value.
 */
export function readArguments(
  command: Command,
  words: readonly string[],
  secrets: readonly string[],
): Arguments {
  refuseSecrets(words, secrets);
  const { given, positionals } = split(command, words);
  checkOptions(command, given);
  checkPositionals(command, positionals);
  return {
    positionals,
    text: (name) => given.get(name)?.at(-1),
    texts: (name) => (given.get(name) ?? []).filter((value) => value !== undefined),
    isOn: (name) => given.has(name),
  };
}

/** `parseArgs` is not strict: its error messages would repeat unknown arguments. */
function split({ options }: Command, words: readonly string[]): { given: Given; positionals: string[] } {
  const known = Object.entries(options).map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(known),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, (string | undefined)[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind === 'option') given.set(token.name, [...(given.get(token.name) ?? []), token.value]);
  }
  return { given, positionals };
}

function checkOptions({ name: command, options }: Command, given: Given): void {
  for (const [name, values] of given) {
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) throw new UsageError(`${nameOption(name)} is not an option of ${command}`);
    const takesValue = option.value !== undefined;
    if (takesValue && values.some((value) => value === undefined || value === '')) {
      throw new UsageError(`--${name} needs a value: --${name} ${option.value}`);
    }
    if (!takesValue && values.some((value) => value !== undefined)) {
      throw new UsageError(`--${name} takes no value`);
    }
    if (values.length > 1 && option.isRepeatable !== true) {
      throw new UsageError(`--${name} was given more than once`);
    }
  }
}

/** Repeats only what looks like the name of an option: anything else might be a secret. */
function nameOption(name: string): string {
  return /^[a-z]{1,12}(-[a-z]{1,12})?$/.test(name) ? `--${name}` : 'An argument';
}

function checkPositionals({ name, positionals }: Command, given: readonly string[]): void {
  const needed = positionals.filter((positional) => !positional.startsWith('['));
  const missing = needed[given.length];
  if (missing !== undefined) throw new UsageError(`${name} needs ${missing}`);
  if (given.length > positionals.length) throw new UsageError(`${name} takes fewer arguments`);
  if (given.includes('')) throw new UsageError(`an argument of ${name} is empty`);
}
