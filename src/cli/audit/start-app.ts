import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import type { RunningApp } from 'passport-sms-otp/testing';
import type { GatewaySimulator } from '../../simulator';
import type { CliIo } from '../command';
import { CommandFailure, WrongUsage } from '../failures';
import type { AuditConfig } from './config';
import type { Printed } from './printed';

/** The app could not be started, so it cannot be audited: exit code 2. */
export class AppDidNotStart extends WrongUsage {}

const TRY_EVERY_MS = 100;
/** Milliseconds that an app has to start listening. */
const START_MS = 20_000;
/** Milliseconds that it has to end. */
const END_MS = 5_000;
/** Milliseconds to wait for the output of a process that has ended. */
const DRAIN_MS = 500;

/** The settings to start an app with. */
export interface StartSettings {
  /** The file of the app. */
  readonly module: string;
  readonly config: AuditConfig;
  readonly gateway: GatewaySimulator;
  /** Receives the output of the app. */
  readonly printed: Printed;
}

type Io = Pick<CliIo, 'env' | 'folder' | 'signal' | 'wait'>;

/**
 * Starts a module as its own process, with the simulator as its gateway. Resolves once it listens.
 * @throws {AppDidNotStart} if it ends before it listens, does not listen, or its port is in use.
 */
export async function startApp(settings: StartSettings, io: Io): Promise<RunningApp> {
  const { port } = settings.config.start;
  if (port !== undefined) return tryToStart(settings, port, io);
  try {
    return await tryToStart(settings, await findFreePort(), io);
  } catch (error) {
    // Try again only if another process took the port in between.
    if (!(error instanceof AppDidNotStart) || !settings.printed.has('EADDRINUSE')) throw error;
    return await tryToStart(settings, await findFreePort(), io);
  }
}

async function tryToStart(settings: StartSettings, port: number, io: Io): Promise<RunningApp> {
  if (await isListening(port))
    throw new AppDidNotStart(
      `Port ${port} is in use: another program would be attacked.`,
      'Stop that program, or set another start.port.',
    );

  const child = spawnApp(settings, port, io);
  const close = () => end(child);
  try {
    await waitUntilListening(child, port, io);
    return { baseUrl: `http://127.0.0.1:${port}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function spawnApp(settings: StartSettings, port: number, io: Io): ChildProcess {
  const { module, config, gateway, printed } = settings;
  const { start } = config;
  const names = start.gatewayVariables;
  const child = spawn(process.execPath, [...start.arguments, resolve(io.folder, module)], {
    cwd: io.folder,
    env: {
      ...io.env,
      [start.portVariable]: String(port),
      [names.baseUrl]: gateway.baseUrl,
      [names.variant]: gateway.variant,
      [names.username]: gateway.username,
      [names.password]: gateway.password,
      ...start.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

  printed.begin();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => printed.add(chunk));
  }
  return child;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has this type of address.
  const { port } = server.address() as AddressInfo;

  server.close();
  await once(server, 'close');
  return port;
}

async function waitUntilListening(child: ChildProcess, port: number, io: Io): Promise<void> {
  for (let waited = 0; waited < START_MS; waited += TRY_EVERY_MS) {
    if (io.signal.aborted) throw new CommandFailure('Interrupted.');
    if (hasEnded(child)) {
      await drain(child);
      throw new AppDidNotStart(
        'The app ended before it listened.',
        'It was started as node <app>, with the variables of start.environment.',
      );
    }
    if (await isListening(port)) return;
    await io.wait(TRY_EVERY_MS, io.signal);
  }

  throw new AppDidNotStart(
    `The app did not listen on port ${port} within ${START_MS / 1_000} seconds.`,
    'Name the variable with its port in start.portVariable, or set start.port to its fixed port.',
  );
}

/** Waits for the output that a process printed before it ended. */
async function drain(child: ChildProcess): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
  await Promise.race([once(child, 'close'), late]);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((tell) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      tell(true);
    });
    socket.once('error', () => tell(false));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill();
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await ended;
  clearTimeout(timer);
}
