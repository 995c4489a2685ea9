import type { Request } from 'express';

/**
 * Returns whether a person goes to a page with this request, by a link or a form, and will see the
 * answer. Images, polls, frames, downloads and pages that are fetched in advance do not count.
 * Browsers send `Sec-Fetch-*` over TLS and to localhost; old browsers never do.
 */
export function isPageRequest(req: Request): boolean {
  const { headers } = req;
  if (req.method !== 'GET' && req.method !== 'POST') return false;
  if (PURPOSES.some((name) => IN_ADVANCE.test(String(headers[name] ?? '')))) return false;

  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination = 'document', accept } = headers;
  const takesPages = /\btext\/html\b/i.test(accept ?? '');
  if (mode !== undefined) {
    // A service worker that fetches the page passes on the mode, but not the destination.
    const isPage = destination === 'document' || (destination === 'empty' && takesPages);
    return mode === 'navigate' && isPage;
  }

  const isScript = headers['x-requested-with'] !== undefined || headers.upgrade !== undefined;
  return !isScript && (takesPages || accept === undefined);
}

/** The headers by which browsers say that the answer may never be seen. */
const PURPOSES = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;
const IN_ADVANCE = /\b(?:prefetch|prerender|preview|instant)\b/i;

/**
 * Returns whether a request asks for JSON: its body is JSON, it accepts JSON and no pages, or a
 * script sent it. A service worker that fetches a page has no destination either.
 */
export function wantsJson(req: Request): boolean {
  const { 'content-type': type = '', accept = '' } = req.headers;
  const { 'sec-fetch-dest': destination, 'sec-fetch-mode': mode } = req.headers;

  if (JSON_TYPE.test(type)) return true;
  if (destination === 'empty' && mode !== 'navigate') return true;
  return JSON_TYPE.test(accept) && !/\btext\/html\b/i.test(accept);
}

const JSON_TYPE = /\bapplication\/(?:[\w.-]+\+)?json\b/i;

/**
 * Returns whether another site made the browser send this request. `Origin: null` is no sign of
 * that: with the referrer policy of helmet, the app's own forms send it.
 */
export function isCrossSite(req: Request): boolean {
  const { 'sec-fetch-site': site, origin, host } = req.headers;
  if (site !== undefined) return site === 'cross-site';
  if (origin === undefined || origin === 'null') return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}
