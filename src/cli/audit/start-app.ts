import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import type { RunningApp } from 'passport-sms-otp/testing';
import type { GatewaySimulator } from '../../simulator';
import type { CliIo } from '../command';
import { CommandFailure } from '../failures';
import type { AuditConfig } from './config';

const TRY_EVERY_MS = 100;
/** How long an app may take to listen. */
const START_MS = 120_000;
/** How long it may take to end. */
const END_MS = 5_000;

/**
 * Starts a module as a process of its own, with the simulator as its gateway, and resolves when it
 * listens. What it prints is not shown: it may print codes.
 * @throws {CommandFailure} when it ends before it listens.
 */
export async function startApp(
  module: string,
  config: AuditConfig,
  gateway: GatewaySimulator,
  io: Pick<CliIo, 'env' | 'folder' | 'signal' | 'wait'>,
): Promise<RunningApp> {
  const { start } = config;
  const port = start.port ?? (await findFreePort());
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
    stdio: 'ignore',
  });

  const close = () => end(child);
  try {
    await waitUntilListening(child, port, io);
    return { baseUrl: `http://127.0.0.1:${port}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;

  server.close();
  await once(server, 'close');
  return port;
}

async function waitUntilListening(
  child: ChildProcess,
  port: number,
  io: Pick<CliIo, 'signal' | 'wait'>,
): Promise<void> {
  for (let waited = 0; waited < START_MS; waited += TRY_EVERY_MS) {
    if (io.signal.aborted) throw new CommandFailure('Interrupted.');
    if (hasEnded(child))
      throw new CommandFailure(
        'The app ended before it listened.',
        'Start it by hand with the same variables: what it prints is not shown here.',
      );
    if (await isListening(port)) return;
    await io.wait(TRY_EVERY_MS, io.signal);
  }

  throw new CommandFailure(
    `The app does not listen on port ${port}.`,
    'Give the variable that it takes its port from as start.portVariable, or its own start.port.',
  );
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
