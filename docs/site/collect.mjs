// node docs/site/collect.mjs: lays what the site is made of into .site, in the folders of the
// repository, so that the links between pages lead where they lead there.
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { read, readGroups, ROOT } from './contents.mjs';

const TARGET = join(ROOT, '.site');

function write(path, text) {
  const file = join(TARGET, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A page that shows a file that pages link to, such as a listing. */
function writeListing(path, language) {
  const name = path.replace('docs/', '');
  const fence = ['---', 'outline: false', '---', '', `# ${name}`, '', `\`\`\`${language}`];
  write(`${path}.md`, [...fence, read(path).trimEnd(), '```', ''].join('\n'));
}

/** What stands in README.md below a heading, up to the next one. */
function readPart(heading) {
  return read('README.md').split(`\n## ${heading}\n`)[1].split('\n## ')[0].trim();
}

/** The contents of docs/README.md, as seen from the folder above it. */
function readStart() {
  const [, summary, ...parts] = read('docs/README.md').split(/^# .+\n|^(?=## )/m);
  const toRoot = (text) =>
    text.replaceAll(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_whole, link) =>
      link.startsWith('../') ? `](${link.slice(3)})` : `](docs/${link})`,
    );
  const sections = parts.map((part) => `<section>\n\n${toRoot(part).trim()}\n\n</section>`);
  return { summary: toRoot(summary).trim(), tasks: sections.join('\n') };
}

/** The first page: the picture, the command to try it, and the tasks. */
function writeFirstPage() {
  const { description } = JSON.parse(read('package.json'));
  const { summary, tasks } = readStart();
  const head = ['---', 'sidebar: false', 'aside: false', 'pageClass: start', '---'].join('\n');
  const title = `# passport-sms-otp\n\n<p class="summary">${description}</p>`;
  const actions = [
    '[Quick start](docs/quick-start.md)',
    '[How it works](docs/how-it-works.md)',
    '[Something is wrong](docs/troubleshooting.md)',
  ];
  const alt = /alt="(The page that asks for the code[^"]*)"/.exec(read('README.md'))[1];
  const pictures = ['light', 'dark'].map(
    (look) => `<img class="only-${look}" src="./docs/images/login-${look}.png" alt="${alt}">`,
  );
  const tryIt = `## Try it\n\n${readPart('Try it')}`;
  const top = [title, `<div class="actions">\n\n${actions.join('\n')}\n\n</div>`];
  const picture = `<p class="picture">${pictures.join('')}</p>`;
  const rest = [summary, `<div class="tasks">\n\n${tasks}\n\n</div>`];
  write('index.md', [head, ...top, picture, tryIt, ...rest, ''].join('\n\n'));
}

rmSync(TARGET, { recursive: true, force: true });
const paths = readGroups().flatMap(({ pages }) => pages.map(({ path }) => path));
for (const path of paths) write(path, read(path));
cpSync(join(ROOT, 'docs/images'), join(TARGET, 'docs/images'), { recursive: true });
cpSync(join(ROOT, 'src/pages/assets/logo.svg'), join(TARGET, 'public/logo.svg'));
const listings = readdirSync(join(ROOT, 'docs/recipes')).filter((file) => file.endsWith('.ts'));
for (const file of listings) writeListing(`docs/recipes/${file}`, 'ts');
writeListing('docs/postgres.sql', 'sql');
writeFirstPage();
