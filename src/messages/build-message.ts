import { measureTemplate } from '../protocol/message-length';
import type { Purpose, Transaction } from '../stores/store';
import { defaultMessage } from './default-message';

/** What a message of the app's own may depend on. */
export interface MessageContext<User = Express.User> {
  readonly user: User;
  /** What `getLocale` gave. */
  readonly locale: string | undefined;
  readonly purpose: Purpose;
  /** What the code is for, where the purpose is `transaction`. */
  readonly transaction?: Transaction | undefined;
}

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

/** A template, or a function that gives one. */
export type MessageOption = string | ((context: MessageContext) => string | Promise<string>);

/** The options a message is made of. */
export interface MessageSettings {
  readonly message?: MessageOption | undefined;
  readonly appName?: string | undefined;
  readonly autofillHost?: string | undefined;
  readonly sender?: string | undefined;
  readonly maxPinDigits: number;
  readonly pinValiditySeconds: number;
}

/** Makes one message. `validitySeconds`: how long its code lives. */
export type BuildMessage = (
  context: BuildContext,
  validitySeconds: number,
) => OutgoingMessage | Promise<OutgoingMessage>;

const PURPOSES: readonly Purpose[] = ['login', 'step-up', 'transaction', 'enrol'];

/**
 * Checks what can be checked now, and gives the function that makes the text of one message.
 * @throws {TypeError} when a fixed template lacks `[PIN]` or does not fit one text message.
 */
export function createMessageBuilder(settings: MessageSettings): BuildMessage {
  const { message, sender, maxPinDigits, pinValiditySeconds } = settings;
  if (message === undefined) {
    for (const purpose of PURPOSES) {
      const text = defaultMessage({ ...settings, validitySeconds: pinValiditySeconds }, purpose);
      requireSendable('appName with autofillHost makes a message that', text, maxPinDigits);
    }
    return ({ purpose }, validitySeconds) => ({
      text: defaultMessage({ ...settings, validitySeconds }, purpose),
      sender,
    });
  }
  if (typeof message === 'string') {
    const template = requireSendable('message', message, maxPinDigits);
    return () => ({ text: template, sender });
  }
  return async (context) => ({
    text: requireSendable('message', await message(context), maxPinDigits),
    sender,
  });
}

function requireSendable(what: string, template: unknown, maxPinDigits: number): string {
  if (typeof template !== 'string') throw new TypeError(`${what} must be a text`);
  const { problem } = measureTemplate(template, maxPinDigits);
  if (problem !== null) throw new TypeError(`${what} ${problem}`);
  return template;
}
