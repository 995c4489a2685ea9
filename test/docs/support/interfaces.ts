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

/** The members of an exported union of objects, by the literal of their discriminator, with their other fields. */
export function readUnion(file: string, name: string, discriminator: string): ReadonlyMap<string, readonly string[]> {
  const path = join(ROOT, file);
  const program = ts.createProgram([path], { strict: true, noEmit: true, skipLibCheck: true });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const declaration = source?.statements.filter(ts.isTypeAliasDeclaration).find((one) => one.name.text === name);
  if (declaration === undefined) throw new Error(`${file} has no type ${name}`);
  const type = checker.getTypeAtLocation(declaration);
  const members = type.isUnion() ? type.types : [type];
  return new Map(
    members.map((member) => {
      const [own] = member.getProperties().filter((property) => property.name === discriminator);
      const literal = own && checker.getTypeOfSymbol(own);
      if (!literal?.isStringLiteral()) throw new Error(`a member of ${name} has no ${discriminator} of its own`);
      const fields = member.getProperties().map((property) => property.name);
      return [literal.value, fields.filter((field) => field !== discriminator).sort()];
    }),
  );
}
