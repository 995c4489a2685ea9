import ts from 'typescript';
import { allNodes, parse, type Sources } from './source-graph';

/** A rule of one file: true when it is kept. */
export type FileRule = (path: string, text: string) => boolean;

export function breaches(sources: Sources, keepsRule: FileRule): string[] {
  return Array.from(sources)
    .filter(([path, text]) => !keepsRule(path, text))
    .map(([path]) => path);
}

export function hasNamedExportsOnly(path: string, text: string): boolean {
  return allNodes(parse(path, text)).every(
    (node) =>
      !ts.isExportAssignment(node) &&
      node.kind !== ts.SyntaxKind.DefaultKeyword &&
      !isNamedDefault(node),
  );
}

function isNamedDefault(node: ts.Node): boolean {
  return ts.isExportSpecifier(node) && node.name.text === 'default';
}

/** An index file lists names: nothing but `export … from`. */
export function onlyListsNames(path: string, text: string): boolean {
  if (!/(^|\/)index\.ts$/.test(path)) return true;
  return parse(path, text).statements.every(
    (statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined,
  );
}

/**
 * The session of a request is touched in one file. Options called `session` are Passport's and
 * something else. The demo is an app, and sets up its own.
 */
export function leavesSessionsToTheSlot(path: string, text: string): boolean {
  if (path === 'middleware/session-slot.ts' || path.startsWith('demo/')) return true;
  return !allNodes(parse(path, text)).some(touchesSession);
}

/** The core knows features by their interface alone. Comments may name one as an example. */
export function namesNoFeature(path: string, text: string): boolean {
  if (!path.startsWith('core/')) return true;
  return !allNodes(parse(path, text)).some(
    (node) => (ts.isIdentifier(node) || ts.isStringLiteralLike(node)) && FEATURE.test(node.text),
  );
}

const FEATURE = /known.?browser|trusted?.?device|recovery.?code/i;

function touchesSession(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node))
    return node.name.text === 'session' && isRequest(node.expression);
  if (ts.isElementAccessExpression(node)) {
    return (
      ts.isStringLiteralLike(node.argumentExpression) && node.argumentExpression.text === 'session'
    );
  }
  if (!ts.isBindingElement(node) || (node.propertyName ?? node.name).getText() !== 'session')
    return false;
  const origin = originOf(node.parent.parent);
  return origin !== undefined && isRequest(origin);
}

/**
 * What a pattern takes apart: `req` in `const { session } = req`, `Request` in `function f({
 * session }: Request)`.
 */
function originOf(parent: ts.Node): ts.Node | undefined {
  if (ts.isVariableDeclaration(parent)) return parent.initializer;
  return ts.isParameter(parent) ? parent.type : undefined;
}

function isRequest(expression: ts.Node): boolean {
  return !/options|defaults/i.test(expression.getText());
}
