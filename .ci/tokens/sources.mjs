import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Reads all sources of a folder, each with its path in it. */
export function readSources(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => /\.[tj]s$/.test(path))
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, file: parse(path, readFileSync(join(folder, path), 'utf8')) }));
}

export function parse(path, text) {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
}

/**
 * Returns where each token begins. A token is a leaf of TypeScript's syntax tree; comments and JSDoc
 * are none.
 */
export function findTokens(file, node = file) {
  const children = node.getChildren(file).filter((child) => !isComment(child));
  if (children.length > 0) return children.flatMap((child) => findTokens(file, child));
  // An empty list, and the end of the file, are leaves without a word of the source.
  return node.getWidth(file) > 0 ? [node.getStart(file)] : [];
}

/** Returns a node and all nodes below it. */
export function listNodes(node) {
  const nodes = [node];
  ts.forEachChild(node, (child) => void nodes.push(...listNodes(child)));
  return nodes;
}

function isComment({ kind }) {
  return kind >= ts.SyntaxKind.FirstJSDocNode && kind <= ts.SyntaxKind.LastJSDocNode;
}
