import {
  array,
  check,
  type GenericSchema,
  maxLength,
  optional,
  picklist,
  pipe,
  regex,
  string,
  union,
} from 'valibot';
import { byCountry, callback, strictOptions } from '../define-options';
import { isSender } from '../protocol/otp';
import type { Purpose, Transaction } from '../stores/store';
import { MESSAGE_LOCALES, type MessageLocale } from './locales';

const COUNTRY = 'must have ISO 3166-1 codes such as FR as its names';
const LOCALE = `must be one of ${MESSAGE_LOCALES.join(', ')}`;

const message = union(
  [string(), callback<Extract<MessageOption, (...values: never[]) => unknown>>()],
  'must be a text or a function',
);

const sender = pipe(
  string('must be a text'),
  check(isSender, 'must be 2 to 11 letters, digits, spaces, hyphens and dots, or 14 digits'),
);

const locale = picklist(MESSAGE_LOCALES, LOCALE);

const countryMessage: GenericSchema<CountryMessage> = strictOptions({
  sender: optional(sender),
  message: optional(message),
});

/** The options that shape messages. That they fit is seen when the builder is made. */
export const messageRules = {
  appName: optional(
    pipe(
      string('must be a text'),
      regex(
        /^[^\p{Cc}@#[\]]{1,30}$/u,
        'must have 1 to 30 characters without control characters, @, #, [ and ]',
      ),
    ),
  ),
  autofillHost: optional(
    pipe(
      string('must be a bare host name'),
      maxLength(253, 'must be a bare host name'),
      regex(
        /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
        'must be a bare host name in lower case',
      ),
    ),
  ),
  message: optional(message),
  sender: optional(sender),
  defaultLocale: locale,
  locales: optional(array(locale, 'must be a list of locales')),
  perCountry: optional(byCountry(countryMessage, 'must be an object', COUNTRY)),
} as const;

/** What a message of the app's own may depend on. */
export interface MessageContext<User = Express.User> {
  readonly user: User;
  /** What `getLocale` gave. */
  readonly locale: string | undefined;
  readonly purpose: Purpose;
  /** What the code is for, where the purpose is `transaction`; as the app gave it, so `sanitizeVariable` comes first. */
  readonly transaction?: Transaction | undefined;
}

/** A template, or a function that gives one. */
export type MessageOption = string | ((context: MessageContext) => string | Promise<string>);

/** What is different for the numbers of one country. What is left out is as everywhere. */
export interface CountryMessage {
  /** Sender of the message there. */
  readonly sender?: string | undefined;
  /** The message there, also in place of `message`. */
  readonly message?: MessageOption | undefined;
}

/** The options a message is made of. */
export interface MessageSettings {
  readonly message?: MessageOption | undefined;
  readonly appName?: string | undefined;
  readonly autofillHost?: string | undefined;
  readonly sender?: string | undefined;
  readonly maxPinDigits: number;
  readonly pinValiditySeconds: number;
  /** Default: English. */
  readonly defaultLocale?: MessageLocale | undefined;
  /** Locales that may be chosen beside the default one. Default: all that have texts. */
  readonly locales?: readonly MessageLocale[] | undefined;
  /** Without it no other locale than the default one is ever chosen. What it does is not looked at here. */
  readonly getLocale?: ((...args: never[]) => unknown) | undefined;
  /** By ISO 3166-1 code. */
  readonly perCountry?: Readonly<Record<string, CountryMessage>> | undefined;
}

/** The locales that texts are sent in: the default one first. */
export function findServedLocales({
  defaultLocale = 'en',
  locales = MESSAGE_LOCALES,
}: MessageSettings): readonly [MessageLocale, ...MessageLocale[]] {
  return [defaultLocale, ...locales.filter((locale) => locale !== defaultLocale)];
}
