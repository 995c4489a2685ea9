import { styleText } from 'node:util';
import { UsageError } from './failures';

/** A stream to write to: standard output, standard error, or a buffer in tests. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/** Standard input. */
export type TextSource = AsyncIterable<Buffer | string> & { readonly isTTY?: boolean | undefined };

/** Everything a command uses of its process. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: TextSource;
  /** Data. */
  readonly stdout: TextSink;
  /** Questions, progress, errors. */
  readonly stderr: TextSink;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits; returns early, without an error, when the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Aborted by Ctrl+C. */
  readonly signal: AbortSignal;
  /** The working directory: file names are relative to it, and `redis` and `pg` are resolved from it. */
  readonly folder: string;
}

type Format = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Colors of one stream; without colors each function returns its text unchanged. */
export type Style = Readonly<Record<Format, (text: string) => string>>;

/** Colors on a terminal, unless NO_COLOR (no-color.org) or a dumb terminal forbids them. */
function createStyle(sink: TextSink, env: CliIo['env']): Style {
  const hasColors = sink.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const paint = (format: Format) => (text: string) =>
    // The stream was examined above; Node would examine the standard output of its own process.
    hasColors ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    cyan: paint('cyan'),
  };
}

/** Where a command writes: data to standard output, everything else to standard error. */
export interface Output {
  /** Colors of standard output. */
  readonly style: Style;
  /** Colors of standard error. */
  readonly noteStyle: Style;
  line(text?: string): void;
  json(value: unknown): void;
  note(text: string): void;
  /** Writes a question, without a line break after it. */
  ask(text: string): void;
  /** Replaces the progress line of a terminal; an empty string removes it. Writes nothing elsewhere. */
  progress(text: string): void;
}

export function createOutput({ stdout, stderr, env }: CliIo): Output {
  const hasProgress = stderr.isTTY === true && env.TERM !== 'dumb';
  return {
    style: createStyle(stdout, env),
    noteStyle: createStyle(stderr, env),
    line: (text = '') => void stdout.write(`${text}\n`),
    json: (value) => void stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    ask: (text) => void stderr.write(text),
    progress(text) {
      if (hasProgress) stderr.write(`\r\u001b[K${text}`);
    },
  };
}

/** Makes a string of the gateway's or of a file safe to print: it cannot control the terminal or break the line. */
export function cleanText(text: string | null): string {
  return (text ?? '').replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ').trim();
}

/** Returns the next line of standard input; null at its end or after Ctrl+C. */
export type ReadLine = () => Promise<string | null>;

const MAX_LINE_CHARACTERS = 1_024;

/** Reads standard input line by line. Nothing is read before the first call. */
export function createLineReader({ stdin, signal }: Pick<CliIo, 'stdin' | 'signal'>): ReadLine {
  let chunks: AsyncIterator<Buffer | string> | null = null;
  let rest = '';
  const aborted = new Promise<{ readonly done: true }>((resolve) => {
    const end = (): void => resolve({ done: true });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  return async function readLine() {
    chunks ??= stdin[Symbol.asyncIterator]();
    while (!rest.includes('\n')) {
      // Anything this long was piped in by mistake.
      if (rest.length > MAX_LINE_CHARACTERS) throw new UsageError('the line on standard input is too long');
      const step = await Promise.race([chunks.next(), aborted]);
      if (step.done === true) break;
      rest += String(step.value);
    }
    if (signal.aborted || rest === '') return null;
    const [line = ''] = rest.split('\n', 1);
    rest = rest.slice(line.length + 1);
    if (line.length > MAX_LINE_CHARACTERS) throw new UsageError('the line on standard input is too long');
    return line.trim();
  };
}
