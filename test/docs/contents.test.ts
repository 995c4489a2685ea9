import { posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readLinks } from './support/links';
import { readPage, readPages } from './support/pages';

const links = readLinks(readPage('docs/README.md'));
const pages = readPages()
  .map(({ path }) => path)
  .filter((path) => path.startsWith('docs/') && path !== 'docs/README.md');

describe('docs/README.md', () => {
  it('leads to every page of docs, and so does the site', () => {
    const missing = pages.filter((path) => !links.includes(path.slice('docs/'.length)));
    expect(missing).toEqual([]);
  });

  it('calls each page by its title', () => {
    const named = Array.from(
      readPage('docs/README.md').text.matchAll(/\[([^\]]+)\]\(([\w./-]+\.md)\)/g),
      ([, name, link = '']) => [link, name],
    );
    const titles = named.map(([link = '']) => {
      const page = readPage(posix.normalize(`docs/${link}`));
      return [link, /^# (.+)$/m.exec(page.text)?.[1]];
    });
    expect(named).toEqual(titles);
  });

  it('leads to no page twice', () => {
    expect(links).toEqual([...new Set(links)]);
  });
});
