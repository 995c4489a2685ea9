import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import type { GatewaySimulator } from 'passport-sms-otp/simulator';
import { ROOT } from '../../package/packed/repository';

/** A program that runs. */
export interface Child {
  readonly urls: Readonly<Record<string, string>>;
  /** Kills it and waits for its end. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a program of this folder, for libraries that are ES modules: Jest cannot load them.
 * Returns the addresses that it tells as JSON.
 * @throws {Error} with what it has said when it ends first.
 */
export async function startChild(file: string, sim: GatewaySimulator): Promise<Child> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(__dirname, file)], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      SIMULATOR: sim.baseUrl,
      GATEWAY_PASSWORD: sim.password,
      NODE_ENV: 'test',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  async function stop(): Promise<void> {
    child.kill('SIGKILL');
    await ended;
  }
  let [said, complaint] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (said += part.toString()));
  child.stderr.on('data', (part: Buffer) => (complaint += part.toString()));
  for (let round = 0; round < 1_000 && !said.includes('}') && child.exitCode === null; round += 1)
    await wait(100);
  const [line] = /\{.*\}/.exec(said) ?? [];
  if (line === undefined) {
    await stop();
    throw new Error(`${file} has not started: ${complaint}`);
  }
  // Each program tells where its servers are.
  return { urls: JSON.parse(line) as Child['urls'], stop };
}
