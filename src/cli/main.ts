#!/usr/bin/env node
import { setTimeout as pause } from 'node:timers/promises';
import { run } from './run';

/** Runs the command `passport-sms-otp` with the parts of the process that it uses. */
async function start(): Promise<void> {
  const { argv, env, stdin, stdout, stderr } = process;
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Listen once, so that a second signal ends the process at once.
    process.once(signal, () => interruption.abort(signal));
  }
  // The reader may close the pipe early: `passport-sms-otp pricing | head`.
  stdout.on('error', () => interruption.abort());

  process.exitCode = await run(argv.slice(2), {
    env,
    stdin,
    stdout,
    stderr,
    now: Date.now,
    wait: (milliseconds, signal) =>
      pause(milliseconds, undefined, { signal }).catch(() => undefined),
    signal: interruption.signal,
    folder: process.cwd(),
  });

  // Close standard input, which would keep the process running.
  stdin.destroy();
}

void start();
