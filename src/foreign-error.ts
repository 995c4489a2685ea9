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
    // `fetch` and wrappers of drivers keep the code one level down.
    code: readCode(error) ?? readCode(readField(error, 'cause')),
  };
}

/** Returns the safe part of an error of a store, whose code may be the first word of a reply. */
export function toStoreCause(error: unknown): SafeCause {
  const { name, code } = toSafeCause(error);
  return { name, code: code ?? readRedisCode(error) };
}

/**
 * Returns whether an error is the answer of Redis or PostgreSQL, so that the server has undone what
 * it was asked. Class 08 of PostgreSQL is about the connection.
 */
export function isServerReply(error: unknown): boolean {
  const code = readField(error, 'code');
  if (isOfPostgres(error)) return typeof code === 'string' && !code.startsWith('08');
  return toSafeCause(error).code === null && readRedisCode(error) !== null;
}

/**
 * Reads a field of a third-party error. Undefined if reading it throws, as it may with a `Proxy` or
 * a lazy object of an SDK.
 */
export function readField(error: unknown, name: string): unknown {
  try {
    return (Object(error) as Readonly<Record<string, unknown>>)[name];
  } catch {
    // Nothing can be found out.
    return undefined;
  }
}

const KNOWN_NAMES = new Set(
  'Error TypeError RangeError SyntaxError AggregateError AbortError TimeoutError'.split(' '),
);

/** `ECONNREFUSED`, `EAI_AGAIN`: the names of the platform. No word is longer than 15 letters. */
const ERRNO = /^E[A-Z\d]{2,14}(_[A-Z\d]{1,15})?$/;

/** `ERR_ACCESS_DENIED`, `CERT_HAS_EXPIRED`, `UND_ERR_SOCKET`: Node.js, OpenSSL, undici, SQLite. */
const WORDS = /^[A-Z][A-Z\d]{1,14}(_[A-Z\d]{1,15}){1,9}$/;

/** `42P01`, `57014`: PostgreSQL. */
const SQLSTATE = /^(?=.*\d)[A-Z\d]{5}$/;

/**
 * The forms leave out what may be a secret: numbers of four digits and more, which codes and phone
 * numbers are, and long words, which keys and recovery codes are.
 */
function readCode(error: unknown): string | null {
  const code = readField(error, 'code');
  if (typeof code !== 'string') return null;
  // Elsewhere five digits may be a code that was texted.
  if (isOfPostgres(error) && SQLSTATE.test(code)) return code;
  const digits = code.replace(/\D/g, '').length;
  return digits <= 3 && (ERRNO.test(code) || WORDS.test(code)) ? code : null;
}

/** PostgreSQL names a severity, in the language of the server. */
function isOfPostgres(error: unknown): boolean {
  const severity = readField(error, 'severity');
  return typeof severity === 'string' && /^\p{L}{1,20}$/u.test(severity);
}

/** "READONLY You can't write …". Redis 6 puts "ERR Error running script …: -" in front of it. */
const REDIS_REPLY = /^(?:ERR Error running script .*: -)?(?<code>[A-Z]{2,12}) /s;

/** Redis 7.0 has no code of its own for a right that a command inside of a script lacks. */
const REDIS_RIGHT = "ERR The user executing the script can't ";

function readRedisCode(error: unknown): string | null {
  const message = readField(error, 'message');
  if (typeof message !== 'string') return null;
  if (message.startsWith(REDIS_RIGHT)) return 'NOPERM';
  return REDIS_REPLY.exec(message)?.groups?.code ?? null;
}
