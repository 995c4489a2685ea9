// node .ci/llms.mjs <folder>: writes what language models read into the folder of the site.
// `llms.txt` (llmstxt.org) is AGENTS.md, followed by the pages that it does not name, in the order of
// docs/README.md. `llms-full.txt` has all pages, and each page lies beside them as Markdown. With
// SITE_URL the links are whole.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import process from 'node:process';

const ROOT = join(import.meta.dirname, '..');
const LINK = /\]\(([\w./-]+)(?=[#)])/g;
const [folder = 'site'] = process.argv.slice(2);
const base = (process.env.SITE_URL ?? '').replace(/(?<=.)\/?$/, '/');
const read = (path) => readFileSync(join(ROOT, path), 'utf8').trim();

/** The Markdown files that a text links to, by their path in the repository, each once. */
function findPages(text, directory = '.') {
  const paths = Array.from(text.matchAll(LINK), ([, link]) =>
    normalize(join(directory, link)).replaceAll('\\', '/'),
  );
  return [...new Set(paths)].filter((path) => path.endsWith('.md'));
}

const [heading, summary, ...rest] = read('AGENTS.md')
  .replaceAll(/<!--[\s\S]*?-->\n*/g, '')
  .split('\n\n');
const named = findPages(rest.join('\n\n'));
const pages = [...new Set([...findPages(read('docs/README.md'), 'docs'), ...named])];
const others = pages.filter((page) => !named.includes(page));
const titles = others.map((page) => `- [${/^# (.+)$/m.exec(read(page))?.[1]}](${page})`);

for (const page of pages) {
  mkdirSync(join(folder, dirname(page)), { recursive: true });
  copyFileSync(join(ROOT, page), join(folder, page));
}
const quote = `> ${summary.replaceAll('\n', '\n> ')}`;
const index = [heading, quote, ...rest, '## Optional', titles.join('\n')].join('\n\n');
writeFileSync(join(folder, 'llms.txt'), `${index.replaceAll(LINK, `](${base}$1`)}\n`);
const texts = pages.map((page) => `<!-- ${page} -->\n\n${read(page)}`);
writeFileSync(join(folder, 'llms-full.txt'), `${texts.join('\n\n')}\n`);
