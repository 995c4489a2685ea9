import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from '@jest/globals';

const ROOT = join(__dirname, '../..');

/** Returns the fields of each event, as the union `SmsOtpEvent` declares them. */
function readDeclaredEvents(): Map<string, string[]> {
  const path = join(ROOT, 'src/events.ts');
  const program = ts.createProgram([path], { strict: true, noEmit: true, types: [] });
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const declaration = file?.statements.find(
    (statement): statement is ts.TypeAliasDeclaration =>
      ts.isTypeAliasDeclaration(statement) && statement.name.text === 'SmsOtpEvent',
  );
  if (declaration === undefined) throw new Error('src/events.ts declares no SmsOtpEvent');
  const union = checker.getTypeAtLocation(declaration);
  if (!union.isUnion()) throw new Error('SmsOtpEvent is not a union');
  return new Map(
    union.types.map((event) => {
      const properties = event.getProperties();
      const [type] = properties
        .filter(({ name }) => name === 'type')
        .map((property) => checker.getTypeOfSymbol(property));
      if (type?.isStringLiteral() !== true) throw new Error('an event has no literal type');
      return [type.value, properties.flatMap(({ name }) => (name === 'type' ? [] : [name])).sort()];
    }),
  );
}

/**
 * Returns the fields of each event, as the table of the page lists them. Words in parentheses are
 * values.
 */
function readDocumentedEvents(): Map<string, string[]> {
  const page = readFileSync(join(ROOT, 'docs/monitoring.md'), 'utf8');
  const [, section = ''] = /\n## Events\n([\s\S]*?)\n## /.exec(page) ?? [];
  const rows = section.matchAll(/^\| `([a-z-]+)` *\|[^|]*\|([^|]*)\|$/gm);
  return new Map(
    Array.from(rows, ([, type = '', fields = '']) => {
      const names = fields.replaceAll(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g);
      return [type, Array.from(names, ([, name = '']) => name).sort()];
    }),
  );
}

it('docs/monitoring.md lists every event with its fields', () => {
  expect(Object.fromEntries(readDocumentedEvents())).toEqual(
    Object.fromEntries(readDeclaredEvents()),
  );
});
