import { SYNONYMS } from './synonyms.mjs';

/**
 * The options of MiniSearch. VitePress passes these functions to the browser as their source, so each
 * stands alone.
 */
export const miniSearch = {
  options: {
    fields: ['title', 'titles', 'text', 'words'],
    // The words of a page stand in front of its text, between two marks.
    extractField: (section, field) => {
      if (field === 'words') return /^‹([^›]*)›/.exec(section.text)?.[1] ?? '';
      return field === 'text' ? section.text.replace(/^‹[^›]*›/, '') : section[field];
    },
    // Drops words that say nothing about a page, and the s of a plural.
    processTerm: (term) => {
      const word = term.toLowerCase();
      const isEmpty =
        /^(?:a|about|an|and|are|as|at|be|but|by|can|do|does|for|from|get|has|have|how|i|if|in|instead|is|it|its|make|me|my|need|not|of|on|or|our|so|than|that|the|their|then|there|they|this|to|use|want|was|we|what|when|where|which|who|why|will|with|would|you|your)$/;
      return isEmpty.test(word) ? null : word.replace(/(?<=[^s]{3})s$/, '');
    },
  },
  searchOptions: {
    prefix: (term) => term.length > 2,
    fuzzy: (term) => term.length > 4 && 0.2,
    boost: { title: 4, words: 7, titles: 1, text: 2 },
    // Guides come first, then short answers and recipes, pages for auditors, listings and the reference.
    boostDocument: (id) => {
      if (/\/reference\/|\/CHANGELOG|\.(?:ts|sql)\.html/.test(id)) return 1;
      if (/\/audit\/|\/SECURITY|\/recipes\/(?:#|$)/.test(id)) return 3;
      return /\/recipes\/|\/faq\.html/.test(id) ? 6 : 8;
    },
  },
  _splitIntoSections: splitIntoSections,
};

/** Renders a page for the index, with the words that people search for and the page does not use. */
export function renderForSearch(source, env, md) {
  const html = md.render(source, env);
  const { search, words = '' } = env.frontmatter ?? {};
  return search === false ? '' : html.replace('</h1>', `</h1><p>‹${words}›</p>`);
}

/** What `renderForSearch` adds to a page. */
export const findWords = (path) => SYNONYMS[path];

/** The parts of a page, each below a heading, with the headings above it. */
function splitIntoSections(_file, html) {
  const clean = (text) => text.replaceAll(/<[^>]*>/g, '').trim();
  const parts = html.split(/<h([1-6])[^>]*? id="([^"]*)"[^>]*>(.*?)<a [^>]*>.*?<\/a><\/h\1>/s);
  const above = [];
  const sections = [];
  for (let at = 1; at < parts.length; at += 4) {
    const [level, anchor, title, content] = parts.slice(at, at + 4);
    above.length = Number(level) - 1;
    above[Number(level) - 1] = clean(title);
    sections.push({ anchor, titles: above.filter(Boolean), text: clean(content) });
  }
  return sections;
}
