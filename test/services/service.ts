import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

/** A server of a test: it listens on loopback alone and forgets all when it is closed. */
export interface Service {
  readonly port: number;
  readonly processId: number;
  /** Stops the process as kill -STOP does: connections stay, answers do not come. */
  freeze(): void;
  thaw(): void;
  /** Ends the process at once, as a crash does. */
  crash(): Promise<void>;
  /** Starts it anew on the same port, after a crash. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** How to start one program. */
export interface Program {
  readonly command: string;
  readonly args: (folder: string, port: number) => readonly string[];
  /** Done once in the new folder, before the first start. */
  readonly prepare?: (folder: string, as: SpawnOptions) => Promise<void>;
  readonly isUp: (port: number) => Promise<boolean>;
  /** Run as this user when the tests run as root. */
  readonly user?: UserIds | undefined;
}

export interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

const START_TIMEOUT_MS = 20_000;

export async function startService(program: Program): Promise<Service> {
  const folder = await makeFolder(join(tmpdir(), 'sms-otp-test-'), program.user);
  const as: SpawnOptions = { cwd: folder, stdio: 'ignore', ...program.user };
  await program.prepare?.(folder, as);
  const port = await findFreePort();
  let child = await start(program, folder, port, as);

  async function crash(): Promise<void> {
    await end(child);
  }
  return {
    port,
    get processId() {
      return Number(child.pid);
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    crash,
    restart: async () => {
      await crash();
      child = await start(program, folder, port, as);
    },
    close: async () => {
      await crash();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A new folder that belongs to the user that a service runs as. */
export async function makeFolder(
  prefix: string,
  { uid, gid }: Pick<SpawnOptions, 'uid' | 'gid'> = {},
): Promise<string> {
  const folder = await mkdtemp(prefix);
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  return folder;
}

/** The full path of a program on the PATH, or null. */
export function findOnPath(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** Runs a program to its end. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  as: SpawnOptions,
): Promise<void> {
  const child = spawn(command, args, as);
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  if (exitCode !== 0) throw new Error(`${command} ended with ${String(exitCode)}`);
}

/**
 * A server that was killed may leave what keeps the next one from starting for a moment: then it is
 * tried again.
 */
async function start(
  program: Program,
  folder: string,
  port: number,
  as: SpawnOptions,
): Promise<ChildProcess> {
  const giveUpAt = Date.now() + START_TIMEOUT_MS;
  let child = launch(program, folder, port, as);
  while (!(await program.isUp(port)) || child.exitCode !== null) {
    if (Date.now() > giveUpAt) throw new Error(`${program.command} did not start`);
    await wait(20);
    if (child.exitCode !== null) child = launch(program, folder, port, as);
  }
  return child;
}

function launch(program: Program, folder: string, port: number, as: SpawnOptions): ChildProcess {
  const [command, ...args] = endingWithUs([program.command, ...program.args(folder, port)]);
  const child = spawn(command, args, as);
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  child.once('exit', () => process.off('exit', endWithUs));
  return child;
}

/** On Linux the server ends with the process of the tests even when that is killed. */
function endingWithUs(words: [string, ...string[]]): [string, ...string[]] {
  const setpriv = process.platform === 'linux' ? findOnPath('setpriv') : null;
  return setpriv === null ? words : [setpriv, '--pdeathsig', 'KILL', ...words];
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/**
 * Below the ports that the system gives to outgoing connections (32768 and up on Linux), and a
 * cluster node of Redis, which also listens 10,000 above its own port, stays below them too.
 */
const FIRST_PORT = 12_000;
const PORTS_OF_A_WORKER = 1_000;
const WORKERS = 10;

/**
 * A port that can be given to a server later: no outgoing connection takes it meanwhile, and no
 * other worker of this run is given it. Runs side by side begin at different places.
 */
export async function findFreePort(): Promise<number> {
  const worker = Number(process.env.JEST_WORKER_ID ?? 1) % WORKERS;
  for (let tries = 0; tries < PORTS_OF_A_WORKER; tries += 1) {
    const place = (process.pid + portsTried) % PORTS_OF_A_WORKER;
    portsTried += 1;
    const port = FIRST_PORT + worker * PORTS_OF_A_WORKER + place;
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}

let portsTried = 0;

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    // Another server has it.
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
