// node .ci/llms.mjs <folder>: writes what language models read into the folder of the site.
// `llms.txt` (llmstxt.org) is the table of contents of docs/README.md, `llms-full.txt` all of its
// pages, and each page lies beside them as Markdown. With SITE_URL the links are whole.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import process from 'node:process';

const ROOT = join(import.meta.dirname, '..');
const [folder = 'site'] = process.argv.slice(2);
const base = (process.env.SITE_URL ?? '').replace(/(?<=.)\/?$/, '/');

const [title, ...sections] = readFileSync(join(ROOT, 'docs/README.md'), 'utf8').split(/^(?=## )/m);
const { name } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const [, summary = ''] = title.split('\n\n');

/** The pages by their path in the repository, in the order of the contents. */
const pages = [];
const contents = sections.map((section) => {
  const entries = section.match(/^- .+$/gm) ?? [];
  const lines = entries.map((entry) =>
    entry.replaceAll(/\]\(([\w./-]+)\)/g, (_match, link) => {
      const path = normalize(join('docs', link)).replaceAll('\\', '/');
      pages.push(path);
      return `](${base}${path})`;
    }),
  );
  return [section.split('\n', 1)[0], '', ...lines].join('\n');
});

for (const page of pages) {
  mkdirSync(join(folder, dirname(page)), { recursive: true });
  copyFileSync(join(ROOT, page), join(folder, page));
}
const texts = pages.map(
  (page) => `<!-- ${page} -->\n\n${readFileSync(join(ROOT, page), 'utf8').trim()}`,
);
writeFileSync(
  join(folder, 'llms.txt'),
  `${[`# ${name}`, `> ${summary}`, ...contents].join('\n\n')}\n`,
);
writeFileSync(join(folder, 'llms-full.txt'), `${texts.join('\n\n')}\n`);
