import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './pages';

const program = createProgram();
const checker = program.getTypeChecker();

function createProgram(): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  return ts.createProgram([join(ROOT, 'src/index.ts')], options);
}

/** The names of the members of an exported interface, or of a type that is inferred from a schema, in their order. */
export function readMembers(file: string, name: string): readonly string[] {
  const source = program.getSourceFile(join(ROOT, file));
  const module = source && checker.getSymbolAtLocation(source);
  const found = module && checker.getExportsOfModule(module).find((one) => one.name === name);
  if (found === undefined) throw new Error(`${file} does not export ${name}`);
  const members = checker.getDeclaredTypeOfSymbol(found).getProperties();
  return members.map((member) => member.name);
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
