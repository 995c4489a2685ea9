import type { CommandCall } from '../command';
import { CommandFailure, UsageError } from '../failures';

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
