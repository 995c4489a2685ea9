#!/usr/bin/env node
import { setTimeout as pause } from 'node:timers/promises';
import { run } from './run';

/** The command `passport-sms-otp`: everything it uses of the process is handed over here. */
async function start(): Promise<void> {
  const { argv, env, stdin, stdout, stderr } = process;
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // The second one ends the process at once.
    process.once(signal, () => interruption.abort());
  }
  // Whoever reads may have seen enough: `passport-sms-otp pricing | head`.
  stdout.on('error', () => interruption.abort());
  process.exitCode = await run(argv.slice(2), {
    env,
    stdin,
    stdout,
    stderr,
    now: Date.now,
    wait: (milliseconds, signal) => pause(milliseconds, undefined, { signal }).catch(() => undefined),
    signal: interruption.signal,
    folder: process.cwd(),
  });
  // An open standard input would keep the process waiting for a line nobody needs.
  stdin.destroy();
}

void start();
