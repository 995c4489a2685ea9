import type { IncomingHttpHeaders } from 'node:http';

/** An answer of the app. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The value of `Location`, unchanged. Null without one. */
  readonly location: string | null;
}

/** Returns whether a browser would show the answer as a page. */
export function isPage({ headers }: Answer): boolean {
  return /^text\/html\b/i.test(headers['content-type'] ?? '');
}

/** Returns the JSON of an answer. Undefined if it is not JSON. */
export function readJson({ headers, body }: Answer): unknown {
  if (!/\bjson\b/i.test(headers['content-type'] ?? '')) return undefined;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined; // The content type says JSON, but the body is not.
  }
}

/**
 * Returns the words that a reader sees, without digits: a countdown, a time or a number of attempts
 * does not make another answer.
 */
export function readWords({ body }: Pick<Answer, 'body'>): string {
  return body
    .replaceAll(/<(script|style|template)\b[\s\S]*?<\/\1>/gi, ' ')
    .replaceAll(/<!--[\s\S]*?-->/g, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\d+/g, '#')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Returns the path of a redirect that stays on the site, without its query. Otherwise null. */
export function readPath(location: string | null, origin: string): string | null {
  if (location === null || !URL.canParse(location, origin)) return null;
  const url = new URL(location, origin);
  return isSameHost(url, origin) ? url.pathname : null;
}

/** Returns a path for the report, without its query and anything that may be a token. */
export function showPath(path: string): string {
  const [shown = ''] = path.split('?');
  return shown.replaceAll(/[^/]{21,}/g, '…');
}

/** Returns whether a redirect leads to another host than that of the request. */
export function leadsAway({ location }: Answer, origin: string): boolean {
  if (location === null) return false;
  return !URL.canParse(location, origin) || !isSameHost(new URL(location, origin), origin);
}

/**
 * Returns whether a URL stays on the host. The app may write https if a proxy in front of it does
 * TLS.
 */
function isSameHost({ protocol, host }: URL, origin: string): boolean {
  return /^https?:$/.test(protocol) && host === new URL(origin).host;
}

const HIDDEN = /<input\b(?=[^>]*\btype\s*=\s*["']?hidden\b)[^>]*>/gi;

/**
 * Returns the hidden fields of the form on a page that makes a request to `path`. With null, those
 * of the first form that has any. Undefined if there is no such form.
 */
export function readHiddenFields(
  page: { readonly body: string; readonly path: string },
  path: string | null,
): Record<string, string> | undefined {
  const forms = Array.from(page.body.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi), (found) => {
    const [, tag = '', content = ''] = found;
    return { action: readAttribute(tag, 'action') || page.path, fields: readFields(content) };
  });
  const form = forms.find(({ action, fields }) =>
    path === null ? Object.keys(fields).length > 0 : samePath(action, path, page.path),
  );
  return form?.fields;
}

function readFields(content: string): Record<string, string> {
  const fields = Array.from(content.matchAll(HIDDEN), ([tag]) => [
    readAttribute(tag, 'name'),
    readAttribute(tag, 'value'),
  ]);
  return Object.fromEntries(fields.filter(([name]) => name !== '')) as Record<string, string>;
}

function samePath(action: string, path: string, base: string): boolean {
  const site = 'http://site.invalid';
  const from = new URL(base, site);
  if (!URL.canParse(action, from.href)) return false;
  return new URL(action, from.href).pathname === new URL(path, site).pathname;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function readAttribute(tag: string, name: string): string {
  const pattern = new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i');
  const [, double, single, bare] = pattern.exec(tag) ?? [];
  return decode(double ?? single ?? bare ?? '');
}

function decode(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (typeof decimal === 'string') return String.fromCodePoint(Number(decimal));
    if (typeof hex === 'string') return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[String(name).toLowerCase()] ?? whole;
  });
}
