import type { parsePhoneNumberFromString, PhoneNumber, PhoneNumberType } from 'libphonenumber-js/max';

/** What a range of numbers is for, in libphonenumber's words. */
export type PhoneType = PhoneNumberType;

/** What the digits of a number tell by themselves. */
export interface NumberOrigin {
  /** ISO 3166-1 code; null when there is none (satellite, shared codes, not a number). */
  readonly country: string | null;
  /** Null when no list knows the range, as for fictional numbers. */
  readonly type: PhoneType | null;
}

/** Reads a number when it is first asked about, and not again. */
export type ReadNumber = (mobile: string) => () => Promise<NumberOrigin>;

/**
 * Reads numbers with libphonenumber's full metadata, which is loaded at the first one and kept: asking for a module
 * again costs more than reading a number.
 */
export function createNumberReader(): ReadNumber {
  let parser: Promise<Parser> | undefined;

  function load(): Promise<Parser> {
    parser ??= loadParser().catch((error: unknown) => {
      parser = undefined;
      throw error;
    });
    return parser;
  }

  return (mobile) => {
    let origin: Promise<NumberOrigin> | undefined;
    return () => (origin ??= load().then((parse) => toOrigin(parse(mobile, { extract: false }))));
  };
}

/** The country and the type of a number. The type is that of its range: no word about the line. @param mobile E.164 with plus. */
async function findNumberOrigin(mobile: string): Promise<NumberOrigin> {
  const parse = await loadParser();
  return toOrigin(parse(mobile, { extract: false }));
}

/** A number with where it is from, once that is known. */
interface Numbered {
  readonly mobile: string;
  readonly origin?: (() => Promise<NumberOrigin>) | undefined;
}

/** The country and the type of the number a question is about; reading a number is the dearest part of a rule. */
export function originOf({ mobile, origin }: Numbered): Promise<NumberOrigin> {
  return origin === undefined ? findNumberOrigin(mobile) : origin();
}

/** The country of a number as an ISO 3166-1 code, or null when it has none. @param mobile E.164 with plus. */
export async function findNumberCountry(mobile: string): Promise<string | null> {
  return (await findNumberOrigin(mobile)).country;
}

type Parser = typeof parsePhoneNumberFromString;

async function loadParser(): Promise<Parser> {
  return (await import('libphonenumber-js/max')).parsePhoneNumberFromString;
}

function toOrigin(number: PhoneNumber | undefined): NumberOrigin {
  return { country: number?.country ?? null, type: number?.getType() ?? null };
}
