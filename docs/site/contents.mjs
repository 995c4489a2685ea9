import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** Reads a file by its path in the repository. */
export const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/** The pages that a text of docs/README.md links to, by their path in the repository and their title. */
function readPages(text) {
  const links = Array.from(text.matchAll(/\]\(([\w./-]+\.md)\)/g), ([, link]) => link);
  const paths = links.map((link) => posix.normalize(`docs/${link}`));
  return paths.map((path) => ({ path, title: /^# (.+)$/m.exec(read(path))[1] }));
}

/**
 * The groups of docs/README.md, which are those of the sidebar: each heading, and the pages that the part
 * below it links to, in that order.
 */
export function readGroups() {
  const [, ...parts] = read('docs/README.md').split(/^## /m);
  return parts.map((part) => ({
    title: part.slice(0, part.indexOf('\n')),
    pages: readPages(part),
  }));
}

/** The groups of the recipes: each line of their list, by the words in front of its links. */
export function readRecipes() {
  const [, part] = read('docs/README.md').split(/^## Recipes$/m);
  const lines = part.matchAll(/^- ([^:[\]]+): (.+)$/gm);
  return Array.from(lines, ([, title, links]) => ({ title, pages: readPages(links) }));
}

/**
 * The subpaths of package.json: the source of each, the module's name in TypeDoc, and the one that people
 * import.
 */
export function readEntries() {
  const { name, exports } = JSON.parse(read('package.json'));
  const subpaths = Object.entries(exports).filter(([, target]) => typeof target === 'object');
  return subpaths.map(([subpath, target]) => {
    const file = target.default.replace(/^\.\/dist\/(.*)\.js$/, '$1');
    const path = `${file.startsWith('checks/') ? 'test' : 'src'}/${file}`;
    return {
      source: `${path}.ts`,
      module: path.replace(/\/index$/, ''),
      specifier: name + subpath.slice(1),
    };
  });
}
