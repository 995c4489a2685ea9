import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The top of the repository. */
export const ROOT = join(__dirname, '../../..');

/** A page of the documentation. */
export interface Page {
  /** From the top of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Every page that people read: those at the top, and all in docs and maintainers. */
export function readPages(): readonly Page[] {
  const paths = [...readdirSync(ROOT), ...list('docs'), ...list('maintainers')];
  return paths
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map(readPage);
}

/** The paths of all files of a folder. */
function list(folder: string): readonly string[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files.map((file) => `${folder}/${file.replaceAll('\\', '/')}`);
}

/** One page by its path. */
export function readPage(path: string): Page {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') };
}
