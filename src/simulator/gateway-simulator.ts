import type { Variant } from '../protocol/paths';
import type { Call } from './calls/call';
import { checkFault, type Fault, type FaultName, FaultQueue } from './faults/fault';
import { createServe, listen, type Listener } from './http/serve';
import { type CheckedOptions, checkOptions, refuseDangerousPlace, type SimulatorOptions } from './options';
import { createWorld, type World } from './state';
import type { SentMessage } from './state/outbox';
import type { SimulatorStats } from './state/stats';
import type { Subscribers } from './state/subscribers';

/** The gateway of both documents on a loopback port, for development and tests. */
export class GatewaySimulator {
  readonly variant: Variant;
  readonly username: string;
  readonly password: string;
  /** Where the gateway's interface lives, without a slash at the end. */
  readonly baseUrl: string;
  /** A page that shows the text messages as they arrive. */
  readonly inboxUrl: string;
  /**
   * What lookups answer; numbers that were never set have a subscriber made from their digits. HLR spec §2.
   */
  readonly subscribers: Subscribers;

  readonly #world: World;
  readonly #faults: FaultQueue;
  readonly #listener: Listener;
  #closed: Promise<void> | null = null;

  private constructor(options: CheckedOptions, world: World, faults: FaultQueue, listener: Listener) {
    const host = options.host.includes(':') ? `[${options.host}]` : options.host;
    this.variant = options.variant;
    this.username = options.username;
    this.password = options.password;
    this.baseUrl = `http://${host}:${listener.port}`;
    this.inboxUrl = `${this.baseUrl}/inbox`;
    this.subscribers = world.subscribers;
    this.#world = world;
    this.#faults = faults;
    this.#listener = listener;
  }

  /**
   * Starts a simulator and resolves when it listens.
   * @throws {TypeError} for a wrong option, which it names.
   * @throws {Error} when NODE_ENV is production, when the host is not a loopback address, or when the port is taken.
   */
  static async start(options: SimulatorOptions = {}): Promise<GatewaySimulator> {
    const checked = checkOptions(options);
    refuseDangerousPlace(checked.host, process.env.NODE_ENV);
    const world = createWorld(checked);
    const faults = new FaultQueue();
    const listener = await listen(checked.host, checked.port, createServe(world, faults));
    return new GatewaySimulator(checked, world, faults, listener);
  }

  /** The newest 1,000 text messages, oldest first. */
  get outbox(): readonly SentMessage[] {
    return this.#world.outbox.messages;
  }

  /** The pin sent last to a number, with or without plus. */
  lastPin(mobile: string): string | undefined {
    return this.#world.outbox.lastPin(mobile);
  }

  /** Moves the simulator's clock forward: tokens and pins age. @throws {RangeError} for a negative number. */
  advanceSeconds(seconds: number): void {
    this.#world.clock.advanceSeconds(seconds);
  }

  /**
   * Makes the next calls of a kind go wrong, in the order the faults were asked for.
   * @param times how often; default 1, `Infinity` until `clearFaults`.
   * @throws {TypeError} for an unknown call or fault.
   */
  failNext(call: Call | 'any', fault: Fault | FaultName, times = 1): void {
    this.#faults.add(call, checkFault(call, fault, times), times);
  }

  /** Forgets the faults that have not struck yet. */
  clearFaults(): void {
    this.#faults.clear();
  }

  /** What has happened since the start. */
  stats(): SimulatorStats {
    return this.#world.stats.read();
  }

  /** Ends every connection and stops listening. May be called more than once. */
  close(): Promise<void> {
    this.#closed ??= this.#listener.close();
    return this.#closed;
  }
}
