import { measureTemplate, MESSAGE_LIMIT, PLACEHOLDER } from '../protocol/message-length';
import { defaultMessage, fillText, PURPOSES, transactionMessage } from './default-message';
import { chooseLocale, findServedLocales, type MessageLocale } from './locales';
import { nameCharacter } from './measure';
import type { MessageBuilderOptions, MessageContext, MessageOption } from './options';

/** The facts that a message depends on, besides the options. */
export type BuildContext = MessageContext & {
  /**
   * Returns the ISO code of the number's country. Null if it has none. Called only if `perCountry`
   * is configured.
   */
  readonly country: () => Promise<string | null>;
};

/** A template that lacks only the code, with its sender. */
export interface OutgoingMessage {
  readonly text: string;
  /** Undefined: the gateway's default. */
  readonly sender: string | undefined;
}

/** Builds one message. `validitySeconds` is the validity of its code. */
export type BuildMessage = (
  context: BuildContext,
  validitySeconds: number,
) => Promise<OutgoingMessage>;

type MakeText = (context: MessageContext, validitySeconds: number) => string | Promise<string>;

/**
 * Checks the messages that are known in advance, and returns the function that builds one.
 * @throws {TypeError} if a fixed template, or the default message in a locale that can be chosen,
 * lacks `[PIN]` or does not fit one message. The error names the locale, the purpose, the units and
 * the character that forces UCS-2.
 */
export function createMessageBuilder(options: MessageBuilderOptions): BuildMessage {
  const { template, sender, perCountry = {} } = options;

  const general =
    template === undefined
      ? createDefaultText(options)
      : createOwnText('messages.template', template, options);
  const national = new Map(
    Object.entries(perCountry).map(([country, own]) => {
      const option = `messages.perCountry.${country}.template`;
      const makeText =
        own.template === undefined ? general : createOwnText(option, own.template, options);
      return [country, { sender: own.sender ?? sender, makeText }];
    }),
  );

  const everywhere = { sender, makeText: general };
  return async (context, validitySeconds) => {
    const country = national.size === 0 ? null : await context.country();
    const own = (country === null ? undefined : national.get(country)) ?? everywhere;
    return { text: await own.makeText(context, validitySeconds), sender: own.sender };
  };
}

function createDefaultText(options: MessageBuilderOptions): MakeText {
  const served = findServedLocales(options);
  const [first] = served;

  // Without `getLocale` only the default locale is used.
  for (const locale of options.getLocale === undefined ? [first] : served)
    checkDefault(options, locale, locale === first ? '' : HOW_TO_LEAVE_OUT);

  const { maxCodeDigits, allowSecondSegment } = options;
  // The keys are locale, purpose and minutes, so the cache stays small.
  const cache = new Map<string, string>();
  return (context, validitySeconds) => {
    const { purpose } = context;
    const locale = chooseLocale(context.locale, served);
    const key = `${locale} ${purpose} ${Math.floor(validitySeconds / 60)}`;
    const known = cache.get(key);
    if (known !== undefined) return known;

    const own = { ...options, locale, validitySeconds };
    if (purpose === 'transaction')
      return transactionMessage(own, context.transaction, maxCodeDigits, allowSecondSegment);

    const text = defaultMessage(own, purpose, maxCodeDigits, allowSecondSegment);
    cache.set(key, text);
    return text;
  };
}

const HOW_TO_LEAVE_OUT =
  '. If the app does not support this language, list those that it supports in messages.locales';

/** @param cure What helps besides a shorter message. It ends the error message. */
function checkDefault(options: MessageBuilderOptions, locale: MessageLocale, cure: string): void {
  const { maxCodeDigits, allowSecondSegment, codeValiditySeconds: validitySeconds } = options;
  const names = (['appName', 'autofillHost'] as const).filter(
    (name) => options[name] !== undefined,
  );
  const paths = names.map((name) => (name === 'appName' ? name : `messages.${name}`));
  const option = paths.join(' with ');

  for (const purpose of PURPOSES) {
    const parts = { ...options, locale, validitySeconds };
    if (fitsPlainly(fillText(parts, purpose), maxCodeDigits)) continue;

    const text = defaultMessage(parts, purpose, maxCodeDigits, allowSecondSegment);
    checkTemplate(
      `${option} makes a message (locale ${locale}, purpose ${purpose}) that`,
      text,
      options,
      cure,
    );
  }
}

/** Matches characters of one septet each, of which most messages consist. */
const ONE_SEPTET = /^[\n -Z_a-zÄÖÜäöüßàèéìòùåæøñ]*$/;

/**
 * Returns true for most messages that fit. It avoids the exact count, which would take milliseconds
 * at start for all locales.
 */
function fitsPlainly(text: string, maxCodeDigits: number): boolean {
  const rest = text.replace(PLACEHOLDER, '');
  // The template itself must fit too, and its placeholder is longer than a code of four digits.
  const longest = Math.max(maxCodeDigits, PLACEHOLDER.length);
  return rest.length + longest <= MESSAGE_LIMIT['gsm-7'] && ONE_SEPTET.test(rest);
}

function createOwnText(
  option: string,
  template: MessageOption,
  options: MessageBuilderOptions,
): MakeText {
  if (typeof template !== 'string') {
    return async (context) => {
      const { user, locale, purpose, transaction } = context;
      const given = { user, locale, purpose, ...(transaction && { transaction }) };
      return checkTemplate(option, await template(given), options);
    };
  }

  const checked = checkTemplate(option, template, options);
  return (context) => {
    // The payer must see what the code approves: RTS 2018/389, article 5.
    if (context.purpose === 'transaction') {
      throw new TypeError(
        `${option} is fixed and shows no amount and payee; make it a function for transactions`,
      );
    }
    return checked;
  };
}

/**
 * Returns the template if it may be sent.
 * @param what Begins the error message.
 * @param cure Ends the error message if the template does not fit.
 * @throws {TypeError} if it is not a string, lacks `[PIN]`, has an origin-bound line with another
 * code, or does not fit one message.
 */
function checkTemplate(
  what: string,
  template: unknown,
  options: MessageBuilderOptions,
  cure = '',
): string {
  if (typeof template !== 'string') throw new TypeError(`${what} must be a string`);

  const { maxCodeDigits, allowSecondSegment } = options;
  const size = measureTemplate(template, maxCodeDigits, allowSecondSegment);
  if (size.problem !== null) {
    const [first] = size.forcedBy;
    const isLong = size.units > size.limit;
    const cause =
      first !== undefined && isLong ? `, the first of them ${nameCharacter(first)}` : '';
    throw new TypeError(`${what} ${size.problem}${cause}${cure}`);
  }

  if (hasForeignOriginLine(template)) {
    throw new TypeError(
      `${what} must not contain "@host #" followed by anything but ${PLACEHOLDER}`,
    );
  }
  return template;
}

/**
 * Returns whether a template has an origin-bound line with another code. Chrome takes the first
 * `@host #code` anywhere in a message, other browsers the last line. So a value in the app's
 * template must not add a code of its own.
 */
function hasForeignOriginLine(template: string): boolean {
  // Normalize it as a gateway may when it transliterates to its own alphabet.
  const lines = template.normalize('NFKC').matchAll(/(?:^|\s)@\S+ #(?<code>\S+)/g);
  return Array.from(lines).some(({ groups }) => groups?.code?.startsWith(PLACEHOLDER) !== true);
}
