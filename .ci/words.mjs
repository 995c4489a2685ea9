// npm run words [-- --all]: reads what people read: pages, and the comments and messages of `src` and
// `example-app`. Ends with status 1 for each word that the glossary replaces. Counts candidates for
// an edit, and with --all lists them: sentences of more than 35 words, sentences that begin with a
// hidden subject, and table cells of more than 20 words.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const MOST_WORDS = 35;
const MOST_WORDS_OF_CELL = 20;
const HIDDEN_SUBJECT = /^(?:What|Who|Whoever|Whatever|One that|Where\b.*\bthere)\b(?!.*\?$)/;

/** Before these words, or in front of them, `texts` is a noun. */
const DETERMINERS =
  'the|these|those|its|your|our|their|no|more|all|many|few|several|other|of|for|by|with|without|to|from|in|as|and|or|are|two|three|new|own|paid|leaving|send|sends|sent|get|gets|receive|receives|\\d+';
const WORDS = {
  whoever: /\bwhoever\b/gi,
  somebody: /\bsomebody\b/gi,
  nobody: /\bnobody\b/gi,
  thief: /\b(?:thief|thieves)\b/gi,
  'judge (a verb)': /(?<!-)\bjudg(?:e|es|ed|ing)\b/gi,
  'texts (a noun)': new RegExp(
    `\\b(?:${DETERMINERS}) texts\\b(?! (?:a|the|no|an)\\b)|\\btexts (?:are|were|go|went|of|per|that|to|in all)\\b`,
    'gi',
  ),
  'give back': /\b(?:give|gives|gave|giving|given)(?: \w+)? back\b/gi,
  'is away': /\b(?:is|are|was|were|be|been) away\b(?! from)/gi,
  'shut out': /\bshut(?:s|ting)? out\b/gi,
  'for ever': /\bfor ever\b/gi,
  anew: /\banew\b/gi,
  mend: /\bmend(?:s|ed|ing)?\b/gi,
};
/** The page about attackers may name them as people do. */
const ALLOWED = { thief: ['docs/audit/threats.md'] };

const files = ['', 'docs', 'maintainers', 'example-app', 'src']
  .filter((folder) => existsSync(join(ROOT, folder)))
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: folder !== '', encoding: 'utf8' }).map((file) =>
      join(folder, file).replaceAll('\\', '/'),
    ),
  );
const find = (pattern) => files.filter((path) => pattern.test(path));
const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const lineAt = (text, index) => text.slice(0, index).split('\n').length;

/** The same length without code, comments and the addresses of links, so that lines stay. */
function blank(text) {
  const empty = (found) => found.replaceAll(/[^\n]/g, ' ');
  return text
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, empty)
    .replaceAll(/<!--[\s\S]*?-->/g, empty)
    .replaceAll(/<[^>\n]+>/g, empty)
    .replaceAll(/\]\([^)\n]*\)/g, empty)
    .replaceAll(/(`+)[^`\n]+\1/g, (code) => code.replaceAll(/[^\n]/g, 'x'));
}

/** Paragraphs, items of lists and cells of a page, each with its line. */
function readPage(path) {
  const parts = [];
  let paragraph = null;
  for (const [index, line] of blank(read(path)).split('\n').entries()) {
    const place = { path, line: index + 1 };
    if (line.startsWith('|')) {
      for (const text of line.split('|').slice(1, -1)) parts.push({ ...place, text, isCell: true });
      paragraph = null;
    } else if (/^\s*$|^#|^\s*(?:[-*]|\d+\.) /.test(line)) {
      // A heading may be a question without its mark.
      const isHeading = line.startsWith('#');
      paragraph =
        line.trim() === '' ? null : { ...place, text: line.replace(/^\W+/, ''), isHeading };
      if (paragraph !== null) parts.push(paragraph);
    } else if (paragraph === null) {
      paragraph = { ...place, text: line };
      parts.push(paragraph);
    } else paragraph.text += ` ${line.trim()}`;
  }
  return parts;
}

/** The comments of a file, and its strings that hold a sentence. */
function readSource(path) {
  const source = read(path);
  const tree = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const parts = new Map();
  const add = (start, text) => parts.set(start, { path, line: lineAt(source, start), text });
  const visit = (node) => {
    const comments = [
      ...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
    ];
    for (const { pos, end } of comments) add(pos, toProse(source.slice(pos, end)));
    if (
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node)
    ) {
      if (/\w \w/.test(node.text)) add(node.getStart(), node.text.replaceAll(/\s+/g, ' '));
    }
    node.getChildren(tree).forEach(visit);
  };
  visit(tree);
  return [...parts.values()];
}

function toProse(comment) {
  const lines = comment.replaceAll(/^\/\*\*?|\*\/$/g, '').split('\n');
  const text = lines.map((line) => line.replace(/^\s*(?:\/\/|\*)?\s?/, '')).join(' ');
  return blank(text).trim();
}

/** The sentences of a file of texts. */
function readTexts(path) {
  const text = read(path);
  return Array.from(text.matchAll(/"((?:[^"\\]|\\.)*)"/g), ({ 1: sentence, index }) => ({
    path,
    line: lineAt(text, index),
    text: sentence,
  }));
}

function findWords({ path, line, text }) {
  return Object.entries(WORDS).flatMap(([name, pattern]) =>
    ALLOWED[name]?.includes(path)
      ? []
      : Array.from(text.matchAll(pattern), ([found]) => `${path}:${line}: "${found}": ${name}`),
  );
}

const count = (text) => text.split(/\s+/).filter((word) => /\w/.test(word)).length;

function findCandidates({ path, line, text, isCell = false, isHeading = false }) {
  const show = (what, words) => `${path}:${line}: ${what}: ${words.trim().slice(0, 70)}`;
  if (isHeading) return [];
  if (isCell) return count(text) > MOST_WORDS_OF_CELL ? [show('cell', text)] : [];
  return text
    .split(/(?<=[.!?:]["”)*]*)\s+(?=[A-Z"“*])/)
    .flatMap((sentence) => [
      ...(count(sentence) > MOST_WORDS ? [show(`${count(sentence)} words`, sentence)] : []),
      ...(HIDDEN_SUBJECT.test(sentence.trim()) ? [show('hidden subject', sentence)] : []),
    ]);
}

const parts = [
  ...find(/\.md$/).flatMap(readPage),
  ...find(/^(?:src|example-app|docs\/recipes)\/.*\.ts$|\/(?:assets|public)\/.*\.js$/).flatMap(
    readSource,
  ),
  ...find(/\/texts\/en\.json$|^src\/(?:messages|cli)\/.*\.json$/).flatMap(readTexts),
];
const words = parts.filter(({ path }) => !path.startsWith('maintainers/')).flatMap(findWords);
const candidates = parts.flatMap(findCandidates);

for (const candidate of process.argv.includes('--all') ? candidates : []) console.log(candidate);
for (const word of words) console.error(word);
console.log(`${words.length} words to replace, ${candidates.length} candidates (--all lists them)`);
process.exitCode = words.length === 0 ? 0 : 1;
