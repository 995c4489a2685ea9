import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(__dirname, '../../docs/go-live.md');

/** The heads and the rows of the table: what the user says, what to look at, and what to do. */
export interface Support {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Reads the table "Support" of the documentation, without links. Backticks stand around code. */
export function readSupport(): Support {
  const [, part = ''] = readFileSync(PAGE, 'utf8').split(/^## Support$/m);
  const [section = ''] = part.split(/^## /m);
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  const [heads = [], , ...rows] = lines.map(toCells);
  return { heads, rows };
}

function toCells(line: string): string[] {
  const cells = line.split('|').slice(1, -1);
  return cells.map((cell) => cell.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').trim());
}
