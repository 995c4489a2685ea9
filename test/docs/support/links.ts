import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { withoutCode } from './blocks';
import { readPage, ROOT, type Page } from './pages';

/** The links and images of a page, as they are written. */
export function readLinks({ text }: Page): readonly string[] {
  const prose = withoutCode(text).replace(/<!--[\s\S]*?-->/g, '');
  const inline = prose.matchAll(/\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g);
  const references = prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm);
  const html = prose.matchAll(/\b(?:href|src)="([^"]+)"/g);
  const automatic = prose.matchAll(/<(https?:\/\/[^>\s]+)>/g);
  return [...inline, ...references, ...html, ...automatic].map(([, target = '']) => target);
}

/**
 * What is wrong with a link; null: nothing. Addresses of other sites are looked at, never asked
 * for.
 */
export function findProblem(page: Page, link: string): string | null {
  if (/^[a-z]+:/i.test(link)) return findAddressProblem(link);
  const [file = '', anchor] = link.split('#');
  const path =
    file === '' ? page.path : normalize(join(dirname(page.path), file)).replaceAll('\\', '/');
  if (path.startsWith('..')) return 'leads out of the repository';
  if (!existsSync(join(ROOT, path))) return 'no such file';
  if (anchor === undefined) return null;
  if (!path.endsWith('.md')) return 'an anchor in something that is no page';
  return readAnchors(readPage(path)).has(anchor) ? null : 'no such anchor';
}

function findAddressProblem(link: string): string | null {
  if (!URL.canParse(link)) return 'no address';
  const { protocol, hostname } = new URL(link);
  const isLocal = hostname === '127.0.0.1' || hostname === 'localhost';
  return protocol === 'https:' || isLocal ? null : 'not https';
}

/**
 * The anchors of a page: its headings the way GitHub names them, and those that are set by hand.
 */
function readAnchors({ text }: Page): ReadonlySet<string> {
  const anchors = new Set(Array.from(text.matchAll(/<a id="([^"]+)">/g), ([, id = '']) => id));
  const headings = text.replace(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/^#{1,6} +(.+)$/gm);
  for (const [, heading = ''] of headings) {
    const slug = toSlug(heading);
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

function toSlug(heading: string): string {
  const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
}
