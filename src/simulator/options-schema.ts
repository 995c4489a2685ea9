import {
  array,
  boolean,
  check,
  custom,
  integer,
  looseObject,
  maxValue,
  minValue,
  nonEmpty,
  number,
  partial,
  picklist,
  pipe,
  record,
  regex,
  safeParse,
  strictObject,
  string,
  type BaseIssue,
  type GenericSchema,
} from 'valibot';
import { isDictionary, isRecord } from '../protocol/envelope';
import { describeIssue } from './describe-issue';
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

const prefixes = array(pipe(string(), regex(/^[0-9]{1,15}$/)));
const callable = custom((value) => typeof value === 'function', 'must be a function');
const filledText = pipe(string(), nonEmpty('must not be empty'));
const pinsByMobile = pipe(
  custom<Record<string, string>>(isDictionary, 'must be an object'),
  check(namesNumbers, 'must have numbers with their country codes as its names'),
  check(namesEachNumberOnce, 'lists a number twice, with and without plus'),
  record(string(), pipe(string(), regex(/^[0-9]{4,10}$/))),
);

const optionsSchema = pipe(
  custom<object>(isRecord, 'must be an object'),
  partial(
    strictObject({
      variant: picklist(['A', 'B']),
      port: pipe(number(), integer(), minValue(0), maxValue(65_535)),
      host: string(),
      username: filledText,
      password: filledText,
      balance: pipe(string(), check(isDecimal, 'must be a decimal string with at most 6 decimals')),
      pinDigits: pipe(number(), integer(), minValue(4), maxValue(10)),
      fixedPins: pinsByMobile,
      readings: readingsSchema,
      maySendOtp: boolean(),
      mayLookUp: boolean(),
      unknownDestinations: prefixes,
      forbiddenDestinations: prefixes,
      now: callable,
      randomness: looseObject({ bytes: callable, integer: callable }),
    } satisfies Record<keyof SimulatorOptions, GenericSchema>),
  ),
);

/**
 * Checks the options and fills in the defaults.
 * @throws {TypeError} that names the option and never shows its value.
 */
export function checkOptions(options: SimulatorOptions): CheckedOptions {
  const checked = safeParse(optionsSchema, options, { message: describeIssue });
  if (!checked.success) {
    throw new TypeError(`GatewaySimulator: wrong option ${nameIssue(checked.issues[0])}`);
  }
  const { readings, ...given } = dropUndefined(options);
  return { ...DEFAULTS, ...given, readings: { ...DEFAULT_READINGS, ...dropUndefined(readings ?? {}) } };
}

function namesNumbers(pins: Readonly<Record<string, string>>): boolean {
  return Object.keys(pins).every((mobile) => /^\+?[1-9][0-9]{6,14}$/.test(mobile));
}

function namesEachNumberOnce(pins: Readonly<Record<string, string>>): boolean {
  const mobiles = Object.keys(pins);
  return new Set(mobiles.map((mobile) => mobile.replace('+', ''))).size === mobiles.length;
}

/** The option and what is wrong with it; of the options with members only readings have names that may be told. */
function nameIssue({ path, message }: BaseIssue<unknown>): string {
  const names = path?.map(({ key }) => String(key)) ?? ['options'];
  return `${names.slice(0, names[0] === 'readings' ? 2 : 1).join('.')}: ${message}`;
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
