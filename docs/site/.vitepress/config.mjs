import process from 'node:process';
import { defineConfig } from 'vitepress';
import { read, readEntries, readGroups } from '../contents.mjs';

const { name, description, version } = JSON.parse(read('package.json'));

/** The folder of the server that the site lies in, from the address it is published under. */
const base = process.env.SITE_URL
  ? new URL(process.env.SITE_URL).pathname.replace(/\/?$/, '/')
  : '/';

const toLink = (path) => `/${path.replace(/\.md$/, '')}`;

/** Headings get the anchors that GitHub gives them: the pages' links are written for both. */
function slugify(heading) {
  const words = heading.toLowerCase().trim();
  return words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
}

// A group has a link of its own: without one, VitePress puts a button into a button.
const tasks = readGroups().map(({ title, pages }) => ({
  text: title,
  link: `/#${slugify(title)}`,
  collapsed: true,
  items: pages.map(({ path, title: text }) => ({ text, link: toLink(path) })),
}));

const reference = {
  text: 'Reference',
  link: '/reference/',
  collapsed: true,
  items: readEntries().map(({ specifier }) => ({
    text: specifier,
    link: `/reference/${specifier}/`,
  })),
};

/** A link to a listing leads to the page that shows it. */
function linkListings(md) {
  md.core.ruler.push('link-listings', ({ tokens }) => {
    const links = tokens.flatMap(({ children }) => children ?? []);
    for (const link of links.filter(({ type }) => type === 'link_open')) {
      const target = link.attrGet('href');
      if (/^[\w./-]+\.(?:ts|sql)$/.test(target)) link.attrSet('href', `${target}.md`);
    }
  });
}

export default defineConfig({
  title: name,
  description,
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', href: `${base}logo.svg`, type: 'image/svg+xml' }]],
  srcDir: '../../.site',
  outDir: '../../site',
  cacheDir: '../../node_modules/.cache/vitepress',
  // The example app runs on the reader's machine.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    anchor: { slugify },
    config: linkListings,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  // The index of the search is one file, which the first search loads.
  vite: { build: { chunkSizeWarningLimit: 4_000 } },
  themeConfig: {
    logo: '/logo.svg',
    nav: [
      { text: 'Quick start', link: '/docs/quick-start' },
      { text: 'Your own pages', link: '/docs/pages' },
      { text: 'Troubleshooting', link: '/docs/troubleshooting' },
      { text: 'Options', link: '/docs/options' },
      { text: 'Reference', link: `/reference/${name}/` },
      { text: version, link: '/CHANGELOG' },
    ],
    sidebar: [...tasks, reference],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          // A guide comes before the reference, which names every option several times.
          searchOptions: { boostDocument: (id) => (id.includes('/reference/') ? 1 : 8) },
        },
      },
    },
    outline: { level: [2, 3] },
    // The next page would be the next heading of the first one.
    docFooter: { prev: false, next: false },
  },
});
