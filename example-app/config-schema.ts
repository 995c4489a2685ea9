import { isIP } from 'node:net';
import {
  check,
  minLength,
  object,
  optional,
  picklist,
  pipe,
  regex,
  string,
  transform,
  type InferOutput,
} from 'valibot';

/** The environment as the process has it, without the empty ones. */
export type RawEnvironment = Readonly<Record<string, string | undefined>>;

const port = pipe(
  string(),
  check((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, 'must be a whole number from 0 to 65535'),
  transform(Number),
);

const proxies = pipe(
  string(),
  check(
    (text) => /^\d{1,2}$/.test(text) || splitList(text).every(isProxyAddress),
    'must be the number of proxies or a list of their addresses',
  ),
  transform((text) => (/^\d+$/.test(text) ? Number(text) : splitList(text))),
);

function splitList(text: string): string[] {
  return text.split(/\s*,\s*/);
}

/** An address, a network, or one of the names that Express knows. */
function isProxyAddress(text: string): boolean {
  const [address = '', prefix = '0'] = text.split('/');
  return (
    ['loopback', 'linklocal', 'uniquelocal'].includes(text) || (isIP(address) > 0 && /^\d+$/.test(prefix))
  );
}

const countries = pipe(
  string(),
  regex(/^any$|^[A-Z]{2}(\s*,\s*[A-Z]{2})*$/, 'must be "any" or two-letter codes such as US,CA'),
  transform((text): 'any' | string[] => (text === 'any' ? text : splitList(text))),
);

/** Redis takes a number of its database after the host, and nothing else. */
const redisAddress = pipe(
  string(),
  check(
    (text) => isAddress(text, ['redis:', 'rediss:']) && /^\/?\d*$/.test(new URL(text).pathname),
    'must be an address that begins with redis:// or rediss://',
  ),
);

const databaseAddress = pipe(
  string(),
  check(
    (text) => isAddress(text, ['postgres:', 'postgresql:']),
    'must be an address that begins with postgres:// or postgresql://',
  ),
);

function isAddress(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}

const workers = pipe(
  string(),
  check((text) => /^[1-9]\d?$/.test(text) && Number(text) <= 64, 'must be a whole number from 1 to 64'),
  transform(Number),
);

const phone = pipe(
  string(),
  regex(/^\+?[1-9]\d{6,14}$/, 'must be a number with its country code, such as +12025550123'),
  transform((number) => (number.startsWith('+') ? number : `+${number}`)),
);

/** The client's own rule, asked here so that it appears in the list with the rest. */
function isGatewayAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return (
    (protocol === 'https:' || (protocol === 'http:' && isLocal)) && !(username || password || search || hash)
  );
}

const gatewayAddress = pipe(
  string(),
  check(
    isGatewayAddress,
    'must be an https address (http on this machine), without user name, query or fragment',
  ),
);

/** One line for each variable; the messages go on after its name and never repeat its value. */
export const environmentSchema = object({
  NODE_ENV: optional(string()),
  PORT: optional(port, '3000'),
  SESSION_SECRET: optional(string()),
  SMS_OTP_SECRET: optional(pipe(string(), minLength(32, 'needs at least 32 characters'))),
  TRUST_PROXY: optional(proxies, '0'),
  SMS_OTP_BASE_URL: optional(gatewayAddress),
  SMS_OTP_VARIANT: optional(picklist(['A', 'B'], 'must be A or B'), 'A'),
  SMS_OTP_USERNAME: optional(string()),
  SMS_OTP_PASSWORD: optional(string()),
  SMS_OTP_NUMBERS_AS: optional(picklist(['string', 'number'], 'must be string or number'), 'string'),
  ALICE_PHONE: optional(phone),
  BOB_PHONE: optional(phone),
  ALLOWED_COUNTRIES: optional(countries),
  REDIS_URL: optional(redisAddress),
  DATABASE_URL: optional(databaseAddress),
  WORKERS: optional(workers, '1'),
  LOG_LEVEL: optional(
    picklist(['silent', 'error', 'warn', 'info', 'debug'], 'must be silent, error, warn, info or debug'),
    'info',
  ),
});

export type Environment = InferOutput<typeof environmentSchema>;
