import { X509Certificate } from 'node:crypto';
import {
  type BaseIssue,
  check,
  custom,
  type GenericSchema,
  getDotPath,
  type InferInput,
  type InferOutput,
  integer,
  maxValue,
  minValue,
  nonEmpty,
  number,
  type ObjectEntries,
  pipe,
  record,
  safeParse,
  strictObject,
  type StrictObjectSchema,
  string,
} from 'valibot';
import type { CertificateAuthority } from './client/options';
import { isDictionary, isRecord } from './protocol/envelope';
import type { TokenStore } from './stores/store';

type Given<Entries extends ObjectEntries> = InferInput<StrictObjectSchema<Entries, undefined>>;
type Checked<Entries extends ObjectEntries> = InferOutput<StrictObjectSchema<Entries, undefined>>;

/** An object with these members and no others. */
export function strictOptions<Entries extends ObjectEntries>(
  entries: Entries,
): GenericSchema<Given<Entries>, Checked<Entries>> {
  return pipe(
    custom<Given<Entries>>(isRecord, 'must be an object'),
    strictObject(entries, (issue) => (isUnknown(issue) ? 'is unknown' : describeMissing(entries, issue))),
  );
}

/** What is left out is told in the words of its own rule, like what is undefined. */
function describeMissing(entries: ObjectEntries, issue: BaseIssue<unknown>): string {
  const schema = entries[getDotPath(issue) ?? ''];
  const issues = schema === undefined ? undefined : safeParse(schema, undefined).issues;
  return issues?.[0].message ?? 'is missing';
}

/** A member that nobody knows: a strict object says so by expecting nothing there. */
function isUnknown({ type, expected }: BaseIssue<unknown>): boolean {
  return type === 'strict_object' && expected === 'never';
}

/** An object by the codes of countries. */
export function byCountry<Input, Output>(
  member: GenericSchema<Input, Output>,
  problem: string,
  nameProblem = problem,
): GenericSchema<Record<string, Input>, Record<string, Output>> {
  return pipe(
    custom<Record<string, Input>>(isDictionary, problem),
    check((value) => Object.keys(value).every((name) => /^[A-Z]{2}$/.test(name)), nameProblem),
    record(string(), member),
  );
}

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number): GenericSchema<number> {
  const problem = `must be a whole number from ${min} to ${max}`;
  return pipe(number(problem), integer(problem), minValue(min, problem), maxValue(max, problem));
}

/** A text that is not empty. */
export function filledText(): GenericSchema<string> {
  const problem = 'must be a text that is not empty';
  return pipe(string(problem), nonEmpty(problem));
}

/** A function; its type is the caller's word. */
export function callback<Callback extends (...values: never[]) => unknown>(): GenericSchema<Callback> {
  return custom<Callback>((value) => typeof value === 'function', 'must be a function');
}

/** One certificate authority as PEM. */
export function certificateAuthority(): GenericSchema<CertificateAuthority> {
  return custom<CertificateAuthority>(isCertificate, 'must hold certificates as PEM');
}

/** Something with the two methods of a token store. */
export function tokenStore(): GenericSchema<TokenStore> {
  return custom<TokenStore>(isTokenStore, 'must have the methods read and renew');
}

function isCertificate(value: unknown): boolean {
  if (typeof value !== 'string' && !Buffer.isBuffer(value)) return false;
  try {
    new X509Certificate(value);
  } catch {
    // The platform's message would quote the text; that it is no certificate is all that matters.
    return false;
  }
  return value.includes('-----BEGIN CERTIFICATE-----');
}

function isTokenStore(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['read', 'renew'].every((name) => typeof Reflect.get(value, name) === 'function');
}

/** A schema's own words would show the value that is wrong. */
const WITHOUT_VALUES = { message: 'is not as documented' };

/**
 * Checks options and fills in the defaults.
 * @param maker the function or class they are for, named in front of every complaint.
 * @throws {TypeError} that names the first option that is wrong and never shows a value.
 */
export function parseOptions<Schema extends GenericSchema>(
  maker: string,
  schema: Schema,
  given: unknown,
): InferOutput<Schema> {
  const { success, output, issues } = safeParse(schema, given, WITHOUT_VALUES);
  if (success) return output;
  const [issue] = issues;
  const option = getDotPath(issue) ?? 'options';
  throw isUnknown(issue)
    ? new TypeError(`${maker}: unknown option ${option}`)
    : wrongOption(maker, option, issue.message);
}

/** An option of `maker` that is not what it has to be. */
export function wrongOption(maker: string, option: string, problem: string): TypeError {
  return new TypeError(`${maker}: ${option} ${problem}`);
}
