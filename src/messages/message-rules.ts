import {
  array,
  check,
  maxLength,
  optional,
  picklist,
  pipe,
  regex,
  string,
  union,
  type GenericSchema,
} from 'valibot';
import { byCountry, callback, strictOptions } from '../client/option-rules';
import { isSender } from '../protocol/otp';
import { MESSAGE_LOCALES } from './locales';
import type { CountryMessage, MessageOption } from './message-settings';

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
