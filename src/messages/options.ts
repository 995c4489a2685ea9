import { z } from 'zod';
import { byCountry, callback, strictOptions } from '../define-options';
import { isSender } from '../protocol/message-length';
import type { Purpose, Transaction } from '../stores/store';
import { MESSAGE_LOCALES, type MessageLocale } from './locales';

/** The facts that a template function may use. */
export interface MessageContext<User = Express.User> {
  readonly user: User;
  /** What `getLocale` returned. */
  readonly locale: string | undefined;
  readonly purpose: Purpose;
  /**
   * What the code approves, for the purpose `transaction`, as the app passed it. Pass it through
   * `sanitizeVariable`.
   */
  readonly transaction?: Transaction | undefined;
}

/** A template, or a function that returns one. */
export type MessageOption = string | ((context: MessageContext) => string | Promise<string>);

/** Settings for numbers of one country. Fields that are left out use the general setting. */
export interface CountryMessage {
  /** The sender for that country. */
  readonly sender?: string | undefined;
  /** The template for that country, which replaces `messages.template`. */
  readonly template?: MessageOption | undefined;
}

/** The option `messages` of `createSmsOtp`: how the message is written. */
export interface MessagesOption {
  /**
   * Bare host name of the page that asks for the code. The default message then ends with the
   * origin-bound line `@host #code`, and phones offer the code on that site only. Default: no such
   * line.
   */
  readonly autofillHost?: string | undefined;
  /**
   * A template with exactly one `[PIN]`, or a function that returns one. Default: a sentence in the
   * user's locale.
   */
  readonly template?: MessageOption | undefined;
  /**
   * The sender of the message: 2 to 11 letters, digits, spaces, hyphens, dots, or 14 digits.
   * Default: the gateway's.
   */
  readonly sender?: string | undefined;
  /** The locales of the default message, besides `defaultLocale`. Default: all sixteen. */
  readonly locales?: readonly MessageLocale[] | undefined;
  /** The locale of the default message if `getLocale` names none of `locales`. Default: `'en'`. */
  readonly defaultLocale?: MessageLocale | undefined;
  /**
   * Settings for numbers of single countries, by ISO 3166-1 code. GB includes GG, JE and IM; FI
   * includes AX; US includes its territories, unless they have their own entry. Default: none.
   */
  readonly perCountry?: Readonly<Record<string, CountryMessage>> | undefined;
}

export interface MessageBuilderOptions extends MessagesOption {
  /** The name at the beginning of the default message. Default: none. */
  readonly appName?: string | undefined;
  readonly maxCodeDigits: number;
  /** As the option of the client: only characters are limited. Default: false. */
  readonly allowSecondSegment?: boolean | undefined;
  readonly codeValiditySeconds: number;
  /** Without it only the default locale is used. Never called here. */
  readonly getLocale?: ((...args: never[]) => unknown) | undefined;
}

const template = z.union(
  [z.string(), callback<Extract<MessageOption, (...values: never[]) => unknown>>()],
  'must be a string or a function',
);

const sender = z
  .string('must be a string')
  .refine(isSender, 'must be 2 to 11 letters, digits, spaces, hyphens and dots, or 14 digits');

const locale = z.enum(MESSAGE_LOCALES, `must be one of ${MESSAGE_LOCALES.join(', ')}`);

/** The option `appName`: the name at the beginning of a message. */
export const appNameSchema = z
  .string('must be a string')
  .regex(
    /^[^\p{Cc}@#[\]]{1,30}$/u,
    'must have 1 to 30 characters without control characters, @, #, [ and ]',
  );

/** The option `messages`. `createMessageBuilder` checks whether the messages fit. */
export const messagesSchema = strictOptions({
  autofillHost: z
    .string('must be a bare host name')
    .max(253, 'must be a bare host name')
    .regex(
      /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
      'must be a bare host name in lower case',
    )
    .optional(),
  template: template.optional(),
  sender: sender.optional(),
  locales: z.array(locale, 'must be a list of locales').optional(),
  defaultLocale: locale.default('en'),
  perCountry: byCountry(
    strictOptions({ sender: sender.optional(), template: template.optional() }),
    'must be an object',
    'must have ISO 3166-1 codes such as FR as its names',
  ).optional(),
}) satisfies z.ZodType<MessagesOption>;
