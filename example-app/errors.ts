import type { NextFunction, Request, Response } from 'express';

interface Explanation {
  readonly title: string;
  readonly text: string;
}

const unavailable =
  'Nothing was lost, and nothing has changed on your account. Please try again in a moment.';

const explanations: Readonly<Record<number, Explanation>> = {
  403: {
    title: 'This form is out of date',
    text: 'It was open for too long, or you have logged in or out since. Nothing was done. Open the page again and repeat what you did.',
  },
  404: { title: 'This page does not exist', text: 'The address may be mistyped, or the page has moved.' },
  413: { title: 'That was too much', text: 'What the form sent is larger than we accept. Nothing was done.' },
  502: { title: 'Our text service did not understand us', text: unavailable },
  503: { title: 'We cannot do that right now', text: unavailable },
  504: { title: 'Our text service took too long', text: unavailable },
};

const refused: Explanation = {
  title: 'That did not work',
  text: 'We could not read what was sent. Nothing was done.',
};

const broken: Explanation = {
  title: 'Something went wrong on our side',
  text: 'We have made a note of it. Please look at your account before you try again.',
};

/** Where the form of a request stands, so that the page of an accident leads back to it. */
const formPages: Readonly<Record<string, string>> = {
  '/login': '/login',
  '/login/pin': '/login/pin',
  '/login/pin/resend': '/login/pin',
  '/login/cancel': '/login/pin',
  '/step-up': '/step-up',
  '/account': '/account',
  '/transfer': '/transfer',
};

export function answerNotFound(req: Request, res: Response): void {
  showError(req, res, 404);
}

/** Accidents. The page has no form, so it needs no session: the session may be what broke. */
export function handleError(error: unknown, req: Request, res: Response, next: NextFunction): void {
  if (res.headersSent) {
    next(error);
    return;
  }
  const { status, retryAfterSeconds } = readError(error);
  if (status >= 500) console.error(error);
  if (retryAfterSeconds !== null) res.set('Retry-After', String(retryAfterSeconds));
  showError(req, res, status);
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
  const formPage = status === 404 ? undefined : formPages[req.path];
  res.status(status).render('error', {
    ...(explanations[status] ?? (status < 500 ? refused : broken)),
    status,
    wayOut: formPage ? { href: formPage, text: 'Try again' } : { href: '/', text: 'Go to the first page' },
  });
}
