import { cleanText } from './screen';

/** A column: its head, and whether its figures stand at its right edge. */
export interface Column {
  readonly head: string;
  readonly isRight?: boolean;
}

const GAP = '  ';
const WIDEST = 40;

/** Lines of a table; the first one is the head. */
export function layOutTable(
  columns: readonly Column[],
  rows: readonly (readonly (string | null)[])[],
): string[] {
  const heads = columns.map(({ head }) => head);
  const cells = [heads, ...rows.map((row) => row.map((cell) => shorten(cleanText(cell))))];
  const widths = columns.map((_column, index) => Math.max(...cells.map((row) => widthOf(row[index]))));
  return cells.map((row) =>
    columns
      .map(({ isRight }, index) => pad(row[index] ?? '', widths[index] ?? 0, isRight === true))
      .join(GAP)
      .trimEnd(),
  );
}

function widthOf(text = ''): number {
  return Array.from(text).length;
}

function shorten(text: string): string {
  const characters = Array.from(text);
  return characters.length <= WIDEST ? text : `${characters.slice(0, WIDEST - 1).join('')}…`;
}

function pad(text: string, width: number, isRight: boolean): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return isRight ? space + text : text + space;
}
