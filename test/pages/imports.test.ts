import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import manifest from '../../package.json';
import { allNodes, parse, readSources, type Sources } from '../package/structure/source-graph';

const FOLDER = join(__dirname, '../../src/pages');
const sources = readSources(FOLDER);

/** What the pages may load beside each other, as the app that copies them can load it. */
const PACKAGES = ['passport-sms-otp', 'express', 'zod', 'escape-html', 'node:crypto', 'node:path'];

interface Specifier {
  readonly from: string;
  readonly to: string;
}

/** Every string by which a file names another one, in whatever form. */
function readSpecifiers(files: Sources): Specifier[] {
  return Array.from(files).flatMap(([from, text]) =>
    allNodes(parse(from, text))
      .map(findSpecifier)
      .filter((node) => node !== undefined)
      .map((node) => ({ from, to: ts.isStringLiteralLike(node) ? node.text : '(not a string)' })),
  );
}

function findSpecifier(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument;
  if (!ts.isCallExpression(node)) return undefined;
  const { kind } = node.expression;
  const isLoad = kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === 'require';
  return isLoad ? node.arguments[0] : undefined;
}

/** Returns whether a file of the pages may name this: a package, or a file of the pages. */
function isAllowed({ from, to }: Specifier): boolean {
  if (!to.startsWith('.')) return PACKAGES.includes(to);
  const target = join(FOLDER, dirname(from), to);
  const isInside = !relative(FOLDER, target).startsWith('..');
  return isInside && (existsSync(`${target}.ts`) || (to.endsWith('.json') && existsSync(target)));
}

const breaking = (files: Sources): string[] =>
  readSpecifiers(files)
    .filter((specifier) => !isAllowed(specifier))
    .map(({ from, to }) => `${from}: ${to}`);

describe('the imports of the pages', () => {
  it('are read in every form', () => {
    const found = readSpecifiers(sources);
    expect(sources.size).toBeGreaterThan(25);
    expect(new Set(found.map(({ to }) => to))).toEqual(new Set([...PACKAGES, ...local(found)]));
  });

  it('stay in the folder or take the package by its name', () => {
    expect(breaking(sources)).toEqual([]);
  });

  it('are noticed where they do not', () => {
    const bad = new Map([
      [
        'a.ts',
        [
          "import { x } from '../errors';",
          "import type { X } from '../stores/store';",
          "export * from '../index';",
          "import y = require('../options');",
          "const z = require('../../package.json');",
          "type T = import('passport-sms-otp/client').X;",
          "void import('passport-sms-otp/dist/errors');",
          "import 'express-session';",
          "import './nowhere';",
          'require(name);',
        ].join('\n'),
      ],
      ['views/b.ts', "import '../html';\nimport '../../errors';"],
    ]);
    expect(breaking(bad)).toEqual([
      'a.ts: ../errors',
      'a.ts: ../stores/store',
      'a.ts: ../index',
      'a.ts: ../options',
      'a.ts: ../../package.json',
      'a.ts: passport-sms-otp/client',
      'a.ts: passport-sms-otp/dist/errors',
      'a.ts: express-session',
      'a.ts: ./nowhere',
      'a.ts: (not a string)',
      'views/b.ts: ../../errors',
    ]);
  });

  it('need nothing that an installation lacks', () => {
    const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    const needed = PACKAGES.filter((name) => !name.startsWith('node:') && name !== manifest.name);
    expect(needed.filter((name) => !installed.includes(name))).toEqual([]);
  });
});

const local = (found: readonly Specifier[]): string[] =>
  found.map(({ to }) => to).filter((to) => to.startsWith('.'));
