import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { read, readGroups, readRecipes, ROOT } from './contents.mjs';
import { writeFirstPage } from './first-page.mjs';
import { findWords } from './search.mjs';

const LONGEST_DESCRIPTION = 160;

/** The first sentences of a page, for search engines and previews of links; otherwise its headings. */
function describe(text) {
  const [opening] = text.replaceAll(/<!--[\s\S]*?-->/g, '').split(/^## /m);
  const first = opening.split('\n\n').find((paragraph) => /^[\w`"“[*_]/.test(paragraph));
  const headings = Array.from(text.matchAll(/^## (.+)$/gm), ([, heading]) => heading);
  const plain = (first ?? headings.map((heading) => heading.replace(/\w$/, '$&.')).join(' '))
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]|\b_|_\b/g, '')
    .replaceAll(/\s+/g, ' ');
  const sentences = plain.match(/.+?[.!?:](?= [A-Z"“]|$)/g) ?? [plain];
  const kept = sentences.reduce((all, sentence) =>
    all.length + sentence.length > LONGEST_DESCRIPTION ? all : all + sentence,
  );
  return kept.replace(/:$/, '.');
}

/** A page with what VitePress needs to know about it. */
function withFront(text, fields) {
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return ['---', ...lines, '---', '', text].join('\n');
}

const toLink = (page) =>
  page === undefined
    ? false
    : { text: page.title, link: `/${page.path.replace(/(?:index)?\.md$/, '')}` };

/** A page that shows a file that pages link to, such as a listing. */
function showFile(path, language) {
  const name = path.replace('docs/', '');
  const text = `# ${name}\n\n\`\`\`${language}\n${read(path).trimEnd()}\n\`\`\`\n`;
  const description = `The file ${name} of passport-sms-otp.`;
  return withFront(text, { aside: false, prev: false, next: false, description });
}

/** A list of all recipes, each with its first sentences. */
function writeRecipes() {
  const parts = readRecipes().map(({ title, pages }) => {
    const items = pages.map(
      ({ path, title: name }) =>
        `- [${name}](${path.replace('docs/recipes/', '')}): ${describe(read(path))}`,
    );
    return `## ${title}\n\n${items.join('\n')}\n`;
  });
  const [, intro] = /^## Recipes\n\n(.+)$/m.exec(read('docs/README.md'));
  return `# Recipes\n\n${intro.replaceAll('](recipes/', '](')} Each page names the trap that a first attempt falls into.\n\n${parts.join('\n')}`;
}

/** Every page of the site but the reference, by its path. */
export function collectPages() {
  const pages = readGroups().flatMap((group) => group.pages);
  const recipes = { path: 'docs/recipes/index.md', title: 'Recipes' };
  const first = pages.findIndex(({ path }) => path.startsWith('docs/recipes/'));
  const order = pages.toSpliced(first, 0, recipes);
  const collected = order.map(({ path }, index) => {
    const text = path === recipes.path ? writeRecipes() : read(path);
    const [prev, next] = [order[index - 1], order[index + 1]].map(toLink);
    const front = { description: describe(text), prev, next, words: findWords(path) };
    return [path, withFront(text, front)];
  });
  const listings = readdirSync(join(ROOT, 'docs/recipes'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `docs/recipes/${file}`);
  return new Map([
    ['index.md', writeFirstPage()],
    ...collected,
    ...listings.map((path) => [`${path}.md`, showFile(path, 'ts')]),
    ['docs/postgres.sql.md', showFile('docs/postgres.sql', 'sql')],
  ]);
}
