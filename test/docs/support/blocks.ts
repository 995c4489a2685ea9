import type { Page } from './pages';

/** A fenced block of code on a page. */
export interface Block {
  readonly page: string;
  /** The line of the page on which the code begins, from 1. */
  readonly line: number;
  /** What stands behind the fence: `ts`, `sh`, …; empty for plain text. */
  readonly language: string;
  readonly code: string;
  /** The HTML comments right in front of it: readers do not see them. */
  readonly notes: readonly string[];
}

const FENCE = /^( *)```(\S*).*\n([\s\S]*?)^ *```$/gm;

/** The blocks of a page, in their order. */
export function readBlocks({ path, text }: Page): readonly Block[] {
  return Array.from(text.matchAll(FENCE), ({ 1: indent, 2: language, 3: code, index }) => {
    const before = text.slice(0, index);
    return {
      page: path,
      line: before.split('\n').length + 1,
      language: language ?? '',
      code: unindent(code ?? '', indent ?? ''),
      notes: readNotes(before),
    };
  });
}

/** The file of the repository that a block shows (`<!-- file: … -->`); undefined: it shows none. */
export function readFileNote({ notes }: Block): string | undefined {
  return notes.find((note) => note.startsWith('file: '))?.slice('file: '.length);
}

/** A block of a list is moved in. */
function unindent(code: string, indent: string): string {
  return code
    .split('\n')
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join('\n');
}

function readNotes(before: string): readonly string[] {
  const [notes = ''] = /(?:<!--(?:(?!-->)[\s\S])*-->\s*)*$/.exec(before) ?? [];
  return Array.from(notes.matchAll(/<!--([\s\S]*?)-->/g), ([, note = '']) => note.trim());
}

/** The text of a page without its blocks and without code between the words. */
export function withoutCode(text: string): string {
  return text.replace(FENCE, '').replace(/`[^`\n]*`/g, '');
}
