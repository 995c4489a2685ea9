import type { Response } from 'express';

/**
 * Answers a request with a page instead of the redirect that a middleware is about to send. The
 * page may show the user's input, which a redirect would have to keep in the session or in an
 * address.
 *
 * @param isWanted Called when the redirect is about to be sent.
 * @param answer Answers the request.
 */
export function insteadOfRedirect(
  res: Response,
  isWanted: () => boolean,
  answer: () => void,
): void {
  const end = res.end.bind(res) as (...given: unknown[]) => Response;

  res.end = (...given: unknown[]): Response => {
    res.end = end;
    if (res.statusCode !== 303 || !isWanted()) return end(...given);

    res.removeHeader('Location');
    res.removeHeader('Content-Length');
    answer();
    return res;
  };
}
