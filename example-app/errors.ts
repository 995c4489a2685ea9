import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express';
import type { TextKey } from './i18n/translate';
import type { Log } from './log';

interface Explanation {
  readonly title: TextKey;
  readonly text: TextKey;
}

const explanations: Readonly<Record<number, Explanation>> = {
  403: { title: 'error.403.title', text: 'error.403.text' },
  404: { title: 'error.404.title', text: 'error.404.text' },
  413: { title: 'error.413.title', text: 'error.413.text' },
  502: { title: 'error.502.title', text: 'error.away' },
  503: { title: 'error.503.title', text: 'error.away' },
  504: { title: 'error.504.title', text: 'error.away' },
};

const refused: Explanation = { title: 'error.refused.title', text: 'error.refused.text' };
const broken: Explanation = { title: 'error.broken.title', text: 'error.broken.text' };

/** The page with the form of a request, so that the error page can link back to it. */
const formPages: Readonly<Record<string, string>> = {
  '/login': '/login',
  '/login/pin': '/login/pin',
  '/login/pin/resend': '/login/pin',
  '/login/recover': '/login/pin',
  '/login/cancel': '/login/pin',
  '/step-up': '/step-up',
  '/account': '/account',
  '/transfer': '/transfer',
  '/transfer/pin': '/login/pin',
  '/enroll': '/enroll',
  '/settings/phones/pin': '/login/pin',
};

export function answerNotFound(req: Request, res: Response): void {
  showError(req, res, 404);
}

/** Renders the error page. It has no form and needs no session, because the session may be what failed. */
export function handleErrors(log: Pick<Log, 'accident'>): ErrorRequestHandler {
  return function handleError(error: unknown, req: Request, res: Response, next: NextFunction): void {
    if (res.headersSent) {
      next(error);
      return;
    }
    const { status, retryAfterSeconds } = readError(error);
    if (status >= 500) log.accident(error);
    if (retryAfterSeconds !== null) res.set('Retry-After', String(retryAfterSeconds));
    showError(req, res, status);
  };
}

function readError(error: unknown): { status: number; retryAfterSeconds: number | null } {
  const found: object = typeof error === 'object' && error !== null ? error : {};
  const status = 'status' in found ? found.status : undefined;
  const seconds = 'retryAfterSeconds' in found ? found.retryAfterSeconds : undefined;
  return {
    status: typeof status === 'number' && status >= 400 && status <= 599 ? status : 500,
    retryAfterSeconds: typeof seconds === 'number' ? Math.ceil(seconds) : null,
  };
}

function showError(req: Request, res: Response, status: number): void {
  const formPage = status === 404 ? null : findFormPage(req.path);
  res
    .status(status)
    .render('error', {
      explanation: explanations[status] ?? (status < 500 ? refused : broken),
      status,
      wayOut: formPage ? { href: formPage, key: 'error.tryAgain' } : { href: '/', key: 'error.firstPage' },
    });
}

function findFormPage(path: string): string | null {
  return formPages[path] ?? (path.startsWith('/settings') ? '/settings' : null);
}
