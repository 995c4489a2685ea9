import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './pages';

/** The names of the members of an interface, in their order. */
export function readMembers(file: string, name: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.ES2023);
  const found = source.statements.filter(ts.isInterfaceDeclaration).find((one) => one.name.text === name);
  if (found === undefined) throw new Error(`${file} has no interface ${name}`);
  return found.members.map((member) => (member.name as ts.Identifier).text);
}
