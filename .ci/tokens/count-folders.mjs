import { join } from 'node:path';
import { findTokens, readSources } from './sources.mjs';

/** Counts the tokens of each folder of `src`, and of the files beside the folders. */
export function countFolders(checkout) {
  const counts = {};
  for (const { path, file } of readSources(join(checkout, 'src'))) {
    const folder = path.includes('/') ? path.slice(0, path.indexOf('/')) : '(files)';
    counts[folder] = (counts[folder] ?? 0) + findTokens(file).length;
  }
  const names = Object.keys(counts).sort();
  const all = names.reduce((sum, name) => sum + counts[name], 0);
  return Object.fromEntries([['all', all], ...names.map((name) => [name, counts[name]])]);
}
