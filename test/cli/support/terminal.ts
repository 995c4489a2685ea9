import { Readable } from 'node:stream';
import { run } from '../../../src/cli/run';
import type { CliIo } from '../../../src/cli/command';

/** What a command has left behind. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * How a command is run; what is left out is what a script has: no terminal, nothing on standard
 * input.
 */
export interface TerminalOptions extends Partial<
  Pick<CliIo, 'env' | 'now' | 'wait' | 'signal' | 'folder'>
> {
  /** What is typed or piped in. */
  readonly input?: string;
  readonly isTerminal?: boolean;
  readonly onOutput?: (text: string) => void;
}

/** Runs one command line in this process. */
export async function runCli(
  argv: readonly string[],
  options: TerminalOptions = {},
): Promise<Ended> {
  const { input, isTerminal = false, onOutput, ...io } = options;
  const [stdout, stderr] = [createSink(isTerminal, onOutput), createSink(isTerminal)];
  const stdin = Object.assign(Readable.from(input === undefined ? [] : [Buffer.from(input)]), {
    isTTY: isTerminal,
  });
  const code = await run(argv, {
    env: {},
    now: Date.now,
    wait: () => Promise.resolve(),
    signal: new AbortController().signal,
    folder: process.cwd(),
    ...io,
    stdin,
    stdout,
    stderr,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/**
 * Starts a command that runs until it is interrupted, does something while it runs, and ends it as
 * Ctrl+C does.
 * @param use Gets what the command has printed once it was ready.
 */
export async function runWhile(
  argv: readonly string[],
  use: (shown: string) => Promise<void>,
  options: TerminalOptions = {},
): Promise<Ended> {
  const interruption = new AbortController();
  let shown = '';
  let tellReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => (tellReady = resolve));
  const onOutput = (text: string): void => {
    shown += text;
    if (shown.includes('Ctrl+C')) tellReady();
  };
  const ended = runCli(argv, { ...options, signal: interruption.signal, onOutput });
  await Promise.race([ready, ended]);
  try {
    await use(shown);
  } finally {
    interruption.abort();
  }
  return ended;
}

/** The JSON that a command has written. */
export function jsonOf({ stdout }: Ended): unknown {
  return JSON.parse(stdout);
}

function createSink(isTTY: boolean, onOutput?: (text: string) => void) {
  const pieces: string[] = [];
  return {
    isTTY,
    write(piece: string) {
      pieces.push(piece);
      onOutput?.(piece);
    },
    text: () => pieces.join(''),
  };
}
