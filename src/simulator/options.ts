import { randomBytes, randomInt } from 'node:crypto';
import { z } from 'zod';
import {
  callback,
  nonEmptyString,
  objectWith,
  oneOf,
  parseOptions,
  strictOptions,
  switchOption,
  wholeNumber,
} from '../define-options';
import { toDigits } from '../protocol/mobile';
import { dictionary, readingsSchema } from './readings';
import { isDecimal } from './state/ledger';

const PINS = 'must be an object of pins of 4 to 10 digits, by number with its country code';
const pinsByMobile = dictionary(
  z.string().regex(/^[0-9]{4,10}$/),
  PINS,
  z.string().refine((mobile) => toDigits(mobile) !== null),
).refine((pins) => {
  const mobiles = Object.keys(pins);
  return new Set(mobiles.map(toDigits)).size === mobiles.length;
}, 'must not list a number twice, with and without plus');

const PREFIXES = 'must be an array of prefixes of 1 to 15 digits, without plus';
const prefixes = z
  .array(z.string(PREFIXES).regex(/^[0-9]{1,15}$/, PREFIXES), PREFIXES)
  .readonly()
  .default([]);

const BALANCE = 'must be a decimal string with at most 6 decimals';

/** The simulator's source of randomness. */
export interface Randomness {
  bytes(size: number): Buffer;
  /** Returns a whole number from 0 to below the given one. */
  integer(below: number): number;
}

/** The platform's cryptographic generator. */
export const cryptoRandomness: Randomness = {
  bytes: (size) => randomBytes(size),
  integer: (below) => randomInt(below),
};

const RANDOMNESS = 'an object with the methods bytes and integer';
const randomness = objectWith<Randomness>(RANDOMNESS, 'bytes', 'integer').refine(
  (source) => typeof source.bytes === 'function' && typeof source.integer === 'function',
  `must be ${RANDOMNESS}`,
);

/** Every option with its default and range. */
const optionsSchema = strictOptions({
  /** The variant to simulate. Default: A. OTP spec §1. */
  variant: oneOf('A', 'B').default('A'),
  /** The port. Default: 0, any free port. */
  port: wholeNumber(0, 65_535).default(0),
  /** A loopback address: 127.0.0.0/8, ::1 or localhost. Default: 127.0.0.1. */
  host: z.string('must be a string').default('127.0.0.1'),
  /** Default: `demo`. */
  username: nonEmptyString().default('demo'),
  /** Default: `demo-gateway-password`. */
  password: nonEmptyString().default('demo-gateway-password'),
  /** The account's balance, a decimal string. Default: 100.0000. */
  balance: z.string(BALANCE).refine(isDecimal, BALANCE).default('100.0000'),
  /** Digits of a pin, 4 to 10. Default: 6. Not shown in OTP spec §4: how many digits a pin has. */
  pinDigits: wholeNumber(4, 10).default(6),
  /**
   * Numbers, with or without plus, that always get the same pin of 4 to 10 digits. For
   * demonstrations and tests: the library itself has no such option. Default: none.
   */
  fixedPins: pinsByMobile.default({}),
  /**
   * How the open points of the documents are read. Default: the documented or most careful reading
   * of each.
   */
  readings: readingsSchema.prefault({}),
  /** Whether the account may send OTPs. False leads to 2100 in B. Default: true. OTP spec §7. */
  maySendOtp: switchOption().default(true),
  /** Whether the account may look up numbers. False leads to 2004. Default: true. HLR spec §7. */
  mayLookUp: switchOption().default(true),
  /**
   * Prefixes of numbers, digits without plus, that lead to 2101 in B. Default: none. OTP spec §7.
   */
  unknownDestinations: prefixes,
  /**
   * Prefixes of numbers, digits without plus, that lead to 2102 in B. Default: none. OTP spec §7.
   */
  forbiddenDestinations: prefixes,
  /** Returns the time in milliseconds since 1970. Default: `Date.now`. */
  now: callback<() => number>().default(() => Date.now),
  /** The source of pins, ids and tokens. Default: the platform's cryptographic generator. */
  randomness: randomness.default(cryptoRandomness),
});

/** The options of a simulator. */
export type SimulatorOptions = z.input<typeof optionsSchema>;

/** The options with all defaults filled in. */
export type SimulatorSettings = Readonly<z.output<typeof optionsSchema>>;

/**
 * Checks the options and fills in the defaults.
 * @throws {TypeError} that names the option and never shows its value.
 */
export function checkOptions(options: SimulatorOptions): SimulatorSettings {
  return parseOptions('GatewaySimulator', optionsSchema, options);
}

/**
 * Refuses to run in production, or where other machines could connect, because the simulator shows
 * all pins.
 * @throws {Error} that names the reason.
 */
export function refuseUnsafeEnvironment(host: string, environment: string | undefined): void {
  if (environment === 'production') {
    throw new Error(
      'GatewaySimulator refuses to start: NODE_ENV is production, and it shows every pin it sends',
    );
  }

  if (!isLoopbackHost(host)) {
    throw new Error(
      'GatewaySimulator refuses to start: host must be a loopback address (127.0.0.0/8, ::1 or ' +
        'localhost), because it shows every pin it sends',
    );
  }
}

/** Returns true for a host that never leaves the machine: 127.0.0.0/8, ::1 and localhost. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || name === '::1' || name === '[::1]') return true;
  return /^127(\.(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3}$/.test(name);
}
