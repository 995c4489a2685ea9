import { createHmac } from 'node:crypto';
import { shorten } from '../keys';
import type { NumberOrigin, ReadNumber } from './number-country';

/**
 * The keys under which a number and its prefix are counted. They are HMACs, so that no store key
 * reveals a number.
 */
export interface NumberKeySet {
  readonly number: string;
  readonly prefix: string;
  /** The keys of the number under each secret. The first is `number`. */
  readonly allNumbers: readonly string[];
}

/** Returns the keys of a number. `origin` reads the number if it has been prepared. */
export type NumberKeys = (
  mobile: string,
  origin?: () => Promise<NumberOrigin>,
) => Promise<NumberKeySet>;

/** Returns the HMAC keys, the newest first. */
export type ReadKeys = () => Promise<readonly Buffer[]>;

/** @param deriveKeys Called for the first number or address, and again only if they failed. */
export function createKeyReader(deriveKeys: readonly (() => Promise<Buffer>)[]): ReadKeys {
  let cached: readonly Buffer[] | undefined;
  return async () => (cached ??= await Promise.all(deriveKeys.map((derive) => derive())));
}

/**
 * Digits at the end of a number that a prefix leaves out: numbers that differ in these alone share
 * one.
 */
const SUBSCRIBER_DIGITS = 4;

/**
 * Returns the function that makes the keys of numbers. Pass E.164 as libphonenumber writes it, so
 * that another spelling has no other key.
 */
export function createNumberKeys(readNumber: ReadNumber, readKeys: ReadKeys): NumberKeys {
  return async (mobile, origin = readNumber(mobile)) => {
    const keys = await readKeys();
    const { e164 } = await origin();
    const allNumbers = keys.map((key) => hmac(key, e164));

    const [newest] = keys;
    // The list of secrets is never empty: each '' satisfies the compiler.
    const prefix =
      newest === undefined ? '' : hmac(newest, `prefix ${e164.slice(0, -SUBSCRIBER_DIGITS)}`);

    return { number: allNumbers[0] ?? '', allNumbers, prefix };
  };
}

/** Returns the keys of an address that is no number, under each secret, the newest first. */
export type AddressKeys = (factor: string, address: string) => Promise<readonly string[]>;

/**
 * Returns the function that makes the keys of other addresses. Capital letters do not matter: most
 * mail servers ignore them, and each spelling would have limits of its own.
 * @param readKeys As for numbers. A number is never a JSON list, so no key is that of a number.
 */
export function createAddressKeys(readKeys: ReadKeys): AddressKeys {
  return async (factor, address) => {
    const keys = await readKeys();
    return keys.map((key) => hmac(key, JSON.stringify([factor, address.toLowerCase()])));
  };
}

function hmac(key: Buffer, value: string): string {
  return shorten(createHmac('sha256', key).update(value).digest('base64url'));
}
