import { join } from 'node:path';
import ts from 'typescript';
import { findTokens, listNodes, readSources } from './sources.mjs';

/** Lines of the body of a function that should have paragraphs. */
const LONG = 10;

/** Measures what a reader of `src` has to hold. The figures support a judgement and replace none. */
export function countShape(checkout) {
  const sources = readSources(join(checkout, 'src')).filter(({ path }) => path.endsWith('.ts'));
  const nodes = sources.flatMap(({ file }) => listNodes(file));

  const functions = nodes.filter((node) => ts.isFunctionLike(node) && node.body !== undefined);
  const long = functions.filter(({ body }) => countLines(body) >= LONG);
  const unbroken = long.filter(({ body }) => !/\n\s*\n/.test(body.getText()));

  const parameters = nodes.filter(
    (node) => ts.isParameter(node) && ts.isObjectBindingPattern(node.name),
  );
  const linesOfCode = sources.reduce((sum, { file }) => sum + countLinesOfCode(file), 0);

  return {
    'types declared in more than one file': findSharedTypes(sources).size,
    'lines of the longest function, with inner ones': Math.max(...functions.map(countLines)),
    'long functions without a blank line (%)': round((100 * unbroken.length) / long.length),
    'destructured parameters per 1,000 lines of code': round(
      (1000 * parameters.length) / linesOfCode,
    ),
  };
}

/** Names each type that several files declare, with its files, and the longest functions. */
export function explainShape(checkout) {
  const sources = readSources(join(checkout, 'src')).filter(({ path }) => path.endsWith('.ts'));
  const types = Array.from(
    findSharedTypes(sources),
    ([name, paths]) => `${name}: ${paths.join(', ')}`,
  );
  const functions = sources.flatMap(({ path, file }) =>
    listNodes(file)
      .filter((node) => ts.isFunctionLike(node) && node.body !== undefined)
      .map((node) => ({
        lines: countLines(node),
        name: node.name?.getText() ?? 'a function',
        path,
      })),
  );
  const longest = functions.sort((one, other) => other.lines - one.lines).slice(0, LONGEST_SHOWN);
  return [...types, ...longest.map(({ lines, name, path }) => `${lines} lines: ${name}, ${path}`)];
}

const LONGEST_SHOWN = 10;

/** Returns the names of types that several files declare, with these files. */
function findSharedTypes(sources) {
  const files = new Map();
  for (const { path, file } of sources) {
    for (const name of listTypes(file)) files.set(name, [...(files.get(name) ?? []), path]);
  }
  return new Map([...files].filter(([, paths]) => paths.length > 1).sort());
}

/** Returns the names of the interfaces, types and classes of a file, each once. */
function listTypes(file) {
  const types = listNodes(file).filter(
    (node) =>
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isClassDeclaration(node),
  );
  return new Set(types.flatMap(({ name }) => name?.text ?? []));
}

function countLines(node) {
  return node.getText().split('\n').length;
}

/** Counts the lines on which a token begins: neither blank lines nor comments. */
function countLinesOfCode(file) {
  const lines = findTokens(file).map((at) => file.getLineAndCharacterOfPosition(at).line);
  return new Set(lines).size;
}

function round(figure) {
  return Number(figure.toFixed(1));
}
