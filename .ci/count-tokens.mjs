// npm run tokens [-- [--login] [--surface] [--shape] <checkout> …]: measures this checkout, or those
// that are named, each in a column of its own. Without a flag: the tokens of `src`, by folder.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countFolders } from './tokens/count-folders.mjs';
import { countLogin } from './tokens/count-login.mjs';
import { countShape, explainShape } from './tokens/count-shape.mjs';
import { countSurface } from './tokens/count-surface.mjs';

const flag = { type: 'boolean', default: false };
const { values, positionals } = parseArgs({
  options: { login: flag, surface: flag, shape: flag },
  allowPositionals: true,
});
const checkouts = positionals.length > 0 ? positionals : [join(import.meta.dirname, '..')];
const heads = positionals.length > 0 ? positionals : ['here'];

const MEASURES = { login: countLogin, surface: countSurface, shape: countShape };
const asked = Object.keys(MEASURES).filter((name) => values[name]);
if (asked.length === 0) await show('tokens of src', countFolders);
for (const name of asked) await show(name, MEASURES[name]);
if (values.shape) for (const line of explainShape(checkouts.at(-1))) console.log(line);

/** Prints a table: a row for each figure, a column for each checkout. */
async function show(title, measure) {
  const columns = [];
  // One after another: a measure may run a login.
  for (const checkout of checkouts) columns.push(await measure(checkout));
  const names = [...new Set(columns.flatMap((column) => Object.keys(column)))];
  const cells = names.map((name) =>
    columns.map((column) => (column[name] ?? 0).toLocaleString('en')),
  );
  const widths = heads.map(
    (head, index) => 2 + Math.max(head.length, ...cells.map((row) => row[index].length)),
  );
  const width = Math.max(...[title, ...names].map(({ length }) => length));
  const line = (name, row) =>
    name.padEnd(width) + row.map((cell, index) => cell.padStart(widths[index])).join('');
  console.log(
    [line(title, heads), ...names.map((name, index) => line(name, cells[index])), ''].join('\n'),
  );
}
