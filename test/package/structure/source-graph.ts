import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

/** Source files by their path below src, with forward slashes: "client/send-request.ts". */
export type Sources = ReadonlyMap<string, string>;

/**
 * One import. `type` disappears in the build; `lazy` is an `import()` inside a function; `value`
 * runs while loading.
 */
export interface Import {
  readonly from: string;
  /** A file below src, or a specifier as written ("undici", "node:net"). */
  readonly to: string;
  readonly kind: 'type' | 'lazy' | 'value';
}

export function readSources(directory: string): Sources {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  return new Map(
    names.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(directory, name), 'utf8')]),
  );
}

/** Each rule reads every file: a file is parsed once, and its nodes are listed once. */
const parsed = new Map<string, ts.SourceFile>();
const listed = new WeakMap<ts.SourceFile, readonly ts.Node[]>();
const imports = new WeakMap<Sources, readonly Import[]>();

export function parse(path: string, text: string): ts.SourceFile {
  const key = `${path}\n${text}`;
  const file = parsed.get(key) ?? ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  parsed.set(key, file);
  return file;
}

/** Every node of a file, the file first. */
export function allNodes(file: ts.SourceFile): readonly ts.Node[] {
  const earlier = listed.get(file);
  if (earlier !== undefined) return earlier;
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  listed.set(file, nodes);
  return nodes;
}

export function readImports(sources: Sources): readonly Import[] {
  const found = imports.get(sources) ?? findImports(sources);
  imports.set(sources, found);
  return found;
}

function findImports(sources: Sources): readonly Import[] {
  return Array.from(sources).flatMap(([from, text]) =>
    allNodes(parse(from, text)).flatMap((node) => {
      const found = readImport(node);
      // Data imports nothing.
      if (found === null || found.specifier.endsWith('.json')) return [];
      return [{ from, to: resolve(from, found.specifier, sources), kind: found.kind }];
    }),
  );
}

function readImport(node: ts.Node): { specifier: string; kind: Import['kind'] } | null {
  if (ts.isImportDeclaration(node)) {
    return {
      specifier: textOf(node.moduleSpecifier),
      kind: isTypeImport(node.importClause) ? 'type' : 'value',
    };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    return { specifier: textOf(node.moduleSpecifier), kind: isTypeExport(node) ? 'type' : 'value' };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { specifier: textOf(node.argument.literal), kind: 'type' };
  }
  if (ts.isExternalModuleReference(node))
    return { specifier: textOf(node.expression), kind: 'value' };
  if (!ts.isCallExpression(node) || !isLoading(node.expression)) return null;
  return { specifier: textOf(node.arguments[0]), kind: isInsideFunction(node) ? 'lazy' : 'value' };
}

function isLoading(callee: ts.Expression): boolean {
  return (
    callee.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(callee) && callee.text === 'require')
  );
}

function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = clause;
  return name === undefined && namedBindings !== undefined && ts.isNamedImports(namedBindings)
    ? namedBindings.elements.every((element) => element.isTypeOnly)
    : false;
}

function isTypeExport({ isTypeOnly, exportClause }: ts.ExportDeclaration): boolean {
  if (isTypeOnly) return true;
  return exportClause !== undefined && ts.isNamedExports(exportClause)
    ? exportClause.elements.every((element) => element.isTypeOnly)
    : false;
}

function isInsideFunction(node: ts.Node): boolean {
  return ts.findAncestor(node, ts.isFunctionLike) !== undefined;
}

function textOf(node: ts.Node | undefined): string {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : '(computed)';
}

function resolve(from: string, specifier: string, sources: Sources): string {
  if (!specifier.startsWith('.')) return specifier;
  const path = posix.join(posix.dirname(from), specifier);
  const candidates = [`${path}.ts`, `${path}/index.ts`];
  return candidates.find((candidate) => sources.has(candidate)) ?? `(missing) ${path}`;
}
