import type { Request, Response } from 'express';
import { z } from 'zod';
import {
  callback,
  oneOf,
  pageOption,
  parseOptions,
  strictOptions,
  switchOption,
  syncCallback,
} from '../define-options';
import type { Purpose, Transaction } from '../stores/store';

/**
 * Where to go: a path that begins with `/`, or a URL with its scheme and host. Without them, a
 * success calls the next handler of the route, or answers with `req.smsOtp` as JSON if there is
 * none. A refusal is answered as JSON.
 */
export interface RedirectOptions {
  readonly successRedirect?: string | undefined;
  readonly failureRedirect?: string | undefined;
}

/** Options of `firstFactor`. */
export interface FirstFactorOptions {
  /** Where a wrong password leads. Default: `paths.login`; without `paths` the answer is JSON. */
  readonly failureRedirect?: string | undefined;
}

/** Options of `send`. */
export interface SendOptions extends RedirectOptions {
  /**
   * Where users go who need no second factor, such as the page that adds a number. Guards with a
   * `redirect` and without `maxAgeSeconds` or `methods` lead them there too. A page that the user
   * wanted comes first if its guard lets the user pass. Default: `/` if `successRedirect` is given,
   * otherwise the next handler.
   */
  readonly notRequiredRedirect?: string | undefined;
  /**
   * Where users of a trusted device go, unless they wanted another page. Default: `/` if
   * `successRedirect` is given, otherwise the next handler.
   */
  readonly trustedDeviceRedirect?: string | undefined;
}

/** The options of Passport that `verify` takes. */
export interface PassportOptions {
  /**
   * Whether the user is logged in to the session. False: `req.user` is set for this request only,
   * and there is no mark. Default: true.
   */
  readonly session?: boolean | undefined;
  /** Passport's own option: merges the old session into the renewed one. Default: false. */
  readonly keepSessionInfo?: boolean | undefined;
  /** Whether `req.authInfo` is set. Default: true. */
  readonly authInfo?: boolean | undefined;
}

/** Options of `verify`: where to go, what the code is for, and three of Passport's own. */
export interface VerifyOptions extends RedirectOptions, PassportOptions {
  /**
   * The only purpose whose code is verified here. A code of another purpose is refused with
   * `no-pending-login`, and stays valid elsewhere. Set it in the route that carries out a
   * transaction. Left out: any.
   */
  readonly purpose?: Exclude<Purpose, 'enroll'> | undefined;
}

/** Options of `stepUp`. */
export interface StepUpOptions extends RedirectOptions {
  /**
   * Returns the transaction that the user is to approve. Its amount and payee are shown in the text
   * message and bound to the code. `verify` returns them in `req.smsOtp.transaction`, and the mark
   * stays as it was. Left out: the code renews the mark.
   */
  readonly transaction?: ((req: Request) => Transaction | Promise<Transaction>) | undefined;
}

/** The name of a factor. */
// The intersection lets editors suggest the known words.
export type FactorName = 'sms' | 'recovery-code' | (string & {});

/** Which second factor is good enough. */
export interface SecondFactorOptions {
  /**
   * The most seconds since the second factor was passed; 0 accepts none. If it is given, a trusted
   * device never passes. Left out: any age, and any method.
   */
  readonly maxAgeSeconds?: number | undefined;
  /**
   * The factors that are good enough, such as `['passkey']`: `'sms'`, `'recovery-code'` and names
   * of the option `factors`. After a refusal, the next step-up accepts only these. Left out: any
   * method, including trusted devices.
   */
  readonly methods?: readonly FactorName[] | undefined;
}

/** Options of `requireSecondFactor`. */
export interface GuardOptions extends SecondFactorOptions {
  /**
   * Where to redirect the browser instead of answering 403. The page that the user wanted is kept
   * until after the second factor.
   */
  readonly redirect?: string | undefined;
  /**
   * Returns the page to go to after the second factor: a path as the browser sees it, a URL of one
   * of `returnToOrigins`, or null for none. For an app behind a path prefix, or with its login on
   * another host. Only together with `redirect` or `paths`. Default: the URL of the request.
   */
  readonly returnTo?: ((req: Request) => string | null) | undefined;
  /**
   * Lets users pass for whom `isRequiredFor`, which is called again, returns false. Default: false.
   */
  readonly allowNotRequired?: boolean | undefined;
}

/** Options of every middleware that changes a user's numbers. */
export interface PhoneOptions extends RedirectOptions {
  /** The most seconds since the second factor was passed: above 0, at most 900. Default: 300. */
  readonly maxAgeSeconds?: number | undefined;
}

/** Options of `phones.enroll`. */
export interface EnrollOptions extends PhoneOptions {
  /**
   * Whether the new number replaces another one as soon as its code is right: the one whose
   * `phoneId` is in the body, otherwise the default. Default: false, the number is added.
   */
  readonly replaces?: boolean | undefined;
  /**
   * ISO 3166-1 code of the country whose national format is accepted. Default: none, so numbers
   * begin with a plus.
   */
  readonly defaultCountry?: string | undefined;
  /**
   * Answers a refusal in place of the redirect, for example with the form and what the user typed.
   * `req.smsOtp` has the reason, which may be any: `req.user` may be missing. Nothing is kept in
   * the session. A request that asks for JSON, and one whose login has ended, are answered as
   * without this option. Default: none.
   */
  readonly showRefusal?: ((req: Request, res: Response) => unknown) | undefined;
}

/** Options of `phones.remove`. */
export interface RemoveOptions extends PhoneOptions {
  /**
   * Whether the last confirmed number must stay: without one, the next number is trusted on first
   * use. Default: true.
   */
  readonly keepsLast?: boolean | undefined;
}

const redirect = pageOption().optional();
const flag = switchOption().optional();
const redirects = { successRedirect: redirect, failureRedirect: redirect };

/** An age in seconds. Infinity is allowed, which zod's own number refuses. */
const age = z.custom<number>((value) => typeof value === 'number', {
  error: 'must be a number',
  abort: true,
});
const secondFactor = {
  maxAgeSeconds: age.refine((seconds) => seconds >= 0, 'must be zero or more').optional(),
  methods: z
    .array(z.string('must be a string'), 'must be a list of names of factors')
    .min(1, 'must not be empty: leave it out to accept any factor')
    .optional(),
};
const phoneChange = {
  ...redirects,
  maxAgeSeconds: age
    .refine((seconds) => seconds > 0 && seconds <= 900, 'must be above 0 and at most 900')
    .default(300),
};

const redirectSchema = strictOptions(redirects) satisfies z.ZodType<RedirectOptions>;
const verifySchema = strictOptions({
  ...redirects,
  session: flag,
  keepSessionInfo: flag,
  authInfo: flag,
  purpose: oneOf('login', 'step-up', 'transaction').optional(),
}) satisfies z.ZodType<VerifyOptions>;
const country = z
  .string('must be a string')
  .regex(/^[A-Z]{2}$/, 'must be an ISO 3166-1 code such as US')
  .optional();

/** The options of every middleware and guard, by its name. */
const SCHEMAS = {
  firstFactor: strictOptions({
    failureRedirect: redirect,
  }) satisfies z.ZodType<FirstFactorOptions>,
  send: strictOptions({
    ...redirects,
    notRequiredRedirect: redirect,
    trustedDeviceRedirect: redirect,
  }) satisfies z.ZodType<SendOptions>,
  resend: redirectSchema,
  cancel: redirectSchema,
  logout: redirectSchema,
  stepUp: strictOptions({
    ...redirects,
    transaction: callback<NonNullable<StepUpOptions['transaction']>>().optional(),
  }) satisfies z.ZodType<StepUpOptions>,
  verify: verifySchema,
  verifyWith: verifySchema,
  optionsWith: strictOptions({}),
  requireSecondFactor: strictOptions({
    ...secondFactor,
    redirect,
    returnTo: syncCallback<NonNullable<GuardOptions['returnTo']>>().optional(),
    allowNotRequired: flag,
  }) satisfies z.ZodType<GuardOptions>,
  hasSecondFactor: strictOptions(secondFactor) satisfies z.ZodType<SecondFactorOptions>,
  'phones.enroll': strictOptions({
    ...phoneChange,
    replaces: flag,
    defaultCountry: country,
    showRefusal: callback<NonNullable<EnrollOptions['showRefusal']>>().optional(),
  }) satisfies z.ZodType<EnrollOptions>,
  'phones.confirm': redirectSchema,
  'phones.remove': strictOptions({
    ...phoneChange,
    keepsLast: flag,
  }) satisfies z.ZodType<RemoveOptions>,
  'phones.setDefault': strictOptions(phoneChange) satisfies z.ZodType<PhoneOptions>,
};

/** The middlewares and guards, as errors name them. */
export type MiddlewareName = keyof typeof SCHEMAS;

/** The options of a middleware, checked and completed. */
export type CheckedOptions<Name extends MiddlewareName> = z.output<(typeof SCHEMAS)[Name]>;

/**
 * Checks the options of a middleware when it is made: a misspelled `maxAgeSeconds` would leave a
 * route unguarded.
 * @throws {TypeError} that names the option and never shows a value.
 */
export function readOptions<Name extends MiddlewareName>(
  middleware: Name,
  options: unknown,
): CheckedOptions<Name> {
  // The compiler cannot follow one name through the table to its schema.
  return parseOptions(middleware, SCHEMAS[middleware], options) as CheckedOptions<Name>;
}

const shortText = z
  .string()
  .max(200)
  .refine((value) => value.trim() !== '');

const transactionSchema = z.object({ amount: shortText, payee: shortText });

/**
 * Reads the result of `transaction`.
 * @throws {TypeError} unless it has exactly two strings. Nothing is sent then.
 */
export function readTransaction(returned: unknown): Transaction {
  const result = transactionSchema.safeParse(returned);
  if (result.success) return result.data;
  throw new TypeError(
    'stepUp: transaction must return { amount, payee }, two strings of 1 to 200 characters',
  );
}
