import type { parsePhoneNumberFromString, PhoneNumberType } from 'libphonenumber-js/max';

/** The use of a range of numbers, in libphonenumber's terms. */
export type PhoneType = PhoneNumberType;

/** The facts that the digits of a number show by themselves. */
export interface NumberOrigin {
  /** ISO 3166-1 code; null when there is none (satellite, shared codes, not a number). */
  readonly country: string | null;
  /**
   * The type of the number's range, which says nothing about the line. Null when the range is
   * unknown, as for fictional numbers.
   */
  readonly type: PhoneType | null;
  /**
   * The number in E.164 as libphonenumber writes it, however it was spelled. Text that is not a
   * number stays unchanged.
   */
  readonly e164: string;
}

/**
 * Prepares a number for reading. The returned function reads it at its first call and returns the
 * same promise from then on.
 */
export type ReadNumber = (mobile: string) => () => Promise<NumberOrigin>;

type Parser = typeof parsePhoneNumberFromString;

/**
 * Reads numbers with libphonenumber's full metadata, which is loaded for the first number. The
 * loaded parser is kept, because importing a loaded module again costs more than reading a number.
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

/** A number, with a reader for its origin when one has been prepared. */
interface PreparedNumber {
  /** E.164 with plus. */
  readonly mobile: string;
  readonly origin?: (() => Promise<NumberOrigin>) | undefined;
}

/**
 * Returns the country and type of a policy context's number, which all policies of a send read only
 * once.
 */
export async function originOf({ mobile, origin }: PreparedNumber): Promise<NumberOrigin> {
  return origin === undefined ? readOrigin(await loadParser(), mobile) : origin();
}

/**
 * Returns the country of a number as an ISO 3166-1 code, or null when it has none. @param mobile
 * E.164 with plus.
 */
export async function findNumberCountry(mobile: string): Promise<string | null> {
  return (await originOf({ mobile })).country;
}

async function loadParser(): Promise<Parser> {
  return (await import('libphonenumber-js/max')).parsePhoneNumberFromString;
}

function readOrigin(parse: Parser, mobile: string): NumberOrigin {
  const number = parse(mobile, { extract: false });
  return {
    country: number?.country ?? null,
    type: number?.getType() ?? null,
    e164: number?.number ?? mobile,
  };
}
