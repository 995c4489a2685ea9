import type {
  parsePhoneNumberFromString,
  PhoneNumber,
  PhoneNumberType,
} from 'libphonenumber-js/max';

/** The type of a number, in libphonenumber's terms. */
export type PhoneType = PhoneNumberType;

/** Facts that the digits of a number show. */
export interface NumberOrigin {
  /** ISO 3166-1 code. Null if there is none (satellite, international networks, not a number). */
  readonly country: string | null;
  /**
   * True if libphonenumber does not know the range and several countries share its calling code.
   * Then `country` is the main one, such as US for +1. New area codes look like this.
   */
  readonly isCountryAssumed: boolean;
  /**
   * The type of the number's range, which says nothing about the line. Null if the range is
   * unknown, as for fictional numbers.
   */
  readonly type: PhoneType | null;
  /**
   * The number in E.164 as libphonenumber writes it: without a national zero, and without the 1 of
   * old Mexican mobile numbers. A string that is not a number stays unchanged.
   */
  readonly e164: string;
}

/**
 * Prepares a number for reading. The returned function reads it at its first call and then returns
 * the same promise.
 */
export type ReadNumber = (mobile: string) => () => Promise<NumberOrigin>;

/** Returns whether a value is an E.164 number with its plus: 7 to 15 digits, the first not zero. */
export function isPhoneNumber(value: unknown): value is string {
  return typeof value === 'string' && /^\+[1-9][0-9]{6,14}$/.test(value);
}

type Parser = typeof parsePhoneNumberFromString;

/**
 * Returns a function that reads numbers with libphonenumber's full metadata, which is loaded for
 * the first number. The parser is kept, because importing a loaded module again costs more than
 * reading a number.
 */
export function createNumberReader(): ReadNumber {
  let loading: Promise<Parser> | undefined;

  function load(): Promise<Parser> {
    loading ??= loadParser().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  return (mobile) => {
    let origin: Promise<NumberOrigin> | undefined;
    return () => (origin ??= load().then((parse) => readOrigin(parse, mobile)));
  };
}

/** A number, with a reader for its origin if one was prepared. */
interface PreparedNumber {
  /** E.164 with plus. */
  readonly mobile: string;
  readonly origin?: (() => Promise<NumberOrigin>) | undefined;
}

/**
 * Returns the country and type of a policy context's number. All policies of a send share one
 * reading.
 */
export async function originOf(number: PreparedNumber): Promise<NumberOrigin> {
  if (number.origin !== undefined) return number.origin();
  return readOrigin(await loadParser(), number.mobile);
}

/**
 * Returns the country of a number's range. Null if there is none or it is assumed: then the number
 * may be of any country that shares the calling code.
 */
export function toKnownCountry(origin: NumberOrigin): string | null {
  return origin.isCountryAssumed ? null : origin.country;
}

/** Returns the version of libphonenumber. Its numbering plans are as old as that version. */
export function readPhoneLibraryVersion(): string {
  return (require('libphonenumber-js/package.json') as { readonly version: string }).version;
}

/** Returns the E.164 form of a number, in which numbers are compared, counted and messaged. */
export async function toE164(readNumber: ReadNumber, mobile: string): Promise<string> {
  return (await readNumber(mobile)()).e164;
}

async function loadParser(): Promise<Parser> {
  return (await import('libphonenumber-js/max')).parsePhoneNumberFromString;
}

function readOrigin(parse: Parser, mobile: string): NumberOrigin {
  const number = parse(toCurrentForm(mobile), { extract: false });
  // Remove national zeros one at a time.
  if (number !== undefined && number.number.length < mobile.length)
    return readOrigin(parse, number.number);

  const country = number?.country ?? null;
  const assumed = number === undefined ? null : assumeCountry(number);
  return {
    country: country ?? assumed,
    isCountryAssumed: country === null && assumed !== null,
    type: number?.getType() ?? null,
    e164: number?.number ?? mobile,
  };
}

/**
 * Returns the main country of a number's calling code if the range is unknown and several countries
 * share the code. Otherwise null. `+1 861 555 0123`: US. Null also for a number of an impossible
 * length.
 */
export function assumeCountry(number: PhoneNumber): string | null {
  if (number.country !== undefined || number.isNonGeographic() || !number.isPossible()) return null;
  return number.getPossibleCountries()[0] ?? null;
}

/**
 * Returns a number without the 1 that Mexican mobile numbers had until 2019, so that both forms are
 * equal: `+52 1 55 1234 5678` becomes `+52 55 1234 5678`. Others stay unchanged.
 */
export function toCurrentForm(mobile: string): string {
  return mobile.replace(/^\+521(?=[0-9]{10}$)/, '+52');
}
