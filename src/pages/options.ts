import type { Request, Response } from 'express';
import { REASONS } from 'passport-sms-otp';
import { z } from 'zod';
import { readColour } from './accent';
import type { PageName, Page } from './page';
import { PAGE_LOCALES, type PageLocale, type PageTexts, TEXT_KEYS } from './texts';

/**
 * Returns the HTML of a body that replaces ours. @param page The content that our own body gets.
 */
export type Replacement<Name extends PageName> = (
  page: Extract<Page, { readonly name: Name }>,
  req: Request,
) => string;

/** Returns the HTML of the app's document around the body of a page. */
export type PageLayout = (
  content: { readonly title: string; readonly body: string; readonly page: Page },
  req: Request,
) => string;

/** The options of `smsOtpPages`. */
export interface PagesOptions {
  /** The address of an image, on this site or https. Default: our own logo. */
  readonly logo?: string | undefined;
  /** The colour of buttons and links, as `#rgb` or `#rrggbb`. Default: a blue-green. */
  readonly accent?: string | undefined;
  /** The address of a stylesheet that is loaded last, on this site or https. Default: none. */
  readonly stylesheet?: string | undefined;
  /** A document of the app around each page. Default: our own. */
  readonly layout?: PageLayout | undefined;
  /** The app's CSRF token, for a hidden field in every form. Default: none. */
  readonly csrf?: CsrfOption | undefined;
  /** The address of help for users who cannot log in, on this site or https. Default: none. */
  readonly help?: string | undefined;
  /**
   * The locale of the pages: one for all, or a function of the request. Default: the browser's
   * choice among the locales of the messages.
   */
  readonly locale?: PageLocale | ((req: Request) => string | null | undefined) | undefined;
  /** Sentences that replace ours, by locale and key. Default: none. */
  readonly texts?: Readonly<Partial<Record<PageLocale, PageTexts>>> | undefined;
  /** Bodies that replace ours, by the name of the page. Default: none. */
  readonly replace?: { readonly [Name in PageName]?: Replacement<Name> } | undefined;
  /**
   * Further origins that may send our forms, such as `['https://app.example']`. Only old browsers
   * need it. Default: the origin of the request.
   */
  readonly origins?: readonly string[] | undefined;
}

/** How forms get the app's CSRF token. */
export interface CsrfOption {
  readonly field: string;
  readonly token: (req: Request, res: Response) => string;
}

const PAGE_NAMES: readonly PageName[] = [
  'code',
  'other-ways',
  'recovery-code',
  'factor',
  'step-up',
  'add-number',
  'settings',
  'recovery-codes',
  'message',
];

/** A base URL for this site: a path that leads to another origin is refused. */
const THIS_SITE = 'https://this-site.invalid';

const address = z
  .string('must be a string')
  .refine(isSafeAddress, 'must be a path that begins with /, or an https URL');

/**
 * Returns whether an address is safe. Browsers ignore tabs and read a backslash as a slash, and so
 * does `URL`.
 */
function isSafeAddress(given: string): boolean {
  if (given.startsWith('/'))
    return URL.canParse(given, THIS_SITE) && new URL(given, THIS_SITE).origin === THIS_SITE;
  return /^https:\/\//i.test(given) && URL.canParse(given);
}

function fn<Fn>(): z.ZodType<Fn> {
  return z.custom<Fn>((value) => typeof value === 'function', 'must be a function');
}

const ORIGIN = 'must be an origin such as https://app.example, without a path';

const origin = z.string(ORIGIN).refine(isOrigin, ORIGIN);

function isOrigin(given: string): boolean {
  return !given.includes('*') && URL.canParse(given) && new URL(given).origin === given;
}

const LOCALES = PAGE_LOCALES.join(', ');
const NO_OBJECT = 'must be an object';

const NOTICE_KEYS = REASONS.map((reason) => `notice.${reason}` as const);
const sentences = z.partialRecord(
  z.enum([...TEXT_KEYS, ...NOTICE_KEYS]),
  z.string('must be a string'),
  NO_OBJECT,
);

const schema = z.strictObject(
  {
    logo: address.optional(),
    accent: z
      .string('must be a string')
      .refine((given) => readColour(given) !== null, 'must be a colour such as #0a5 or #00aa55')
      .optional(),
    stylesheet: address.optional(),
    layout: fn<PageLayout>().optional(),
    csrf: z
      .strictObject(
        {
          field: z.string('must be a string').min(1, 'must not be empty'),
          token: fn<CsrfOption['token']>(),
        },
        'must be an object with field and token',
      )
      .optional(),
    help: address.optional(),
    locale: z
      .union(
        [z.enum(PAGE_LOCALES), fn<Exclude<PagesOptions['locale'], PageLocale | undefined>>()],
        `must be a function, or one of ${LOCALES}`,
      )
      .optional(),
    texts: z.partialRecord(z.enum(PAGE_LOCALES), sentences, NO_OBJECT).optional(),
    replace: z
      .partialRecord(z.enum(PAGE_NAMES), fn<(page: never, req: Request) => string>(), NO_OBJECT)
      .optional(),
    origins: z.array(origin, 'must be a list of origins').default([]),
  },
  NO_OBJECT,
);

export type PagesSettings = z.output<typeof schema>;

/**
 * Checks the options of `smsOtpPages`.
 * @throws {TypeError} that names the option.
 */
export function readOptions(given: unknown): PagesSettings {
  const result = schema.safeParse(given);
  if (result.success) return result.data;

  const [issue] = result.error.issues;
  const path = issue?.path ?? [];
  const name = z.core.toDotPath(path);
  if (issue?.code === 'unrecognized_keys') {
    const unknown = z.core.toDotPath([...path, issue.keys[0] ?? '']);
    throw new TypeError(`smsOtpPages: unknown option ${unknown}${KNOWN[name] ?? ''}`);
  }
  throw new TypeError(`smsOtpPages: ${name || 'options'} ${issue?.message ?? 'is invalid'}`);
}

/** What to write instead of an unknown name. */
const KNOWN: Readonly<Record<string, string>> = {
  replace: `: the pages are ${PAGE_NAMES.join(', ')}`,
  texts: `: the locales are ${LOCALES}`,
};
