import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import manifest from '../../package.json';
import { layOutConsumer } from '../package/packed/lay-out';
import { packInto } from '../package/packed/pack';
import { environmentOf, openAccount } from './support/account';

const directory = mkdtempSync(join(tmpdir(), 'passport-sms-otp-command-'));
const project = join(directory, 'project');
const program = join(project, 'node_modules/passport-sms-otp/dist/cli/main.js');
const LIMIT_MS = 60_000;

/** A project that has installed the package, and neither redis nor pg. */
beforeAll(async () => {
  const { directory: tarball } = await packInto(directory);
  mkdirSync(join(directory, 'sources'));
  const peers = {
    express: 'express',
    expressTypes: '@types/express',
    passport: 'passport',
  } as const;
  layOutConsumer(project, tarball, peers, join(directory, 'sources'));
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program as the shell would; `onOutput` may end it. */
async function runProgram(
  argv: readonly string[],
  env: Record<string, string> = {},
  onOutput?: (text: string, interrupt: (signal?: NodeJS.Signals) => void) => void,
): Promise<Finished> {
  const child = spawn(process.execPath, [program, ...argv], {
    cwd: project,
    env: { PATH: process.env.PATH, ...env },
    timeout: LIMIT_MS,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
    onOutput?.(stdout, (signal = 'SIGINT') => child.kill(signal));
  });
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  child.stdin.end();
  // Node's own event of a process that has ended.
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

describe('the command of the packed package', () => {
  it('is named in the manifest, and begins with the line that lets a shell run it', () => {
    expect(manifest.bin).toEqual({ 'passport-sms-otp': './dist/cli/main.js' });
    expect(readFileSync(program, 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true);
    expect(statSync(program).isFile()).toBe(true);
  });

  it('tells its version, also through a link as npm makes it', async () => {
    expect(await runProgram(['--version'])).toEqual({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
    const link = join(project, 'passport-sms-otp');
    symlinkSync(program, link);
    expect((await runProgram(['--help'])).stdout).toContain('doctor');
  });

  it('examines a gateway', async () => {
    const { env } = await openAccount({ variant: 'B' });
    const { code, stdout, stderr } = await runProgram(['doctor'], env);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('6 passed, 3 skipped');
  });

  it('ends with 1 after a failure, and with 2 after wrong usage', async () => {
    expect((await runProgram(['balance'], environmentOf('http://127.0.0.1:1', 'A'))).code).toBe(1);
    expect((await runProgram(['balance'])).code).toBe(2);
  });

  it('ends as it should on Ctrl+C', async () => {
    const { code, stdout } = await runProgram(['simulate'], {}, (text, interrupt) => {
      if (text.includes('Ctrl+C')) interrupt();
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining('/inbox')]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'runs the demo until %s, also while a browser keeps its connection open',
    async (signal) => {
      let page = '';
      let hasAsked = false;
      const { code, stderr } = await runProgram(['demo', '--port', '0'], {}, (text, interrupt) => {
        const [url] = /http:\/\/localhost:\d+\//.exec(text) ?? [];
        if (hasAsked || url === undefined || !text.includes('Ctrl+C')) return;
        hasAsked = true;
        void fetch(url)
          .then(async (answer) => (page = await answer.text()))
          .finally(() => interrupt(signal));
      });
      expect([code, stderr]).toEqual([0, '']);
      expect(page).toContain('<h1>Log in</h1>');
    },
  );

  it('says which packages the demo needs, and how to install them', async () => {
    const names = ['express', 'passport'];
    const move = (from: string, to: string): void => {
      for (const name of names)
        renameSync(
          join(project, `node_modules/${name}${from}`),
          join(project, `node_modules/${name}${to}`),
        );
    };
    move('', '-away');
    try {
      const { code, stdout, stderr } = await runProgram(['demo', '--port', '0']);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(
        'The demo needs packages that are not installed here: express, passport.',
      );
      expect(stderr).toContain('npm install express passport\n');
      // The other commands need none of them.
      expect((await runProgram(['--version'])).code).toBe(0);
    } finally {
      move('-away', '');
    }
  });

  it.each([
    [{ REDIS_URL: 'redis://127.0.0.1:1' }, 'redis'],
    [{ DATABASE_URL: 'postgres://127.0.0.1:1/x' }, 'pg'],
  ])('says what to install where a driver is missing: %j', async (env, name) => {
    const { code, stderr } = await runProgram(['unlock', 'alice'], env);
    expect(code).toBe(1);
    expect(stderr).toContain(`The package ${name} is not installed here.`);
    expect(stderr).toContain(`npm install ${name}`);
  });

  it('takes the driver of the project it runs in', async () => {
    const driver = join(project, 'node_modules/redis');
    mkdirSync(driver, { recursive: true });
    writeFileSync(
      join(driver, 'index.js'),
      'exports.createClient = () => { throw new Error("used"); };',
    );
    const { stderr } = await runProgram(['unlock', 'alice'], { REDIS_URL: 'redis://127.0.0.1:1' });
    expect(stderr).toContain('REDIS_URL is not an address of Redis.');
    rmSync(driver, { recursive: true });
  });
});
