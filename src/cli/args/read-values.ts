import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { toMicros } from '../../policies/spend-limits/micros';
import type { Arguments } from '../command';
import { CommandFailure, UsageError } from '../failures';

/** A whole number within bounds. @throws {UsageError} */
export function readWhole(
  args: Arguments,
  name: string,
  { min, max, standard }: { readonly min: number; readonly max: number; readonly standard: number },
): number {
  const text = args.text(name);
  if (text === undefined) return standard;
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}`);
}

/** One of a few words. @throws {UsageError} */
export function readChoice<Choice extends string>(
  args: Arguments,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = args.text(name);
  const choice = choices.find((word) => word === text);
  if (text !== undefined && choice === undefined) {
    throw new UsageError(`--${name} must be ${choices.join(' or ')}`);
  }
  return choice;
}

/** An amount of money in millionths. @throws {UsageError} */
export function readAmount(args: Arguments, name: string): number | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  const micros = toMicros(text);
  if (micros === null || micros <= 0) throw new UsageError(`--${name} must be an amount such as 2.50`);
  return micros;
}

/** The digits of a number as people write it: spaces, dots, hyphens and brackets are let go. @throws {UsageError} */
export function readMobile(text: string): string {
  const mobile = findMobile(text);
  if (mobile === null) {
    throw new UsageError('the number must have its country code and 7 to 15 digits, such as +12025550123');
  }
  return mobile;
}

/** E.164 with plus, or null. */
export function findMobile(text: string): string | null {
  const digits = text.replaceAll(/[\s().-]/g, '').replace(/^\+/, '');
  return /^[1-9][0-9]{6,14}$/.test(digits) ? `+${digits}` : null;
}

/** The text of a file of the user's, up to 16 MiB. @throws {CommandFailure} */
export async function readText(folder: string, path: string): Promise<string> {
  try {
    const text = await readFile(resolve(folder, path), 'utf8');
    return text.slice(0, 16 * 1024 * 1024);
  } catch (error) {
    throw toFileFailure('read', error);
  }
}

/** What became of a file. The path is not repeated: the user has just typed it. */
export function toFileFailure(verb: 'read' | 'written', error: unknown): CommandFailure {
  // A primitive has no code; Object() makes asking it harmless.
  const { code } = Object(error) as { code?: unknown };
  const why = typeof code === 'string' && /^E[A-Z]+$/.test(code) ? ` (${code})` : '';
  return new CommandFailure(`the file could not be ${verb}${why}`, 'Check its name and your rights.');
}
