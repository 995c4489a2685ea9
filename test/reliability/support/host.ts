import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { AppSettings } from './app';
import type { Report } from './report';
import type { StateSettings } from './state';

const ROOT = join(__dirname, '../../..');
const PROGRAM = join(__dirname, 'host-program.ts');
const PRELOADED = ['tsx/cjs', join(ROOT, 'test/support/cheap-scrypt.cjs')];

export interface HostedSettings extends AppSettings {
  readonly state: StateSettings;
}

/** What a host is told to do. */
export interface Order {
  readonly id: number;
  readonly order: 'open' | 'report' | 'collect' | 'close' | 'end';
  readonly app?: number;
  readonly settings?: HostedSettings;
}

export interface Reply {
  readonly id: number;
  opened?: { readonly app: number; readonly url: string };
  report?: Report;
  heapBytes?: number;
  error?: string;
}

/** An app in a process of its own. */
export interface HostedApp {
  readonly url: string;
  report(): Promise<Report>;
  close(): Promise<void>;
}

/** A process that opens apps. It takes a second to start, so tests use one for several apps. */
export class Host {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #orders = 0;

  constructor() {
    const words = PRELOADED.flatMap((file) => ['--require', file]);
    this.#child = spawn(process.execPath, ['--expose-gc', ...words, PROGRAM], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, NODE_ENV: 'test' },
    });
    const endWithUs = (): void => void this.#child.kill('SIGKILL');
    process.once('exit', endWithUs);
    this.#child.once('exit', () => process.off('exit', endWithUs));
    this.#child.on('message', (reply: Reply) => this.#waiting.get(reply.id)?.(reply));
  }

  async open(settings: HostedSettings): Promise<HostedApp> {
    const { opened } = await this.#ask({ order: 'open', settings });
    if (opened === undefined) throw new Error('the host opened nothing');
    const { app, url } = opened;
    return {
      url,
      report: async () => {
        const { report } = await this.#ask({ order: 'report', app });
        if (report === undefined) throw new Error('the host told nothing');
        return report;
      },
      close: async () => {
        await this.#ask({ order: 'close', app });
      },
    };
  }

  /** Bytes of its heap once garbage is collected. */
  async collect(): Promise<number> {
    return (await this.#ask({ order: 'collect' })).heapBytes ?? NaN;
  }

  /** Leaves the process alone: it must end by itself once its apps are closed. Its exit code. */
  async end(): Promise<number | null> {
    const exited = once(this.#child, 'exit') as Promise<[number | null]>;
    this.#child.send({ id: 0, order: 'end' } satisfies Order);
    return (await exited)[0];
  }

  /** Ends it at once, as a crash does. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  async #ask(order: Omit<Order, 'id'>): Promise<Reply> {
    const id = (this.#orders += 1);
    const reply = await new Promise<Reply>((resolve, reject) => {
      const fail = (): void => reject(new Error('the host has ended'));
      this.#child.once('exit', fail);
      this.#waiting.set(id, (answer) => {
        this.#child.off('exit', fail);
        this.#waiting.delete(id);
        resolve(answer);
      });
      const message: Order = { ...order, id };
      this.#child.send(message, (error) => {
        if (error !== null) reject(error);
      });
    });
    if (reply.error !== undefined) throw new Error(`the host says: ${reply.error}`);
    return reply;
  }
}

export function startHosts(count: number): Host[] {
  return Array.from({ length: count }, () => new Host());
}

/** The same app in each of the hosts, sharing what its state shares. */
export function openEverywhere(
  hosts: readonly Host[],
  settings: HostedSettings | ((index: number) => HostedSettings),
): Promise<HostedApp[]> {
  const settingsOf = typeof settings === 'function' ? settings : () => settings;
  return Promise.all(hosts.map((host, index) => host.open(settingsOf(index))));
}

/**
 * Waits until all processes have ended by themselves. @throws {Error} when one did not end well.
 */
export async function endHosts(hosts: readonly Host[]): Promise<void> {
  const codes = await Promise.all(hosts.map((host) => host.end()));
  if (codes.some((code) => code !== 0)) throw new Error(`processes ended with ${codes.join(', ')}`);
}
