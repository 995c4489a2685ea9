import type { Purpose, Transaction } from '../stores/store';
import { MESSAGE_LOCALES, type MessageLocale } from './locales';

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
