import { UsageError } from '../failures';

/** Options that people try; a secret in them is seen in the list of processes and kept in the shell's history. */
const SECRET_OPTION =
  /^--?(user(name)?|pass(word|phrase)?|secret|token|access-token|api-?key|key|pin|code|otp)(=|$)/i;
/** An address with a password in it. */
const SECRET_ADDRESS = /:\/\/[^/\s]*:[^/\s]*@/;
/** A token of the kind that has three parts. */
const WEB_TOKEN = /(?:^|=)eyJ[\w-]+\.[\w-]+\.[\w-]*$/;

const SHORTEST_SECRET = 4;

/**
 * Refuses an argument that is, or looks like, a secret.
 * @param secrets Values of the environment that must not stand on the line.
 * @throws {UsageError} that does not repeat it.
 */
export function refuseSecrets(words: readonly string[], secrets: readonly string[]): void {
  const known = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  const isSecret = (word: string): boolean =>
    SECRET_OPTION.test(word) ||
    SECRET_ADDRESS.test(word) ||
    WEB_TOKEN.test(word) ||
    known.some((secret) => word.includes(secret));
  if (!words.some(isSecret)) return;
  throw new UsageError(
    'A secret does not belong on the command line, where others see it.',
    'Use SMS_OTP_USERNAME, SMS_OTP_PASSWORD, REDIS_URL, DATABASE_URL; or standard input: --password-stdin, and any code.',
  );
}
