import type { Command, CommandOption } from '../command';
import type { Style } from '../output/screen';

export const PROGRAM = 'passport-sms-otp';

/** The page of all commands. */
export function showOverview(commands: readonly Command[], style: Style): string {
  const rows = commands.map((command) => [callOf(command), command.summary] as const);
  return [
    `${style.bold(PROGRAM)}  a text-message code as second factor: the account, the state, the simulator`,
    '',
    ...alignPairs(rows, style),
    '',
    `${style.dim('The gateway ')}  SMS_OTP_BASE_URL, SMS_OTP_VARIANT (A or B), SMS_OTP_USERNAME, SMS_OTP_PASSWORD`,
    `${style.dim('The state   ')}  REDIS_URL or DATABASE_URL`,
    `${style.dim('Exit codes  ')}  0 fine, 1 a check or a call failed, 2 wrong usage`,
    '',
    `${PROGRAM} <command> --help tells more.`,
  ].join('\n');
}

/** The page of one command. */
export function showHelp(command: Command, style: Style): string {
  const options = Object.entries(command.options).map(
    ([name, option]) => [nameOption(name, option), option.help] as const,
  );
  return [
    `${style.bold(`${PROGRAM} ${callOf(command)}`)}  ${command.summary}`,
    '',
    ...alignPairs([...options, ['--help', 'show this']], style),
    ...(command.notes.length === 0 ? [] : ['', ...command.notes]),
  ].join('\n');
}

function callOf({ name, positionals }: Command): string {
  return [name, ...positionals].join(' ');
}

function nameOption(name: string, { value, isRepeatable }: CommandOption): string {
  return `--${name}${value === undefined ? '' : ` ${value}`}${isRepeatable === true ? ' …' : ''}`;
}

function alignPairs(pairs: readonly (readonly [string, string])[], style: Style): string[] {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${style.cyan(left)}${' '.repeat(width - left.length)}  ${right}`);
}
