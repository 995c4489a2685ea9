import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from '../docs/support/pages';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

type Colors = ReadonlyMap<string, string>;

/** Reads the colours that a block declares, by name. */
function readColors(block: string): Colors {
  const found = block.matchAll(/(--[\w-]+): (#[\da-f]{3,6});/g);
  return new Map([...found].map(([, name = '', color = '']) => [name, color]));
}

/** Reads the colours of a style by day and by night: the first block of each. */
function readLooks(css: string, night: RegExp): { day: Colors; night: Colors } {
  const [, day = ''] = /:root \{([^}]*)\}/.exec(css) ?? [];
  const [, dark = ''] = night.exec(css) ?? [];
  return { day: readColors(day), night: readColors(dark) };
}

const BY_SYSTEM = /prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}/;
const pages = readLooks(read('src/pages/assets/pages.css'), BY_SYSTEM);
const inbox = readLooks(read('src/simulator/inbox/assets/inbox.css'), BY_SYSTEM);
const site = readLooks(read('docs/site/.vitepress/theme/site.css'), /^\.dark \{([^}]*)\}/m);

/** The relative luminance of WCAG 2. */
function toLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => parseInt(color.slice(start, start + 2), 16) / 255)
    .map((value) => (value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function toContrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [toLuminance(one), toLuminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** Text and its ground, as the styles use them. */
const TEXTS = [
  ...['--ink', '--soft', '--accent'].flatMap((text) =>
    ['--ground', '--card', '--info-ground'].map((ground) => [text, ground] as const),
  ),
  ['--on-accent', '--accent'],
  ['--card', '--good'],
] as const;

/** What the site calls a colour of the pages. */
const NAMES_OF_SITE = [
  ['--vp-c-brand-1', '--accent'],
  ['--vp-c-brand-2', '--accent-strong'],
  ['--vp-c-brand-3', '--accent'],
  ['--vp-c-brand-soft', '--info-ground'],
  ['--vp-c-text-1', '--ink'],
  ['--vp-c-text-2', '--soft'],
  ['--vp-c-divider', '--line'],
  ['--vp-button-brand-text', '--on-accent'],
] as const;

describe.each(['day', 'night'] as const)('the look by %s', (time) => {
  it('has the colours of the pages in the inbox', () => {
    const shared = [...inbox[time]].filter(([name]) => pages.day.has(name));
    expect(shared.length).toBeGreaterThan(8);
    for (const [name, color] of shared) {
      expect([name, color]).toEqual([name, pages[time].get(name)]);
    }
  });

  it.each(NAMES_OF_SITE)('has the colours of the pages on the site (%s)', (name, ofPages) => {
    expect(site[time].get(name)).toBe(pages[time].get(ofPages));
  });

  it.each(TEXTS)('has a contrast of 4.5 in the inbox: %s on %s', (text, ground) => {
    const [one = '', other = ''] = [inbox[time].get(text), inbox[time].get(ground)];
    expect([one, other]).not.toContain('');
    expect(toContrast(one, other)).toBeGreaterThanOrEqual(4.5);
  });
});

describe('the look', () => {
  it('has one logo', () => {
    const logo = read('src/pages/assets/logo.svg');
    expect(read('src/simulator/inbox/assets/icon.svg')).toBe(logo);
    expect(read('docs/site/collect.mjs')).toContain("'src/pages/assets/logo.svg'");
    expect(read('docs/site/.vitepress/config.mjs')).toContain("logo: '/logo.svg'");
  });

  it.each(['src/simulator/inbox/assets/inbox.css', 'docs/site/.vitepress/theme/site.css'])(
    'has the type of the pages in %s',
    (path) => {
      const toStack = (css: string) => css.replaceAll(/\s+/g, ' ');
      expect(toStack(read(path))).toContain(
        "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;",
      );
      expect(toStack(read(path))).toContain("ui-monospace, 'SF Mono', Menlo, Consolas, monospace;");
    },
  );
});
