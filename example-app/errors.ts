import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { TextKey } from './i18n';
import type { Log } from './log';

/** Thrown if sessions or users cannot be read. The error page uses `status`. */
export class UnavailableError extends Error {
  readonly status = 503;
}

/**
 * Returns a short code of an error. Never returns its message, which may contain an address, a name
 * or stored data.
 */
export function toFailureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { readonly code?: unknown }; // any error may have one
  if (typeof code === 'string') return code;
  // Redis errors begin with their type: "WRONGPASS invalid username-password pair …".
  return /^[A-Z]{4,}(?= )/.exec(error.message)?.[0] ?? error.constructor.name;
}

const explanations: Readonly<Record<number, readonly [title: TextKey, text: TextKey]>> = {
  403: ['error.403.title', 'error.403.text'],
  404: ['error.404.title', 'error.404.text'],
  413: ['error.413.title', 'error.413.text'],
  502: ['error.502.title', 'error.away'],
  503: ['error.503.title', 'error.away'],
  504: ['error.504.title', 'error.away'],
};
const refused = ['error.refused.title', 'error.refused.text'] as const;
const broken = ['error.broken.title', 'error.broken.text'] as const;

export const answerNotFound: RequestHandler = (req, res) => showError(req, res, 404);

/**
 * Renders the error page. It has no form and needs no session, because the session may be what
 * failed.
 */
export function handleErrors(log: Pick<Log, 'accident'>): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error);
    const {
      status: claimed,
      code,
      retryAfterSeconds,
    } = Object(error) as Readonly<Record<string, unknown>>; // anything can be thrown
    // The form was open in two tabs, or the user has logged in since. Show its page again, with a
    // notice.
    if (code === 'EBADCSRFTOKEN')
      return res.redirect(303, `${findFormPage(req.path) ?? '/'}?out-of-date`);
    const status = typeof claimed === 'number' && claimed >= 400 && claimed <= 599 ? claimed : 500;
    if (status >= 500) log.accident(error);
    if (typeof retryAfterSeconds === 'number')
      res.set('Retry-After', String(Math.ceil(retryAfterSeconds)));
    showError(req, res, status);
  };
}

function showError(req: Request, res: Response, status: number): void {
  const [title, text] = explanations[status] ?? (status < 500 ? refused : broken);
  const formPage = status === 404 ? null : findFormPage(req.path);
  const wayOut = formPage
    ? { href: formPage, key: 'error.tryAgain' }
    : { href: '/', key: 'error.firstPage' };
  res.status(status).render('message', { title, text, status, wayOut, user: null });
}

/** Returns the page with the form that posts to this path. */
function findFormPage(path: string): string | null {
  if (/^\/second-factor\/(resend|cancel|confirm-number)$/.test(path)) return '/second-factor/code';
  if (/^\/second-factor\/(remove|default|forget|end)-/.test(path)) return '/second-factor/settings';
  if (path === '/second-factor/log-out') return '/second-factor/step-up';
  if (path.startsWith('/second-factor/')) return path;
  if (path.startsWith('/settings')) return '/settings';
  if (path.startsWith('/transfer/')) return '/transfer/code';
  return /^\/(login|account|transfer)$/.test(path) ? path : null;
}
