import ts from 'typescript';
import { readFileNote, type Block } from './blocks';

/** One line of a module, and where it stands on its page; null: it was added. */
interface ModuleLine {
  readonly text: string;
  readonly place: string | null;
}

/** What the compiler is given for one or more blocks. */
export interface BlockModule {
  /** Page and line of its first block. */
  readonly place: string;
  readonly lines: readonly ModuleLine[];
}

/** The forms a block may have; the first that can be parsed is its form. */
const FORMS = [
  // whole statements
  { before: '', after: '' },
  // a value on its own
  { before: 'void (', after: ');' },
  // some options of createSmsOtp
  { before: 'createSmsOtp({ ...options,', after: '});' },
] as const;

/**
 * Makes a module of each block of TypeScript. Two comments on the page give a block what it needs:
 * `<!-- before: … -->` has statements that go before it, and `<!-- continues -->` puts it behind
 * the block before it. A block that shows a file of the repository, or lines of one, is left to the
 * repository's own check.
 */
export function toModules(blocks: readonly Block[]): readonly BlockModule[] {
  const modules: BlockModule[] = [];
  const own = blocks.filter(
    (block) =>
      block.language === 'ts' &&
      readFileNote(block) === undefined &&
      !block.notes.some((note) => note.startsWith('from: ')),
  );
  for (const block of own) {
    const lines = toLines(block);
    const earlier = block.notes.includes('continues') ? modules.pop() : undefined;
    modules.push(
      earlier === undefined
        ? { place: placeOf(block), lines }
        : { ...earlier, lines: [...earlier.lines, ...lines] },
    );
  }
  return modules;
}

/** The text of a module. */
export function toText({ lines }: BlockModule): string {
  return [...lines.map(({ text }) => text), 'export {};', ''].join('\n');
}

function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}

function toLines(block: Block): readonly ModuleLine[] {
  const { before, after } =
    FORMS.find((form) => isSyntax(form.before + block.code + form.after)) ?? FORMS[0];
  const added = (text: string): ModuleLine => ({ text, place: null });
  const own = fillIn(block.code)
    .split('\n')
    .map((text, index) => ({ text, place: `${block.page}:${block.line + index}` }));
  const notes = block.notes.filter((note) => note.startsWith('before:'));
  const given = notes.flatMap((note) => note.slice('before:'.length).split('\n'));
  return [...given.map(added), added(before), ...own, added(after)];
}

/** Where a comment stands for the options that are not shown (`// …`), they are put in. */
function fillIn(code: string): string {
  const isShortened = /\/[/*] (?:…|\.\.\.)/.test(code);
  return isShortened ? code.replaceAll('createSmsOtp({', 'createSmsOtp({ ...options,') : code;
}

function isSyntax(text: string): boolean {
  const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true });
  return diagnostics.length === 0;
}
