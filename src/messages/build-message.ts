import { measureTemplate, MESSAGE_LIMIT, PLACEHOLDER } from '../protocol/message-length';
import { defaultMessage, fillText, PURPOSES, transactionMessage } from './default-message';
import { chooseLocale, findServedLocales, type MessageLocale } from './locales';
import { nameCharacter } from './measure';
import type { MessageBuilderOptions, MessageContext, MessageOption } from './options';

/** What a message depends on, beside the options. */
export type BuildContext = MessageContext & {
  /**
   * Returns the ISO code of the number's country, or null when it has none. Called only when
   * `perCountry` is configured.
   */
  readonly country: () => Promise<string | null>;
};

/** A template that lacks only the code, and its sender. */
export interface OutgoingMessage {
  readonly text: string;
  /** Undefined: the gateway's default. */
  readonly sender: string | undefined;
}

/** Builds one message. `validitySeconds` is the life of its code. */
export type BuildMessage = (
  context: BuildContext,
  validitySeconds: number,
) => Promise<OutgoingMessage>;

type MakeText = (context: MessageContext, validitySeconds: number) => string | Promise<string>;

/**
 * Checks the messages as far as they are known, and returns the function that builds one.
 * @throws {TypeError} when a fixed template, or the default message in a locale that can be chosen,
 *   lacks `[PIN]` or does not fit one text message. The error names the locale, the purpose, the
 *   units and the character that forces UCS-2.
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

  // Without `getLocale` no other locale is ever chosen.
  for (const locale of options.getLocale === undefined ? [first] : served)
    checkDefault(options, locale, locale === first ? '' : HOW_TO_LEAVE_OUT);

  const { maxCodeDigits, allowSecondSegment } = options;
  // By locale, purpose and minutes, so it stays small.
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
  '. If the app does not serve this language, list those that it serves in messages.locales';

/** @param cure What else than a shorter message helps; it ends the error. */
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

/** Characters of one septet each, which most texts consist of. */
const ONE_SEPTET = /^[\n -Z_a-zÄÖÜäöüßàèéìòùåæøñ]*$/;

/**
 * True for most texts that fit. It saves the exact count, which would take milliseconds at start-up
 * for all locales.
 */
function fitsPlainly(text: string, maxCodeDigits: number): boolean {
  const rest = text.replace(PLACEHOLDER, '');
  // The template is measured as well, and its placeholder is longer than a code of four digits.
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
    // The payer has to see what the code approves: RTS 2018/389, article 5.
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
 * @param cure Ends it where the template does not fit.
 * @throws {TypeError} when it is not a string, lacks `[PIN]`, holds an origin-bound line with
 * another code, or does not fit
 *   one text message.
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
    throw new TypeError(`${what} must not hold "@host #" followed by anything but ${PLACEHOLDER}`);
  }
  return template;
}

/**
 * Chrome takes the first `@host #code` anywhere in a message, other browsers the last line: a value
 * in the app's template must not offer a code of its own.
 */
function hasForeignOriginLine(template: string): boolean {
  // As a gateway that transliterates to its own alphabet may write it.
  const lines = template.normalize('NFKC').matchAll(/(?:^|\s)@\S+ #(?<code>\S+)/g);
  return Array.from(lines).some(({ groups }) => groups?.code?.startsWith(PLACEHOLDER) !== true);
}
