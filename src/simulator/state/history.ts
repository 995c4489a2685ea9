import { type Call, CALLS } from '../calls/call';
import { BoundedMap } from '../../bounded-map';

const MAX_MESSAGES = 1_000;
const MAX_MOBILES = 50_000;

/** A message that the simulator has sent. */
export interface SentMessage {
  /** The OTP's id. */
  readonly id: string;
  /** E.164 with plus. */
  readonly mobile: string;
  readonly sender: string;
  /** The message with the pin filled in. */
  readonly text: string;
  readonly pin: string;
  /** The time in milliseconds since 1970, by the simulator's clock. */
  readonly sentAt: number;
  /** The price, as a decimal string. */
  readonly cost: string;
}

type Listener = (message: SentMessage) => void;

/** The newest messages, and the listeners that are called for each new one. */
export class Outbox {
  readonly #messages: SentMessage[] = [];
  readonly #lastPins = new BoundedMap<string, string>(MAX_MOBILES);
  readonly #listeners = new Set<Listener>();

  get messages(): readonly SentMessage[] {
    return this.#messages;
  }

  add(message: SentMessage): void {
    this.#messages.push(message);
    if (this.#messages.length > MAX_MESSAGES) this.#messages.shift();
    this.#lastPins.set(message.mobile, message.pin);
    for (const listener of this.#listeners) listener(message);
  }

  lastPin(mobile: string): string | undefined {
    return this.#lastPins.get(mobile.startsWith('+') ? mobile : `+${mobile}`);
  }

  /** Calls the listener with each new message until the returned function is called. */
  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const MAX_IDS = 50_000;

/** Counts since the start. */
export interface SimulatorStats {
  /** Requests received, by call, even if they were not processed. */
  readonly calls: Readonly<Record<Call, number>>;
  /** Authentications processed, by type, even if they were rejected. */
  readonly authentications: { readonly credentials: number; readonly refresh: number };
  readonly sent: number;
  /**
   * Validate calls received, by OTP id, even if they were not processed. At least the newest 50,000
   * ids are kept.
   */
  readonly validatesById: Readonly<Record<string, number>>;
  /** Validate calls that succeeded. */
  readonly validated: number;
  /**
   * Rejections by error code, without those of `failNext`. Only the first code of an answer counts.
   */
  readonly refusals: Readonly<Record<number, number>>;
  /** Faults that have occurred. */
  readonly faults: number;
}

export class StatsStore {
  readonly #validatesById = new BoundedMap<string, number>(MAX_IDS);
  readonly #counts = {
    // Give every call an entry from the start.
    calls: Object.fromEntries(CALLS.map((call) => [call, 0])) as Record<Call, number>,
    authentications: { credentials: 0, refresh: 0 },
    sent: 0,
    validated: 0,
    refusals: {} as Record<number, number>,
    faults: 0,
  };

  count(what: 'sent' | 'validated' | 'faults'): void {
    this.#counts[what] += 1;
  }

  countCall(call: Call, subject: string): void {
    this.#counts.calls[call] += 1;
    if (call === 'validate')
      this.#validatesById.set(subject, (this.#validatesById.get(subject) ?? 0) + 1);
  }

  countAuthentication(type: 'credentials' | 'refresh'): void {
    this.#counts.authentications[type] += 1;
  }

  countRefusal(code: number): void {
    this.#counts.refusals[code] = (this.#counts.refusals[code] ?? 0) + 1;
  }

  read(): SimulatorStats {
    return {
      ...structuredClone(this.#counts),
      validatesById: Object.fromEntries(this.#validatesById.entries()),
    };
  }
}
