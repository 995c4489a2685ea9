// node docs/site/check-links.mjs <folder>: ends with status 1 when a link of the built site, or its
// anchor, leads nowhere within the site.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';

const folder = process.argv[2] ?? 'site';
const base = process.env.SITE_URL ? new URL(process.env.SITE_URL).pathname : '/';
const ORIGIN = 'https://site.invalid';

const pages = new Map(
  readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.html'))
    .map((file) => [join(folder, file), readFileSync(join(folder, file), 'utf8')]),
);

/** The file of the site that an address leads to. */
function toFile(pathname) {
  const path = join(folder, decodeURIComponent(pathname).slice(base.replace(/\/$/, '').length));
  if (existsSync(path) && statSync(path).isDirectory()) return join(path, 'index.html');
  return existsSync(path) ? path : `${path}.html`;
}

function findProblem(from, link) {
  const url = new URL(link.replaceAll('&amp;', '&'), from);
  if (url.origin !== ORIGIN) return null;
  const file = toFile(url.pathname);
  if (!existsSync(file)) return 'no such file';
  const anchor = decodeURIComponent(url.hash.slice(1));
  if (anchor === '' || !pages.has(file)) return null;
  return pages.get(file).includes(` id="${anchor}"`) ? null : 'no such anchor';
}

const problems = [...pages].flatMap(([file, html]) => {
  const from = `${ORIGIN}${base.replace(/\/$/, '')}/${relative(folder, file).replaceAll('\\', '/')}`;
  const links = Array.from(html.matchAll(/ (?:href|src)="([^"]+)"/g), ([, link]) => link);
  return [...new Set(links)].flatMap((link) => {
    const problem = findProblem(from, link);
    return problem === null ? [] : [`${relative(folder, file)}: ${link}: ${problem}`];
  });
});

for (const problem of problems) console.error(problem);
console.log(`${pages.size} pages, ${problems.length} links that lead nowhere`);
process.exitCode = problems.length === 0 && pages.size > 0 ? 0 : 1;
