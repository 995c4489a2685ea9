import type { Page } from './pages';

/** What a row says after its name. */
export type Cells = readonly string[];

/** The rows of all tables of a page whose first cell is a name in code, by that name. */
export function readRows({ text }: Page): ReadonlyMap<string, Cells> {
  const rows = text.split('\n').map(readCells);
  const named = rows.flatMap(([first = '', ...rest]): [string, string[]][] => {
    const name = /^`([^`]+)`$/.exec(first)?.[1];
    return name === undefined ? [] : [[name, rest]];
  });
  return new Map(named);
}

/** The text under a heading, up to the next one of the same or a higher level. */
export function readSection({ path, text }: Page, heading: string): Page {
  const level = /^#+/.exec(heading)?.[0].length ?? 1;
  const [, ...after] = text.split(`\n${heading}\n`);
  const [section = ''] = after.join('').split(new RegExp(`^#{1,${level}} `, 'm'));
  return { path, text: section };
}

function readCells(line: string): readonly string[] {
  if (!line.startsWith('|')) return [];
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
