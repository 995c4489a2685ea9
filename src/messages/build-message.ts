import { measureTemplate } from '../protocol/message-length';
import type { Purpose } from '../stores/store';
import { defaultMessage } from './default-message';

/** What a message of the app's own may depend on. */
export interface MessageContext<User = Express.User> {
  readonly user: User;
  /** What `getLocale` gave. */
  readonly locale: string | undefined;
  readonly purpose: Purpose;
}

/** A template, or a function that gives one. */
export type MessageOption = string | ((context: MessageContext) => string | Promise<string>);

/** The options a message is made of. */
export interface MessageSettings {
  readonly message?: MessageOption | undefined;
  readonly appName?: string | undefined;
  readonly autofillHost?: string | undefined;
  readonly maxPinDigits: number;
  readonly pinValiditySeconds: number;
}

export type BuildMessage = (context: MessageContext, validitySeconds: number) => string | Promise<string>;

const PURPOSES: readonly Purpose[] = ['login', 'step-up'];

/**
 * Checks what can be checked now, and gives the function that makes the text of one message.
 * @throws {TypeError} when a fixed template lacks `[PIN]` or does not fit one text message.
 */
export function createMessageBuilder(settings: MessageSettings): BuildMessage {
  const { message, maxPinDigits, pinValiditySeconds } = settings;
  if (message === undefined) {
    for (const purpose of PURPOSES) {
      const text = defaultMessage({ ...settings, validitySeconds: pinValiditySeconds }, purpose);
      requireSendable('appName with autofillHost makes a message that', text, maxPinDigits);
    }
    return ({ purpose }, validitySeconds) => defaultMessage({ ...settings, validitySeconds }, purpose);
  }
  if (typeof message === 'string') {
    const template = requireSendable('message', message, maxPinDigits);
    return () => template;
  }
  return async (context) => requireSendable('message', await message(context), maxPinDigits);
}

function requireSendable(what: string, template: unknown, maxPinDigits: number): string {
  if (typeof template !== 'string') throw new TypeError(`${what} must be a text`);
  const { problem } = measureTemplate(template, maxPinDigits);
  if (problem !== null) throw new TypeError(`${what} ${problem}`);
  return template;
}
