// node docs/site/find.mjs <query> …: prints for each query the first three pages that the search of the
// site finds, one line of JSON each. It reads the pages themselves, without the reference.
import process from 'node:process';
import MiniSearch from 'minisearch';
import { createMarkdownRenderer } from 'vitepress';
import { collectPages } from './pages.mjs';
import { miniSearch, renderForSearch } from './search.mjs';

const md = await createMarkdownRenderer('.', { highlight: (code) => code });
const { options, searchOptions, _splitIntoSections: split } = miniSearch;
const index = new MiniSearch({ ...options, searchOptions });

for (const [path, source] of collectPages()) {
  const address = `/${path.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html')}`;
  const html = renderForSearch(source, { path, relativePath: path }, md);
  for (const { anchor, titles, text } of split(path, html)) {
    const [title] = titles.slice(-1);
    index.add({ id: `${address}#${anchor}`, title, titles: titles.slice(0, -1), text });
  }
}

for (const query of process.argv.slice(2)) {
  const found = index.search(query).map(({ id }) => id.split('#')[0]);
  console.log(JSON.stringify([...new Set(found)].slice(0, 3)));
}
