import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { toText, type BlockModule } from './modules';
import { ROOT } from './pages';

/** What blocks may use without declaring it. */
const PREAMBLE = join(ROOT, 'test/docs/preamble.ts.txt');

/** Checks all modules in one program, and gives each complaint as `page:line: what is wrong`. */
export function compile(modules: readonly BlockModule[]): readonly string[] {
  const files = new Map(modules.map((module, index) => [fileOf(index), module]));
  const preamble = fileOf('preamble');
  const texts = new Map([[preamble, readFileSync(PREAMBLE, 'utf8')]]);
  for (const [file, module] of files) texts.set(file, toText(module));
  const program = ts.createProgram({
    rootNames: [...texts.keys()],
    options: readOptions(),
    host: host(texts),
  });
  const ofPreamble = complaintsOf(program, preamble, () => 'preamble.ts.txt');
  const ofBlocks = Array.from(files, ([file, { lines, place }]) =>
    complaintsOf(program, file, (line) => lines[line]?.place ?? `${place} (around it)`),
  );
  return [ofPreamble, ...ofBlocks].flat();
}

/**
 * Names of files that are nowhere on the disk; the packages of the repository are found from there.
 */
function fileOf(name: string | number): string {
  return join(ROOT, 'test/docs', `block-${name}.ts`).replaceAll('\\', '/');
}

/** The options of the repository, for a reader's strict project. */
export function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) =>
    ts.sys.readFile(file),
  );
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  return {
    ...options,
    lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts'],
    module: ts.ModuleKind.ESNext,
    noUnusedLocals: false,
    noUnusedParameters: false,
    noUncheckedIndexedAccess: false,
    exactOptionalPropertyTypes: false,
    skipLibCheck: true,
  };
}

function host(texts: ReadonlyMap<string, string>): ts.CompilerHost {
  const real = ts.createCompilerHost({}, true);
  return {
    ...real,
    getCurrentDirectory: () => dirname(PREAMBLE),
    fileExists: (file) => texts.has(file) || real.fileExists(file),
    readFile: (file) => texts.get(file) ?? real.readFile(file),
    getSourceFile: (file, options) => {
      const text = texts.get(file);
      return text === undefined
        ? real.getSourceFile(file, options)
        : ts.createSourceFile(file, text, options, true);
    },
  };
}

function complaintsOf(
  program: ts.Program,
  file: string,
  toPlace: (line: number) => string,
): string[] {
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error('a block was not compiled');
  const found = [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
  ];
  return found.map(({ start = 0, messageText }) => {
    const { line } = source.getLineAndCharacterOfPosition(start);
    return `${toPlace(line)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
