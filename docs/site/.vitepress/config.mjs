import process from 'node:process';
import { defineConfig } from 'vitepress';
import { read, readEntries, readGroups } from '../contents.mjs';
import { miniSearch, renderForSearch } from '../search.mjs';

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
const groups = readGroups().map(({ title, pages }) => ({
  text: title,
  link: title === 'Recipes' ? '/docs/recipes/' : `/#${slugify(title)}`,
  collapsed: title === 'Recipes',
  items: pages.map(({ path, title: text }) => ({ text, link: toLink(path) })),
}));

const reference = {
  text: 'TypeScript reference',
  link: `/reference/${name}/`,
  collapsed: true,
  items: readEntries().map(({ specifier }) => ({
    text: specifier,
    link: `/reference/${specifier}/`,
  })),
};

/** A link to a listing leads to the page that shows it, and one to README.md to the first page. */
function linkListings(md) {
  md.core.ruler.push('link-listings', ({ tokens }) => {
    const links = tokens.flatMap(({ children }) => children ?? []);
    for (const link of links.filter(({ type }) => type === 'link_open')) {
      const target = link.attrGet('href');
      if (/^[\w./-]+\.(?:ts|sql)$/.test(target)) link.attrSet('href', `${target}.md`);
      if (/^(?:[./]+|docs\/)*README\.md(?:#.*)?$/.test(target)) link.attrSet('href', '/');
    }
  });
}

/** What is wider than a phone is moved by the keyboard as well: a drawing, like a table. */
function focusDrawings(md) {
  md.core.ruler.push('focus-drawings', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const image = tokens[index + 1]?.children?.[0];
      if (token.type !== 'paragraph_open' || image?.type !== 'image') continue;
      if (!image.attrGet('src').endsWith('.svg')) continue;
      token.attrSet('tabindex', '0');
      token.attrSet('class', 'drawing');
    }
  });
}

/** What a preview of a link shows. A picture needs a whole address. */
function describePage({ pageData, title, description: text }) {
  const facts = { 'og:type': 'website', 'og:title': title, 'og:description': text };
  if (process.env.SITE_URL) {
    const path = pageData.relativePath.replace(/(?:index)?\.md$/, (end) =>
      end === '.md' ? '.html' : '',
    );
    facts['og:url'] = new URL(`${base}${path}`, process.env.SITE_URL).href;
    facts['og:image'] = new URL(`${base}social.png`, process.env.SITE_URL).href;
  }
  const tags = Object.entries(facts).map(([property, content]) => ['meta', { property, content }]);
  return [...tags, ['meta', { name: 'twitter:card', content: 'summary_large_image' }]];
}

export default defineConfig({
  title: name,
  description,
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', href: `${base}logo.svg`, type: 'image/svg+xml' }]],
  transformHead: describePage,
  ...(process.env.SITE_URL && { sitemap: { hostname: new URL(base, process.env.SITE_URL).href } }),
  srcDir: '../../.site',
  outDir: '../../site',
  cacheDir: '../../node_modules/.cache/vitepress',
  // The example app runs on the reader's machine.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    anchor: { slugify },
    config: (md) => {
      linkListings(md);
      focusDrawings(md);
    },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  // The index of the search is one file, which the first search loads.
  vite: { build: { chunkSizeWarningLimit: 4_000 } },
  themeConfig: {
    logo: '/logo.svg',
    nav: [
      { text: 'Quick start', link: '/docs/quick-start' },
      { text: 'Options', link: '/docs/options' },
      { text: 'Troubleshooting', link: '/docs/troubleshooting' },
      { text: 'Recipes', link: '/docs/recipes/' },
      { text: 'FAQ', link: '/docs/faq' },
      { text: version, link: '/CHANGELOG' },
    ],
    sidebar: [...groups, reference],
    search: { provider: 'local', options: { miniSearch, _render: renderForSearch } },
    outline: { level: [2, 3] },
    docFooter: { prev: 'Previous', next: 'Next' },
    footer: { message: 'Free and open source, under the MIT licence.' },
  },
});
