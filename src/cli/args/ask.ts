import type { CliIo, CommandCall } from '../command';
import { CommandFailure, UsageError } from '../failures';

/** Gives the next line of standard input; null when there is none, or Ctrl+C came first. */
export type ReadLine = () => Promise<string | null>;

/** Nobody types more in a line. */
const MOST_CHARACTERS = 1_024;

/** Standard input, line by line. Nothing is read before the first call. */
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
      // Whoever pipes something large in has mistaken the command.
      if (rest.length > MOST_CHARACTERS) throw new UsageError('the line on standard input is too long');
      const step = await Promise.race([chunks.next(), aborted]);
      if (step.done === true) break;
      rest += String(step.value);
    }
    if (signal.aborted || rest === '') return null;
    const [line = ''] = rest.split('\n', 1);
    rest = rest.slice(line.length + 1);
    if (line.length > MOST_CHARACTERS) throw new UsageError('the line on standard input is too long');
    return line.trim();
  };
}

/**
 * Asks before money is spent; `--yes` is the answer given beforehand.
 * @throws {UsageError} when nobody is there to be asked. @throws {CommandFailure} when the answer is no.
 */
export async function askForMoney(
  { args, io, screen, readLine }: CommandCall,
  question: string,
): Promise<void> {
  if (args.isOn('yes')) return;
  if (io.stdin.isTTY !== true) {
    throw new UsageError('This costs money, and nobody is there to be asked: add --yes');
  }
  screen.ask(`${question} ${screen.noteStyle.dim('[y/N]')} `);
  const answer = await readLine();
  if (!/^y(es)?$/i.test(answer ?? '')) throw new CommandFailure('Nothing was done.');
}
