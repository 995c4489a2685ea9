import { BoundedMap } from './bounded-map';

const MAX_MESSAGES = 1_000;
const MAX_MOBILES = 50_000;

/** A text message the simulator has sent. */
export interface SentMessage {
  /** The OTP's id. */
  readonly id: string;
  /** E.164 with plus. */
  readonly mobile: string;
  readonly sender: string;
  /** The text with the pin filled in. */
  readonly text: string;
  readonly pin: string;
  /** Milliseconds since 1970, by the simulator's clock. */
  readonly sentAt: number;
  /** Decimal price. */
  readonly cost: string;
}

type Listener = (message: SentMessage) => void;

/** The newest messages, and the listeners that are called with each new one. */
export class Outbox {
  readonly #messages: SentMessage[] = [];
  readonly #lastPins = new BoundedMap<string, string>(MAX_MOBILES);
  readonly #listeners = new Set<Listener>();

  /** Oldest first; the newest 1,000 are kept. */
  get messages(): readonly SentMessage[] {
    return this.#messages;
  }

  add(message: SentMessage): void {
    this.#messages.push(message);
    if (this.#messages.length > MAX_MESSAGES) this.#messages.shift();
    this.#lastPins.set(message.mobile, message.pin);
    for (const listener of this.#listeners) listener(message);
  }

  /** Returns the newest pin of a number, with or without plus. */
  lastPin(mobile: string): string | undefined {
    return this.#lastPins.get(mobile.startsWith('+') ? mobile : `+${mobile}`);
  }

  /** Calls the listener with each message from now on, until the returned function is called. */
  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
