import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { ROOT } from '../../package/packed/repository';
import { createStage, share } from '../../support/stage';
import { AFRESH } from './listen';
import { RecipeUsers } from './recipe-users';

/** A program that runs. */
interface Child {
  readonly urls: Readonly<Record<string, string>>;
  /** Kills it and waits for its end. */
  readonly stop: () => Promise<void>;
}

/** A program that runs beside a simulator. */
interface ChildSite {
  readonly sim: GatewaySimulator;
  /** The address of one of its servers. */
  readonly url: (name: string) => string;
  /** The newest code on a user's phone. */
  readonly code: (id: string) => string;
  /** Makes one of its apps anew, with an empty store. */
  readonly startAfresh: (name: string) => Promise<void>;
  close(): Promise<void>;
}

/** One program of this folder for all tests of a block, with a simulator. */
export function useChild(file: string): ChildSite {
  return share(createStage(() => openChild(file)));
}

async function openChild(file: string): Promise<ChildSite> {
  const sim = await GatewaySimulator.start({ variant: 'A' });
  const users = new RecipeUsers();
  const { urls, stop } = await startChild(file, sim);
  const urlOf = (name: string): string => {
    const url = urls[name];
    if (url === undefined) throw new Error(`${file} has told no address of ${name}`);
    return url;
  };
  return {
    sim,
    url: urlOf,
    startAfresh: async (name) => {
      await fetch(urlOf(name) + AFRESH);
    },
    code: (id) => sim.lastPin(users.phoneOf(id)) ?? 'none',
    close: async () => {
      await stop();
      await sim.close();
    },
  };
}

/**
 * Starts a program of this folder, for libraries that are ES modules: Jest cannot load them.
 * Returns the addresses that it tells as JSON.
 * @throws {Error} with what it has said when it ends first.
 */
async function startChild(file: string, sim: GatewaySimulator): Promise<Child> {
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
  // A line of its own: NestJS logs its routes before it, in braces too.
  const addresses = /^\{".*\}$/m;
  for (let round = 0; round < 1_000 && !addresses.test(said) && child.exitCode === null; round += 1)
    await wait(100);
  const [line] = addresses.exec(said) ?? [];
  if (line === undefined) {
    await stop();
    throw new Error(`${file} has not started: ${complaint}`);
  }
  // Each program tells where its servers are.
  return { urls: JSON.parse(line) as Child['urls'], stop };
}
