import { z } from 'zod';
import { callback } from '../client/option-rules';
import { isSender } from '../protocol/otp';
import { MESSAGE_LOCALES } from './locales';
import type { CountryMessage, MessageOption } from './message-settings';

const COUNTRY = 'must have ISO 3166-1 codes such as FR as its names';
const LOCALE = `must be one of ${MESSAGE_LOCALES.join(', ')}`;

const message = z.union(
  [z.string(), callback<Extract<MessageOption, (...values: never[]) => unknown>>()],
  'must be a text or a function',
);

const sender = z
  .string('must be a text')
  .refine(isSender, 'must be 2 to 11 letters, digits, spaces, hyphens and dots, or 14 digits');

const locale = z.enum(MESSAGE_LOCALES, LOCALE);

const countryMessage: z.ZodType<CountryMessage> = z.strictObject(
  { sender: sender.optional(), message: message.optional() },
  { error: ({ code }) => (code === 'invalid_type' ? 'must be an object' : undefined) },
);

/** The options that shape messages. That they fit is seen when the builder is made. */
export const messageRules = {
  appName: z
    .string('must be a text')
    .regex(
      /^[^\p{Cc}@#[\]]{1,30}$/u,
      'must have 1 to 30 characters without control characters, @, #, [ and ]',
    )
    .optional(),
  autofillHost: z
    .string('must be a bare host name')
    .max(253, 'must be a bare host name')
    .regex(
      /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
      'must be a bare host name in lower case',
    )
    .optional(),
  message: message.optional(),
  sender: sender.optional(),
  defaultLocale: locale,
  locales: z.array(locale, 'must be a list of locales').optional(),
  perCountry: z
    .record(z.string(), countryMessage, 'must be an object')
    .refine((value) => Object.keys(value).every((country) => /^[A-Z]{2}$/.test(country)), COUNTRY)
    .optional(),
} as const;
