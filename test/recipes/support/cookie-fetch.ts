/**
 * `fetch` as a browser does it: with the cookies of each host and port, kept between requests.
 * Follows no redirect.
 */
export function cookieFetch(): typeof globalThis.fetch {
  const jars = new Map<string, Map<string, string>>();

  function jarOf(url: string): Map<string, string> {
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  }

  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const jar = jarOf(url);
    const headers = new Headers(init?.headers);
    headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(url, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
}
