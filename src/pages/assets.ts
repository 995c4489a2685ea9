import { join } from 'node:path';
import type { RequestHandler } from 'express';
import { accentStylesheet } from './accent';
import { createRouter } from './handlers';

const FILES = ['pages.css', 'pages.js', 'logo.svg'];
/** Cache for an hour: the files change only with a release of the package. */
const CACHE = 'public, max-age=3600';

/**
 * Serves the stylesheet, the script and the logo. Caches may store them, because nothing in them is
 * private.
 */
export function serveAssets(accent: string | undefined): RequestHandler {
  const router = createRouter();

  for (const file of FILES) {
    router.get(`/${file}`, (_req, res) => {
      res.setHeader('Cache-Control', CACHE);
      // With `root`, the folders above may begin with a dot, as those of pnpm do.
      res.sendFile(file, { root: join(__dirname, 'assets'), cacheControl: false });
    });
  }
  if (accent === undefined) return router;

  const stylesheet = accentStylesheet(accent);
  router.get('/accent.css', (_req, res) => {
    res.setHeader('Cache-Control', CACHE);
    res.type('css').send(stylesheet);
  });
  return router;
}
