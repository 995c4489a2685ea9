import { z } from 'zod';
import { closestName } from './closest-name';
import countries = require('./countries.json');
import { optionError, readFields } from './errors';
import { isPrintedSecret } from './keys';
import type { SmsOtpStore } from './stores/store';

/** Options of `passport.authenticate` that report the reason of a refusal. */
const PASSPORT_MESSAGES = ['failureFlash', 'failureMessage', 'failWithError'];

/**
 * Returns a schema for an object with these fields and no others.
 *
 * Every field has its own message, because zod's own messages would show the value.
 * @param off The message for `false`.
 */
export function strictOptions<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  off = 'must be an object: leave it out instead of false',
) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys')
        return issue.input === false ? off : notAnObject(issue.input);

      const [unknown = ''] = issue.keys as readonly string[];
      if (PASSPORT_MESSAGES.includes(unknown))
        return 'read the reason of a refusal from status(req).notice';

      const meant = closestName(unknown, Object.keys(shape));
      return meant === undefined ? '' : `did you mean ${meant}?`;
    },
  });
}

/** Returns the message for a value that is no object: `true` suggests `{}`. */
function notAnObject(input: unknown): string {
  return input === true ? 'must be an object: write {} for the defaults' : 'must be an object';
}

/**
 * Returns a schema for the address of a page. Relative addresses are refused because browsers
 * resolve them against the current page, and `//host` because it leads to another host.
 */
export function pageOption() {
  return z
    .string('must be a string')
    .regex(
      /^(?:\/(?![/\\])|[a-z][a-z0-9+.-]*:\/\/)/i,
      'must be a path that begins with /, such as /login, or a URL with its scheme and host',
    );
}

/** Returns a schema for a whole number within bounds, both included. */
export function wholeNumber(min: number, max: number): z.ZodInt {
  const problem = `must be a whole number from ${min} to ${max}`;
  return z.int(problem).check(z.gte(min, problem), z.lte(max, problem));
}

/** Returns a schema for a string that is not empty. */
export function nonEmptyString(): z.ZodString {
  const problem = 'must be a string that is not empty';
  return z.string(problem).min(1, problem);
}

export function switchOption(): z.ZodBoolean {
  return z.boolean('must be a boolean');
}

/** Returns a schema for one of these strings. */
export function oneOf<const Values extends readonly [string, ...string[]]>(
  ...values: Values
): z.ZodEnum<z.core.util.ToEnum<Values[number]>> {
  const quoted = values.map((value) => `'${value}'`);
  return z.enum(values, `must be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`);
}

/** Returns a schema for the option `mode` of a policy. */
export function policyMode(fallback: 'enforce' | 'report') {
  return oneOf('enforce', 'report').default(fallback);
}

/** Returns a schema for an option that `false` turns off. */
export function unlessFalse<Schema extends z.ZodType>(schema: Schema) {
  return z.union([z.literal(false), schema], { error: () => '' });
}

/** Returns a schema for a function. Its type is not checked. */
export function callback<Callback extends (...values: never[]) => unknown>(): z.ZodCustom<
  Callback,
  Callback
> {
  return z.custom<Callback>((value) => typeof value === 'function', 'must be a function');
}

/**
 * Returns a schema for a function that must not return a promise. If it returns one all the same,
 * the request ends in an error, and a rejection does not end the process.
 */
export function syncCallback<Callback extends (input: never) => unknown>() {
  return callback<Callback>().transform((call) => {
    const callSafely = (input: never): unknown => {
      const value = call(input);
      if (value instanceof Promise) value.catch(() => undefined);
      return value;
    };

    // The wrapper takes and returns the same as the callback.
    return callSafely as Callback;
  });
}

/** One secret or a list. Undefined is allowed because environment variables have this type. */
export type SecretOption =
  | string
  | undefined
  | readonly [string | undefined, ...(string | undefined)[]];

const SECRET =
  'must be a string of at least 32 random characters: `openssl rand -base64 32` makes one';

const PRINTED = `is printed in the documentation, so it is public; it ${SECRET}`;

/** Returns a schema for the option `secret`: one secret or a list. Both become a list. */
export function secretOption() {
  const secret = z
    .string(SECRET)
    .min(32, SECRET)
    .refine((value) => new Set(value).size > 1, SECRET);

  const isAccepted = (secrets: readonly string[]): boolean =>
    process.env.NODE_ENV !== 'production' || !secrets.some(isPrintedSecret);

  return z
    .union(
      [secret.transform((value): [string] => [value]), z.array(secret, SECRET).nonempty(SECRET)],
      { error: () => '' },
    )
    .refine(isAccepted, PRINTED);
}

/** Returns a schema for an object that has these methods or fields. Their types are not checked. */
export function objectWith<Part>(
  what: string,
  ...fields: readonly string[]
): z.ZodCustom<Part, Part> {
  const isObject = z.custom<Part & object>(
    (value) => typeof value === 'object' && value !== null,
    `must be ${what}`,
  );
  const findMissing = (value: unknown): string | undefined =>
    fields.find((field) => !(field in Object(value)));

  return isObject.refine((value) => findMissing(value) === undefined, {
    abort: true,
    error: ({ input }) => `must be ${what}; the one given has no \`${findMissing(input) ?? ''}\``,
  });
}

/** Returns a schema for the option `store`. */
export function storeOption() {
  return objectWith<SmsOtpStore>(
    'a store, such as memoryStore() or redisStore(client)',
    'pendingLogins',
    'counters',
    'records',
    'tokens',
    'finish',
  );
}

/** Returns a schema for an object whose keys are ISO 3166-1 country codes. */
export function byCountry<Value extends z.ZodType>(
  value: Value,
  problem: string,
  keyProblem = problem,
) {
  return z
    .record(z.string(), value, problem)
    .refine(
      (record) => Object.keys(record).every((code) => findCountry(code) === code),
      keyProblem,
    );
}

/**
 * Returns the ISO 3166-1 code of a country: GB also for UK, and also AC, TA and XK, which have
 * phone numbers.
 */
export function findCountry(code: string): string | undefined {
  if (!/^[A-Z]{2}$/i.test(code)) return undefined;
  const { region = '' } = new Intl.Locale(`und-${code}`);
  return countries.includes(region) ? region : undefined;
}

/**
 * Checks options and fills in the defaults.
 * @param maker The function or class that the options belong to. Every message begins with it.
 * @throws {TypeError} that names the first wrong option, or all missing ones, and never shows a
 * value.
 */
export function parseOptions<Schema extends z.ZodType>(
  maker: string,
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  // Do not let zod compile the schema: options are parsed once, so compiling costs more than it
  // saves.
  const result = schema.safeParse(given, { jitless: true });
  if (result.success) return result.data;
  throw toOptionError(maker, result.error.issues, given);
}

function toOptionError(
  maker: string,
  issues: readonly z.core.$ZodIssue[],
  given: unknown,
): TypeError {
  const issue = findIssue(issues);
  const path = issue?.path ?? [];
  if (issue?.code === 'unrecognized_keys') {
    const option = z.core.toDotPath([...path, issue.keys[0] ?? '']);
    const meant = issue.message && `, ${issue.message}`;
    return new TypeError(`${maker}: unknown option ${option}${meant}`);
  }

  const problem = issue?.message ?? '';
  const option = z.core.toDotPath(path) || 'options';
  if (issue === undefined || !isMissing(issue, given)) return optionError(maker, option, problem);

  const missing = issues.map(toInnermost).filter((one) => isMissing(one, given));
  if (missing.length === 1) return optionError(maker, option, `is missing; it ${problem}`);
  const lines = missing.map((one) => `\n  ${z.core.toDotPath(one.path)} ${one.message}`);
  return new TypeError(`${maker}: ${lines.length} options are missing:${lines.join('')}`);
}

function isMissing(issue: z.core.$ZodIssue, given: unknown): boolean {
  const { path } = issue;
  const value = path.reduce((outer: unknown, name) => readFields(outer)[String(name)], given);
  return value === undefined && path.length > 0;
}

/** Returns the issue to report, with its whole path. */
function findIssue(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  // Report a misspelt option first: it explains why another one seems to be missing.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  return issue && toInnermost(issue);
}

/**
 * Returns the innermost issue: a union without a message of its own is explained by its last
 * member.
 */
function toInnermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union' || issue.message !== '') return issue;
  const inner = issue.errors.at(-1) ?? [];
  return findIssue(inner.map((one) => ({ ...one, path: [...issue.path, ...one.path] }))) ?? issue;
}
