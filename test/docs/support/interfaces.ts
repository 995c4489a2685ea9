import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './pages';

let sources: ts.Program | undefined;

/** One program with all that `src` exports, for every interface that a suite reads. */
function readProgram(): ts.Program {
  const entries = ['src/index.ts', 'src/simulator/index.ts'].map((file) => join(ROOT, file));
  sources ??= ts.createProgram(entries, { strict: true, noEmit: true, skipLibCheck: true });
  return sources;
}

/** Returns a declared interface or type, and what reads it. */
function readType(
  file: string,
  name: string,
): { readonly type: ts.Type; readonly checker: ts.TypeChecker } {
  const path = join(ROOT, file);
  const program = readProgram();
  const checker = program.getTypeChecker();
  const statements = program.getSourceFile(path)?.statements ?? [];
  const declaration = statements
    .flatMap((one) =>
      ts.isTypeAliasDeclaration(one) || ts.isInterfaceDeclaration(one) ? [one] : [],
    )
    .find((one) => one.name.text === name);
  if (declaration === undefined) throw new Error(`${file} has no type ${name}`);
  return { type: checker.getTypeAtLocation(declaration), checker };
}

/** The names of the members of an interface or of the type of a schema, in their order. */
export function readMembers(file: string, name: string): readonly string[] {
  const { type } = readType(file, name);
  return type.getProperties().map((property) => property.name);
}

/**
 * The members of an exported union of objects, by the literal of their discriminator, with their
 * other fields.
 */
export function readUnion(
  file: string,
  name: string,
  discriminator: string,
): ReadonlyMap<string, readonly string[]> {
  const { type, checker } = readType(file, name);
  const members = type.isUnion() ? type.types : [type];
  return new Map(
    members.map((member) => {
      const [own] = member.getProperties().filter((property) => property.name === discriminator);
      const literal = own && checker.getTypeOfSymbol(own);
      if (!literal?.isStringLiteral())
        throw new Error(`a member of ${name} has no ${discriminator} of its own`);
      const fields = member.getProperties().map((property) => property.name);
      return [literal.value, fields.filter((field) => field !== discriminator).sort()];
    }),
  );
}
