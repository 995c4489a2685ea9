import { isIP } from 'node:net';
import { z } from 'zod';

/** The environment of the process, without the empty variables. */
export type RawEnvironment = Readonly<Record<string, string | undefined>>;

const port = z
  .string()
  .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, 'must be a whole number from 0 to 65535')
  .transform(Number);

const proxies = z
  .string()
  .refine(
    (text) => /^\d{1,2}$/.test(text) || splitList(text).every(isProxyAddress),
    'must be the number of proxies or a list of their addresses',
  )
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : splitList(text)));

function splitList(text: string): string[] {
  return text.split(/\s*,\s*/);
}

/** An address, a network, or one of the names that Express knows. */
function isProxyAddress(text: string): boolean {
  const [address = '', prefix = '0'] = text.split('/');
  return ['loopback', 'linklocal', 'uniquelocal'].includes(text) || (isIP(address) > 0 && /^\d+$/.test(prefix));
}

const countries = z
  .string()
  .regex(/^any$|^[A-Z]{2}(\s*,\s*[A-Z]{2})*$/, 'must be "any" or two-letter codes such as US,CA')
  .transform((text): 'any' | string[] => (text === 'any' ? text : splitList(text)));

/** Redis takes the number of a database after the host, and nothing else. */
const redisAddress = z
  .string()
  .refine(
    (text) => isAddress(text, ['redis:', 'rediss:']) && /^\/?\d*$/.test(new URL(text).pathname),
    'must be an address that begins with redis:// or rediss://',
  );

const databaseAddress = z
  .string()
  .refine(
    (text) => isAddress(text, ['postgres:', 'postgresql:']),
    'must be an address that begins with postgres:// or postgresql://',
  );

function isAddress(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}

const workers = z
  .string()
  .refine((text) => /^[1-9]\d?$/.test(text) && Number(text) <= 64, 'must be a whole number from 1 to 64')
  .transform(Number);

const phone = z
  .string()
  .regex(/^\+?[1-9]\d{6,14}$/, 'must be a number with its country code, such as +12025550123')
  .transform((number) => (number.startsWith('+') ? number : `+${number}`));

const gatewayAddress = z
  .string()
  .refine(isGatewayAddress, 'must be an https address (http on this machine), without user name, query or fragment');

/** The rule of `GatewayClient`, checked here so that it appears in the list with the other problems. */
function isGatewayAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return (protocol === 'https:' || (protocol === 'http:' && isLocal)) && !(username || password || search || hash);
}

/** One line for each variable. A message follows the name of its variable and never shows the value. */
export const environmentSchema = z.object({
  NODE_ENV: z.string().optional(),
  PORT: port.prefault('3000'),
  SESSION_SECRET: z.string().optional(),
  SMS_OTP_SECRET: z.string().min(32, 'needs at least 32 characters').optional(),
  TRUST_PROXY: proxies.prefault('0'),
  SMS_OTP_BASE_URL: gatewayAddress.optional(),
  SMS_OTP_VARIANT: z.enum(['A', 'B'], 'must be A or B').default('A'),
  SMS_OTP_USERNAME: z.string().optional(),
  SMS_OTP_PASSWORD: z.string().optional(),
  SMS_OTP_NUMBERS_AS: z.enum(['string', 'number'], 'must be string or number').default('string'),
  ALICE_PHONE: phone.optional(),
  BOB_PHONE: phone.optional(),
  ALLOWED_COUNTRIES: countries.optional(),
  REDIS_URL: redisAddress.optional(),
  DATABASE_URL: databaseAddress.optional(),
  WORKERS: workers.prefault('1'),
  LOG_LEVEL: z
    .enum(['silent', 'error', 'warn', 'info', 'debug'], 'must be silent, error, warn, info or debug')
    .default('info'),
});

export type Environment = z.output<typeof environmentSchema>;
