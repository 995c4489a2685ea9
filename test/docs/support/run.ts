import { spawn } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './pages';

/** How a program ended and what it printed. */
interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program of the documentation that is running. */
export interface Running {
  /** Resolves as soon as what it has printed fits, with what was found. */
  readonly waitFor: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
  readonly stop: () => void;
}

/** A directory from which the packages of the repository are found. */
export function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'passport-sms-otp-docs-'));
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'), 'junction');
  return directory;
}

/** Starts the text of a block as a program. The package's own name leads to its source. */
export function start(
  directory: string,
  name: string,
  text: string,
  environment: NodeJS.ProcessEnv = {},
): Running {
  const file = join(directory, name);
  writeFileSync(file, text);
  const env = {
    ...process.env,
    NODE_ENV: 'test',
    PORT: '0',
    TSX_TSCONFIG_PATH: join(ROOT, 'tsconfig.json'),
    ...environment,
  };
  const child = spawn(process.execPath, ['--import', 'tsx', file], { cwd: ROOT, env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
  return {
    ended,
    stop: () => void child.kill(),
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(stdout);
          if (found !== null) resolve(found);
        };
        child.stdout.on('data', look);
        child.on('close', () => reject(new Error(`it ended: ${stderr}`)));
        look();
      }),
  };
}
