import { readRecords } from '../csv/read-records';
import { CommandFailure } from '../failures';
import { findMobile } from '../line/read-values';

/** The numbers of a CSV file. */
export interface InputNumbers {
  /** E.164 with plus, each once, in the order of the file. */
  readonly mobiles: readonly string[];
  /** Lines without a usable number, from 1. */
  readonly oddLines: readonly number[];
  readonly duplicates: number;
}

/** Names of the column when the user gives none. */
const USUAL_NAMES = ['phone', 'mobile', 'number', 'msisdn', 'phone_number', 'phonenumber'];

/** A file with more is better split: it is held in memory and takes days. */
const MOST_NUMBERS = 1_000_000;

/** @throws {CommandFailure} when the file has no such column, or too many numbers. */
export async function readInputNumbers(path: string, column: string | undefined): Promise<InputNumbers> {
  const mobiles = new Set<string>();
  const oddLines: number[] = [];
  let duplicates = 0;
  let index: number | null = null;
  for await (const { line, fields, isBroken } of readRecords(path)) {
    if (index === null) index = findColumn(isBroken ? [] : fields, column);
    else {
      const mobile = isBroken ? null : findMobile(fields[index] ?? '');
      if (mobile === null) oddLines.push(line);
      else if (mobiles.has(mobile)) duplicates += 1;
      else mobiles.add(mobile);
    }
    if (mobiles.size > MOST_NUMBERS)
      throw new CommandFailure('The file has more than 1,000,000 numbers.', 'Split it.');
  }
  if (index === null) throw new CommandFailure('The file is empty.');
  return { mobiles: [...mobiles], oddLines, duplicates };
}

function findColumn(heads: readonly string[], wanted: string | undefined): number {
  const names = heads.map((head) => head.trim().toLowerCase());
  const [index = -1] = (wanted === undefined ? USUAL_NAMES : [wanted.toLowerCase()])
    .map((name) => names.indexOf(name))
    .filter((found) => found >= 0);
  if (index >= 0) return index;
  throw new CommandFailure(
    wanted === undefined
      ? 'The first line names no column of phone numbers.'
      : 'The file has no such column.',
    wanted === undefined ? 'Name the column with --column.' : 'Look at the first line of the file.',
  );
}
