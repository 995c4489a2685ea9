import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { toMicros } from '../policies/spend-limits/micros';
import { toDigits } from '../protocol/mobile';
import type { Arguments, CommandCall } from './command';
import { CommandFailure, UsageError } from './failures';

/** Reads a whole number within bounds. @throws {UsageError} */
export function readWhole(
  args: Arguments,
  name: string,
  { min, max, fallback }: { readonly min: number; readonly max: number; readonly fallback: number },
): number {
  const text = args.text(name);
  if (text === undefined) return fallback;
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}`);
}

/** Reads one of a few words; null when there is none. @throws {UsageError} */
export function readChoice<Choice extends string>(
  name: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | null {
  const choice = choices.find((word) => word === text) ?? null;
  if (text && choice === null) throw new UsageError(`${name} must be ${choices.join(' or ')}`);
  return choice;
}

/** Reads an amount of money, in millionths. @throws {UsageError} */
export function readAmount(args: Arguments, name: string): number | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  const micros = toMicros(text);
  if (micros === null || micros <= 0) throw new UsageError(`--${name} must be an amount such as 2.50`);
  return micros;
}

/** Reads a phone number. @throws {UsageError} */
export function readMobile(text: string): string {
  const mobile = findMobile(text);
  if (mobile === null) {
    throw new UsageError('the number must have its country code and 7 to 15 digits, such as +12025550123');
  }
  return mobile;
}

/** Returns a number as E.164 with plus, or null. Spaces, dots, hyphens and parentheses are ignored. */
export function findMobile(text: string): string | null {
  const digits = toDigits(text.replaceAll(/[\s().-]/g, ''));
  return digits === null ? null : `+${digits}`;
}

/**
 * Asks before money is spent, unless `--yes` was given.
 * @throws {UsageError} without a terminal to ask on. @throws {CommandFailure} when the answer is no.
 */
export async function askForMoney(
  { args, io, output, readLine }: CommandCall,
  question: string,
): Promise<void> {
  if (args.isOn('yes')) return;
  if (io.stdin.isTTY !== true) {
    throw new UsageError('This costs money, and there is no terminal to ask on: add --yes');
  }
  output.ask(`${question} ${output.noteStyle.dim('[y/N]')} `);
  const answer = await readLine();
  if (!/^y(es)?$/i.test(answer ?? '')) throw new CommandFailure('Nothing was done.');
}

/** Reads a text file of the user's, up to 16 MiB. @throws {CommandFailure} */
export async function readText(folder: string, path: string): Promise<string> {
  try {
    const text = await readFile(resolve(folder, path), 'utf8');
    return text.slice(0, 16 * 1024 * 1024);
  } catch (error) {
    throw toFileFailure('read', error);
  }
}

/** Describes a failed access to a file, without repeating its path. */
export function toFileFailure(verb: 'read' | 'written', error: unknown): CommandFailure {
  // Anything can be thrown: Object() makes reading a property of a primitive safe.
  const { code } = Object(error) as { code?: unknown };
  const why = typeof code === 'string' && /^E[A-Z]+$/.test(code) ? ` (${code})` : '';
  return new CommandFailure(`the file could not be ${verb}${why}`, 'Check its name and your permissions.');
}
