import type { RequestHandler, Response } from 'express';

/** The header that carries the session of a client without cookies. */
const HEADER = 'x-session';

/**
 * Lets a client without cookies carry its session in a header: it sends the value that it got last,
 * and an empty one before the first. Put it in front of express-session. Browsers keep using the
 * cookie, and a request that has one is answered as ever.
 * @param name The name of the session cookie.
 */
export function sessionInHeader(name = 'connect.sid'): RequestHandler {
  return (req, res, next) => {
    const value = req.get(HEADER);
    if (value === undefined || req.headers.cookie !== undefined) return next();
    if (/^[\w%.+/=:-]+$/.test(value)) req.headers.cookie = `${name}=${value}`;
    moveCookie(res, name);
    next();
  };
}

/** express-session adds its cookie when the head of the answer is written. */
function moveCookie(res: Response, name: string): void {
  const writeHead = res.writeHead.bind(res);
  res.writeHead = ((...head: Parameters<Response['writeHead']>) => {
    const lines = [res.getHeader('set-cookie') ?? []].flat().map(String);
    const own = lines.find((line) => line.startsWith(`${name}=`));
    // The others (known browsers, trusted devices) are worth something to a cookie jar alone.
    res.removeHeader('set-cookie');
    if (own !== undefined) res.setHeader(HEADER, own.slice(name.length + 1).split(';')[0] ?? '');
    return writeHead(...head);
  }) as Response['writeHead']; // Its overloads are one function.
}
