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

/** Every page that people read: those at the top, and all in docs. */
export function readPages(): readonly Page[] {
  const top = readdirSync(ROOT);
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
  const paths = [...top, ...docs.map((path) => `docs/${path.replaceAll('\\', '/')}`)];
  return paths
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map(readPage);
}

/** One page by its path. */
export function readPage(path: string): Page {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') };
}
