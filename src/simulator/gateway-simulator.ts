import type { Variant } from '../protocol/paths';
import type { Call } from './calls/call';
import { type Fault, type FaultName, FaultQueue } from './faults';
import { createRequestListener, listen } from './http/serve';
import { checkOptions, refuseUnsafeEnvironment, type SimulatorOptions } from './options';
import { createState, type SimulatorState } from './state';
import type { SentMessage, SimulatorStats } from './state/history';
import type { Subscribers } from './state/subscribers';

type HttpListener = Awaited<ReturnType<typeof listen>>;

/** A simulated gateway of both documents on a loopback port, for development and tests. */
export class GatewaySimulator {
  readonly variant: Variant;
  readonly username: string;
  readonly password: string;
  /** The base URL for a client, without a slash at the end. */
  readonly baseUrl: string;
  /** A page that shows the text messages as they arrive. */
  readonly inboxUrl: string;
  /**
   * The results of lookups. A number that was never set has a subscriber made from its digits. HLR
   * spec §2.
   */
  readonly subscribers: Subscribers;

  readonly #state: SimulatorState;
  readonly #faults: FaultQueue;
  readonly #listener: HttpListener;
  #closed: Promise<void> | null = null;

  private constructor(state: SimulatorState, faults: FaultQueue, listener: HttpListener) {
    const { host, variant, username, password } = state.account;
    this.variant = variant;
    this.username = username;
    this.password = password;
    this.baseUrl = `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`;
    this.inboxUrl = `${this.baseUrl}/inbox`;
    this.subscribers = state.subscribers;

    this.#state = state;
    this.#faults = faults;
    this.#listener = listener;
  }

  /**
   * Starts a simulator. Resolves once it listens.
   * @throws {TypeError} that names a wrong option.
   * @throws {Error} if NODE_ENV is production, the host is not a loopback address, or the port is
   * in use.
   */
  static async start(options: SimulatorOptions = {}): Promise<GatewaySimulator> {
    const checked = checkOptions(options);
    refuseUnsafeEnvironment(checked.host, process.env.NODE_ENV);
    const state = createState(checked);
    const faults = new FaultQueue();
    const listener = await listen(checked.host, checked.port, createRequestListener(state, faults));
    return new GatewaySimulator(state, faults, listener);
  }

  /** The newest 1,000 messages, the oldest first. */
  get outbox(): readonly SentMessage[] {
    return this.#state.outbox.messages;
  }

  /** Returns the newest pin that was sent to a number. The plus is optional. */
  lastPin(mobile: string): string | undefined {
    return this.#state.outbox.lastPin(mobile);
  }

  /**
   * Moves the simulator's clock forward, so that tokens and pins expire. @throws {RangeError} for a
   * negative number.
   */
  advanceSeconds(seconds: number): void {
    this.#state.clock.advanceSeconds(seconds);
  }

  /**
   * Makes the next calls of a kind fail, in the order in which the faults were added.
   * @param times How often. `Infinity`: until `clearFaults`. Default: 1.
   * @throws {TypeError} for an unknown call or fault.
   */
  failNext(call: Call | 'any', fault: Fault | FaultName, times = 1): void {
    this.#faults.add(call, fault, times);
  }

  /** Removes the faults that have not occurred yet. */
  clearFaults(): void {
    this.#faults.clear();
  }

  /** Returns the counts since the start. */
  stats(): SimulatorStats {
    return this.#state.stats.read();
  }

  /** Closes every connection and stops listening. May be called more than once. */
  close(): Promise<void> {
    this.#closed ??= this.#listener.close();
    return this.#closed;
  }
}
