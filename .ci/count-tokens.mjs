// npm run tokens [-- <checkout> …]: counts the tokens of `src`, of this checkout or of those that are
// named, by folder. A token is a leaf of TypeScript's syntax tree; comments and JSDoc are none.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import ts from 'typescript';

function isComment({ kind }) {
  return kind >= ts.SyntaxKind.FirstJSDocNode && kind <= ts.SyntaxKind.LastJSDocNode;
}

/** An empty list, and the end of the file, are leaves without a word of the source. */
function countLeaves(node, file) {
  const children = node.getChildren(file).filter((child) => !isComment(child));
  if (children.length === 0) return node.getWidth(file) > 0 ? 1 : 0;
  return children.reduce((sum, child) => sum + countLeaves(child, file), 0);
}

/** @returns the tokens of each folder of `src`, and of the files beside the folders. */
function countTokens(checkout) {
  const src = join(checkout, 'src');
  const counts = new Map();
  for (const path of readdirSync(src, { recursive: true })) {
    if (!/\.[tj]s$/.test(path)) continue;
    const text = readFileSync(join(src, path), 'utf8');
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext);
    const folder = /^(.+?)[\\/]/.exec(path)?.[1] ?? '(files)';
    counts.set(folder, (counts.get(folder) ?? 0) + countLeaves(file, file));
  }
  return counts;
}

const named = process.argv.slice(2);
const checkouts = named.length > 0 ? named : [join(import.meta.dirname, '..')];
const columns = checkouts.map(countTokens);
const folders = [...new Set(columns.flatMap((counts) => [...counts.keys()]))].sort();
const sum = (counts) => [...counts.values()].reduce((total, count) => total + count, 0);
const rows = [
  ['folder', ...(named.length > 0 ? named : ['tokens'])],
  ...folders.map((folder) => [folder, ...columns.map((counts) => counts.get(folder) ?? 0)]),
  ['src', ...columns.map(sum)],
];
for (const [name, ...cells] of rows)
  console.log(
    name.padEnd(16) + cells.map((cell) => cell.toLocaleString('en').padStart(12)).join(''),
  );
