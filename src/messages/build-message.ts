import { checkDefaults } from './check-defaults';
import { chooseLocale } from './choose-locale';
import { fitDefault } from './fit-default';
import {
  findServedLocales,
  type MessageContext,
  type MessageOption,
  type MessageSettings,
} from './message-settings';
import { requireSendable } from './sendable';
import { transactionMessage } from './transaction-message';

export type { MessageContext, MessageOption, MessageSettings } from './message-settings';

/** What the login tells the builder of one message. */
export type BuildContext = MessageContext & {
  /** ISO code of the number's country, or null when it has none; asked only where `perCountry` is configured. */
  readonly country: () => Promise<string | null>;
};

/** A template filled in but for the code, and who it comes from. */
export interface OutgoingMessage {
  readonly text: string;
  /** Undefined: the gateway's default. */
  readonly sender: string | undefined;
}

/** Makes one message. `validitySeconds`: how long its code lives. */
export type BuildMessage = (
  context: BuildContext,
  validitySeconds: number,
) => OutgoingMessage | Promise<OutgoingMessage>;

/** Makes the text of one message. */
type MakeText = (context: MessageContext, validitySeconds: number) => string | Promise<string>;

/**
 * Checks what can be checked now, and gives the function that makes one message.
 * @throws {TypeError} when a fixed template, or the default text of a locale that can be chosen, lacks `[PIN]` or does not
 *   fit one text message; it names the locale, the purpose, the units and the character that forces UCS-2.
 */
export function createMessageBuilder(settings: MessageSettings): BuildMessage {
  const { message, sender, maxPinDigits, perCountry = {} } = settings;
  const general =
    message === undefined ? createDefaultText(settings) : createOwnText('message', message, maxPinDigits);
  const national = new Map(
    Object.entries(perCountry).map(([country, own]) => {
      const what = `perCountry.${country}.message`;
      const makeText = own.message === undefined ? general : createOwnText(what, own.message, maxPinDigits);
      return [country, { sender: own.sender ?? sender, makeText }];
    }),
  );

  const everywhere = { sender, makeText: general };
  return async (context, validitySeconds) => {
    const home = national.size === 0 ? null : await context.country();
    const own = (home === null ? undefined : national.get(home)) ?? everywhere;
    return { text: await own.makeText(context, validitySeconds), sender: own.sender };
  };
}

function createDefaultText(settings: MessageSettings): MakeText {
  checkDefaults(settings);
  const { maxPinDigits } = settings;
  const served = findServedLocales(settings);
  // By locale, purpose and minutes, so there are never many.
  const made = new Map<string, string>();
  return ({ locale: tag, purpose, transaction }, validitySeconds) => {
    const locale = chooseLocale(tag, served);
    const key = `${locale} ${purpose} ${Math.floor(validitySeconds / 60)}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const parts = { ...settings, locale, validitySeconds };
    if (purpose === 'transaction') return transactionMessage(parts, transaction, maxPinDigits);
    const text = fitDefault(parts, purpose, maxPinDigits);
    made.set(key, text);
    return text;
  };
}

function createOwnText(what: string, message: MessageOption, maxPinDigits: number): MakeText {
  if (typeof message !== 'string') {
    return async ({ user, locale, purpose, transaction }) => {
      const context = { user, locale, purpose, ...(transaction && { transaction }) };
      return requireSendable(what, await message(context), maxPinDigits);
    };
  }
  const template = requireSendable(what, message, maxPinDigits);
  return ({ purpose }) => {
    // Who approves a transaction has to see it: RTS 2018/389, article 5.
    if (purpose === 'transaction') {
      throw new TypeError(
        `${what} is fixed and shows no amount and payee; make it a function for transactions`,
      );
    }
    return template;
  };
}
