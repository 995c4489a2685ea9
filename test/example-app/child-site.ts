import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const CHEAP_SCRYPT = join(ROOT, 'test/support/cheap-scrypt.cjs');

/** Empty ones go before what a developer's own `.env` says. */
const NO_SETTINGS = Object.fromEntries(
  [
    'SMS_OTP_BASE_URL',
    'SMS_OTP_USERNAME',
    'SMS_OTP_PASSWORD',
    'SMS_OTP_VARIANT',
    'SMS_OTP_NUMBERS_AS',
  ]
    .concat(
      'ALICE_PHONE',
      'BOB_PHONE',
      'ALLOWED_COUNTRIES',
      'TRUST_PROXY',
      'SESSION_SECRET',
      'SMS_OTP_SECRET',
      'NODE_ENV',
    )
    .concat('REDIS_URL', 'WORKERS')
    .map((name) => [name, ''])
    .concat([['LOG_LEVEL', 'silent']]),
);

/** The example app as `npm run example` starts it, on a free port. */
export interface ChildSite {
  readonly processId: number;
  /** Everything it has said so far. */
  readonly output: () => string;
  /**
   * The address of the app, once it has said everything; whatever it says instead, when it ends.
   */
  address(): Promise<string>;
  /** Exit code and signal. */
  readonly ended: Promise<unknown[]>;
  kill(signal: NodeJS.Signals): void;
  /** A signal to it and all that it has started, as Ctrl+C sends it. */
  killGroup(signal: NodeJS.Signals): void;
}

/** @param hooks Files that are loaded before the app, in all its processes. */
export function startChild(
  settings: Readonly<Record<string, string>>,
  hooks: readonly string[] = [],
  file = 'example-app/start.ts',
): ChildSite {
  const imports = ['tsx', ...hooks].flatMap((file) => ['--import', file]);
  return watch(process.execPath, ['--require', CHEAP_SCRYPT, ...imports, file], settings);
}

/** Starts the app by `npm run example`: a signal to it is one to npm alone. */
export function startByNpm(settings: Readonly<Record<string, string>>): ChildSite {
  const quiet = { NODE_OPTIONS: `--require ${CHEAP_SCRYPT}`, npm_config_update_notifier: 'false' };
  return watch('npm', ['run', 'example'], { ...quiet, ...settings });
}

function watch(
  command: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): ChildSite {
  const child = spawn(command, words, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...NO_SETTINGS, PORT: '0', INBOX_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  const ended = once(child, 'close');
  const processId = Number(child.pid);
  return {
    processId,
    output: () => output,
    async address() {
      while (!/Ctrl\+C|Text messages: /.test(output) && child.exitCode === null)
        await Promise.race([once(child.stdout, 'data'), ended]);
      return /http:\/\/localhost:\d+/.exec(output)?.[0] ?? output;
    },
    ended,
    kill: (signal) => void child.kill(signal),
    killGroup: (signal) => void process.kill(-processId, signal),
  };
}

/** Ends what still runs, however a test has ended. */
export async function endChild(child: ChildSite): Promise<void> {
  if (isRunning(-child.processId)) child.killGroup('SIGKILL');
  await child.ended;
}

export function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    // There is no such process.
    return false;
  }
}
