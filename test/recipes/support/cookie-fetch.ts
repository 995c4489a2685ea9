import { CookieJar } from '../../support/cookie-jar';

/** Two browsers never send the same headers, so that one does not join the login of the other. */
let browsers = 0;

/**
 * `fetch` as a browser does it: with the cookies of each host and port, kept between requests.
 * Follows no redirect.
 */
export function cookieFetch(): typeof globalThis.fetch {
  const jars = new Map<string, CookieJar>();
  const userAgent = `browser/${(browsers += 1)}`;

  function jarOf(url: string): CookieJar {
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new CookieJar();
    jars.set(origin, jar);
    return jar;
  }

  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const jar = jarOf(url);
    const headers = new Headers(init?.headers);
    headers.set('cookie', jar.header);
    headers.set('user-agent', userAgent);
    const response = await fetch(url, { redirect: 'manual', ...init, headers });
    jar.keep(response.headers.getSetCookie());
    return response;
  };
}
