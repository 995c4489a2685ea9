/** The safe part of a third-party error: an allow-listed name and a code, never its message. */
export interface SafeCause {
  readonly name: string;
  readonly code: string | null;
}

/** Returns the safe part of a third-party error. An error that cannot be read has none. */
export function toSafeCause(error: unknown): SafeCause {
  const name = readField(error, 'name');
  return {
    name: typeof name === 'string' && KNOWN_NAMES.has(name) ? name : 'Error',
    // `fetch` and wrappers of drivers put the code into `cause`.
    code: readCode(error) ?? readCode(readField(error, 'cause')),
  };
}

/**
 * Returns the safe part of an error of a store. Its code may be the first word of a Redis reply.
 */
export function toStoreCause(error: unknown): SafeCause {
  const { name, code } = toSafeCause(error);
  return { name, code: code ?? readRedisCode(error) };
}

/**
 * Returns whether an error is an answer of Redis or PostgreSQL. If so, the server has undone the
 * request. Class 08 of PostgreSQL is different: it means a connection problem.
 */
export function isServerReply(error: unknown): boolean {
  const code = readField(error, 'code');
  if (isOfPostgres(error)) return typeof code === 'string' && !code.startsWith('08');
  return toSafeCause(error).code === null && readRedisCode(error) !== null;
}

/**
 * Returns a field of a third-party error. Undefined if reading it throws, as with a `Proxy` or a
 * lazy object of an SDK.
 */
export function readField(error: unknown, name: string): unknown {
  try {
    return (Object(error) as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}

const KNOWN_NAMES = new Set(
  'Error TypeError RangeError SyntaxError AggregateError AbortError TimeoutError'.split(' '),
);

/** `ECONNREFUSED`, `EAI_AGAIN`: names of the platform. A part has at most 15 letters. */
const ERRNO = /^E[A-Z\d]{2,14}(_[A-Z\d]{1,15})?$/;

/** `ERR_ACCESS_DENIED`, `CERT_HAS_EXPIRED`, `UND_ERR_SOCKET`: Node.js, OpenSSL, undici, SQLite. */
const WORDS = /^[A-Z][A-Z\d]{1,14}(_[A-Z\d]{1,15}){1,9}$/;

/** `42P01`, `57014`: PostgreSQL. */
const SQLSTATE = /^(?=.*\d)[A-Z\d]{5}$/;

/**
 * Returns the code of an error if its form rules out a secret. The forms exclude numbers of four or
 * more digits, which may be codes or phone numbers, and long words, which may be keys or recovery
 * codes.
 */
function readCode(error: unknown): string | null {
  const code = readField(error, 'code');
  if (typeof code !== 'string') return null;
  // In an error of anything but PostgreSQL, five digits may be a code that was sent.
  if (isOfPostgres(error) && SQLSTATE.test(code)) return code;
  const digits = code.replace(/\D/g, '').length;
  return digits <= 3 && (ERRNO.test(code) || WORDS.test(code)) ? code : null;
}

/**
 * Returns whether an error comes from PostgreSQL: only there is a severity set, in the server's
 * language.
 */
function isOfPostgres(error: unknown): boolean {
  const severity = readField(error, 'severity');
  return typeof severity === 'string' && /^\p{L}{1,20}$/u.test(severity);
}

/** Matches "READONLY You can't write …". Redis 6 puts "ERR Error running script …: -" before it. */
const REDIS_REPLY = /^(?:ERR Error running script .*: -)?(?<code>[A-Z]{2,12}) /s;

/**
 * What Redis 7.0 answers if a script lacks the right to a command: it has no specific code for it.
 */
const REDIS_RIGHT = "ERR The user executing the script can't ";

function readRedisCode(error: unknown): string | null {
  const message = readField(error, 'message');
  if (typeof message !== 'string') return null;
  if (message.startsWith(REDIS_RIGHT)) return 'NOPERM';
  return REDIS_REPLY.exec(message)?.groups?.code ?? null;
}
