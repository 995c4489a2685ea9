/** The server's response. With 401 or 429 the body has the reason. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Calls the server from the page: `createApi(window.fetch.bind(window))`. */
export function createApi(
  fetch: typeof globalThis.fetch,
  base = '',
): {
  readonly get: (path: string) => Promise<Answer>;
  readonly post: (path: string, body: object) => Promise<Answer>;
} {
  async function call(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(base + path, { ...init, credentials: 'same-origin' });
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, body: isJson ? await response.json() : null };
  }

  /**
   * Fetches a new token for every step: the right password and the right code each start a new
   * session.
   */
  async function post(path: string, body: object): Promise<Answer> {
    const answer = await call('/api/csrf-token', {});
    const { token } = answer.body as { token: string };
    const headers = { 'content-type': 'application/json', 'x-csrf-token': token };
    return call(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  return { get: (path) => call(path, {}), post };
}
