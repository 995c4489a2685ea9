import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewaySimulator } from 'passport-sms-otp/simulator';
import type { Pass } from './app';

/** What Node tells on the channels of its HTTP server. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const INVALID_ACCESS_TOKEN = 1009;

/**
 * Stands beside the simulator's socket and writes down what it has answered, without a word to
 * either side: what the library claims is held against it.
 */
export class Witness {
  /** OTP ids whose code the gateway has called right in a whole answer. */
  readonly validated = new Set<string>();
  /** The numbers that ids were sent to. */
  readonly mobiles = new Map<string, string>();
  readonly pins = new Map<string, string>();
  /**
   * Validate calls by OTP id that reached the decision: not those that were turned away for their
   * token.
   */
  readonly judged = new Map<string, number>();
  /**
   * Generate calls after which a text may have left: those that arrived, without those that were
   * rejected.
   */
  generates = 0;

  #held: Promise<void> | undefined;
  readonly #port: string;
  readonly #simulator: GatewaySimulator;
  readonly #listen = (message: unknown): void => this.#watch(message as Exchange);

  constructor(simulator: GatewaySimulator) {
    this.#simulator = simulator;
    this.#port = new URL(simulator.baseUrl).port;
    subscribe('http.server.request.start', this.#listen);
  }

  close(): void {
    unsubscribe('http.server.request.start', this.#listen);
  }

  /**
   * Keeps back what the gateway answers to generate and validate calls, which it has then done.
   * Returns what lets the answers go.
   */
  holdAnswers(): () => void {
    let release: () => void = () => undefined;
    this.#held = new Promise((resolve) => {
      release = () => {
        this.#held = undefined;
        resolve();
      };
    });
    return release;
  }

  /** The newest code on a phone, or a text that is none. */
  pinOf(mobile: string | null): string {
    return this.#simulator.lastPin(mobile ?? '') ?? 'none';
  }

  /**
   * Whether the gateway has called this very code right, for this id and the number of the user who
   * came in.
   */
  proves({ otpId, code }: Pass, mobile: string | null | undefined): boolean {
    const isForUser = this.mobiles.get(otpId) === mobile;
    return isForUser && this.validated.has(otpId) && this.pins.get(otpId) === code.trim();
  }

  #watch({ request, response }: Exchange): void {
    if (String(request.socket.localPort) !== this.#port) return;
    const path = request.url ?? '';
    const [, otpId] = /\/validate\/([^/]+)$/.exec(path) ?? [];
    const isGenerate = path.endsWith('/generate');
    if (otpId === undefined && !isGenerate) return;
    const id = decodeURIComponent(otpId ?? '');
    // Counted at once: whatever becomes of the answer, the gateway may have judged.
    if (isGenerate) this.generates += 1;
    else this.judged.set(id, (this.judged.get(id) ?? 0) + 1);
    const end = response.end.bind(response) as (...parts: unknown[]) => ServerResponse;
    response.end = ((...parts: unknown[]) => {
      this.#hear(
        id,
        isGenerate,
        response.statusCode,
        Buffer.isBuffer(parts[0]) ? parts[0].toString() : '',
      );
      if (this.#held === undefined) return end(...parts);
      void this.#held.then(() => end(...parts));
      return response;
    }) as ServerResponse['end'];
  }

  #hear(id: string, isGenerate: boolean, status: number, body: string): void {
    if (isGenerate) this.readOutbox();
    if (isGenerate && isRejection(status, body)) this.generates -= 1;
    if (!isGenerate && body.includes(`"code":${INVALID_ACCESS_TOKEN}`)) {
      this.judged.set(id, (this.judged.get(id) ?? 0) - 1);
    }
    if (!isGenerate && status === 200 && !body.includes('"errors"')) this.validated.add(id);
  }

  /** The simulator keeps its newest messages only; so they are read as they come. */
  readOutbox(): void {
    const { outbox } = this.#simulator;
    for (let index = outbox.length - 1; index >= 0; index -= 1) {
      const message = outbox[index];
      if (message === undefined || this.mobiles.has(message.id)) return;
      this.mobiles.set(message.id, message.mobile);
      this.pins.set(message.id, message.pin);
    }
  }
}

/** An error of the gateway's lists, or a status of failure in an envelope. */
function isRejection(status: number, body: string): boolean {
  return body.includes('"errors":[{') || (status >= 400 && body.startsWith('{'));
}
