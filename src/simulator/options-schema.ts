import { z } from 'zod';
import { isLoopbackHost } from './http/loopback';
import type { SimulatorOptions } from './options';
import { DEFAULT_READINGS, readingsSchema } from './readings-schema';
import type { Readings } from './readings';
import { isDecimal } from './state/money';
import { cryptoRandomness } from './state/randomness';

/** Options with every default filled in. */
export type CheckedOptions = Required<Omit<SimulatorOptions, 'readings'>> & { readonly readings: Readings };

const DEFAULTS: Omit<CheckedOptions, 'readings'> = {
  variant: 'A',
  port: 0,
  host: '127.0.0.1',
  username: 'demo',
  password: 'demo-gateway-password',
  balance: '100.0000',
  pinDigits: 6,
  fixedPins: {},
  maySendOtp: true,
  mayLookUp: true,
  unknownDestinations: [],
  forbiddenDestinations: [],
  now: Date.now,
  randomness: cryptoRandomness,
};

const prefixes = z.array(z.string().regex(/^[0-9]{1,15}$/));
const callable = z.custom((value) => typeof value === 'function', 'must be a function');

const optionsSchema = z
  .strictObject({
    variant: z.enum(['A', 'B']),
    port: z.int().min(0).max(65_535),
    host: z.string(),
    username: z.string().min(1),
    password: z.string().min(1),
    balance: z.string().refine(isDecimal, 'must be a decimal string with at most 6 decimals'),
    pinDigits: z.int().min(4).max(10),
    fixedPins: z
      .record(z.string().regex(/^\+?[1-9][0-9]{6,14}$/), z.string().regex(/^[0-9]{4,10}$/))
      .refine(namesEachNumberOnce, 'lists a number twice, with and without plus'),
    readings: readingsSchema,
    maySendOtp: z.boolean(),
    mayLookUp: z.boolean(),
    unknownDestinations: prefixes,
    forbiddenDestinations: prefixes,
    now: callable,
    randomness: z.looseObject({ bytes: callable, integer: callable }),
  } satisfies Record<keyof SimulatorOptions, z.ZodType>)
  .partial();

/**
 * Checks the options and fills in the defaults.
 * @throws {TypeError} that names the option and never shows its value.
 */
export function checkOptions(options: SimulatorOptions): CheckedOptions {
  const checked = optionsSchema.safeParse(options);
  if (!checked.success) {
    throw new TypeError(`GatewaySimulator: wrong option ${nameIssue(checked.error.issues[0])}`);
  }
  const { readings, ...given } = dropUndefined(options);
  return { ...DEFAULTS, ...given, readings: { ...DEFAULT_READINGS, ...dropUndefined(readings ?? {}) } };
}

function namesEachNumberOnce(pins: Readonly<Record<string, string>>): boolean {
  const mobiles = Object.keys(pins);
  return new Set(mobiles.map((mobile) => mobile.replace('+', ''))).size === mobiles.length;
}

/**
 * The option and what is wrong with it; of the options with members only readings have names that may be
 * told.
 */
function nameIssue(issue: z.core.$ZodIssue | undefined): string {
  const path = issue?.path[0] === 'readings' ? issue.path.slice(0, 2) : (issue?.path.slice(0, 1) ?? []);
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  return `${[...path, ...unknown].join('.')}: ${issue?.message ?? ''}`;
}

/**
 * The simulator shows pins to whoever asks: it stays on the machine and out of production.
 * @throws {Error} that says why.
 */
export function refuseDangerousPlace(host: string, environment: string | undefined): void {
  if (environment === 'production') {
    throw new Error(
      'GatewaySimulator refuses to start: NODE_ENV is production, and it shows every pin it sends',
    );
  }
  if (!isLoopbackHost(host)) {
    throw new Error(
      'GatewaySimulator refuses to start: host must be a loopback address (127.0.0.0/8, ::1 or localhost), because it shows every pin it sends',
    );
  }
}

/** An option given as undefined is an option not given. */
function dropUndefined<Options extends object>(options: Options): Options {
  // Only members whose value is undefined are left out; the others keep their types.
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}
