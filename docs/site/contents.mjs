import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** Reads a file by its path in the repository. */
export const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/**
 * The groups of docs/README.md, which are those of the sidebar: the pages that each heading's part
 * links to, in that order, by their path in the repository and their title.
 */
export function readGroups() {
  const [, ...parts] = read('docs/README.md').split(/^## /m);
  return parts.map((part) => {
    const links = Array.from(part.matchAll(/\]\(([\w./-]+\.md)\)/g), ([, link]) => link);
    const paths = links.map((link) => posix.normalize(`docs/${link}`));
    const pages = paths.map((path) => ({ path, title: /^# (.+)$/m.exec(read(path))[1] }));
    return { title: part.slice(0, part.indexOf('\n')), pages };
  });
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
