import {
  array,
  type BaseIssue,
  boolean,
  check,
  custom,
  type GenericSchema,
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
} from 'valibot';
import { isDictionary, isRecord } from '../protocol/envelope';
import type { Variant } from '../protocol/paths';
import { isLoopbackHost } from './http/serve';
import { DEFAULT_READINGS, type Readings, readingsSchema } from './readings';
import { cryptoRandomness, type Randomness } from './state/clock';
import { isDecimal } from './state/ledger';

/** What is wrong with a value that was handed in, without the value, which a schema's own words would show. */
export function describeIssue({ type, expected }: BaseIssue<unknown>): string {
  if (expected === 'never') return 'is not known';
  return `expected ${expected ?? type.replaceAll('_', ' ')}`;
}

/** What a simulator is started with. */
export interface SimulatorOptions {
  /** Which of the two interfaces it plays. Default A. OTP spec §1. */
  readonly variant?: Variant;
  /** Default 0: any free port. */
  readonly port?: number;
  /** A loopback address: 127.0.0.0/8, ::1 or localhost. Default 127.0.0.1. */
  readonly host?: string;
  /** Default `demo`. */
  readonly username?: string;
  /** Default `demo-gateway-password`. */
  readonly password?: string;
  /** The account's money, a decimal string. Default 100.0000. */
  readonly balance?: string;
  /** Digits of a pin, 4 to 10. Default 6. Not shown in OTP spec §4: how many a pin has. */
  readonly pinDigits?: number;
  /**
   * Numbers, with or without plus, that always get the same pin of 4 to 10 digits. For demonstrations and tests; the
   * library itself has no such option. Default none.
   */
  readonly fixedPins?: Readonly<Record<string, string>>;
  /** How the open points of the documents are read. Default: the careful reading of each. */
  readonly readings?: Partial<Readings>;
  /** Whether the account may send OTPs; false gives 2100 in B. Default true. OTP spec §7. */
  readonly maySendOtp?: boolean;
  /** Whether the account may look numbers up; false gives 2004. Default true. HLR spec §7. */
  readonly mayLookUp?: boolean;
  /** Beginnings of numbers, digits without plus, that give 2101 in B. Default none. OTP spec §7. */
  readonly unknownDestinations?: readonly string[];
  /** Beginnings of numbers, digits without plus, that give 2102 in B. Default none. OTP spec §7. */
  readonly forbiddenDestinations?: readonly string[];
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Where pins, ids and tokens get their chance from. Default: the platform's cryptographic generator. */
  readonly randomness?: Randomness;
}

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
