import { Agent, request, type Dispatcher } from 'undici';

/** An answer of the app. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfter: string | undefined;
}

/** Milliseconds after which an app that has not answered never will. */
const PATIENCE_MS = 90_000;

/** The network of all browsers of a test. @param connections to one process at once. */
export function openNetwork(connections = 256): Agent {
  return new Agent({
    connections,
    pipelining: 1,
    headersTimeout: PATIENCE_MS,
    bodyTimeout: PATIENCE_MS,
  });
}

/** Other browsers, and one that comes back later, join no login of this one. */
let browsers = 0;

/** A browser that keeps its cookies, and may reach the same site through any of its processes. */
export class Browser {
  readonly cookies = new Map<string, string>();
  #userAgent = `browser/${(browsers += 1)}`;

  /** @param address what proxies say of where it is. */
  constructor(
    private readonly network: Dispatcher,
    private readonly address?: string,
  ) {}

  /** Another browser with the same cookies: a second tab, or a thief. */
  copy(): Browser {
    const other = new Browser(this.network, this.address);
    other.#userAgent = this.#userAgent;
    for (const [name, value] of this.cookies) other.cookies.set(name, value);
    return other;
  }

  /** Comes back later: the session is over, the browser is known if it was. */
  leave(): void {
    this.cookies.delete('connect.sid');
    this.#userAgent = `browser/${(browsers += 1)}`;
  }

  logIn(url: string, userId: string): Promise<Answer> {
    return this.post(url, '/login', { username: userId, password: 'right' });
  }

  enter(url: string, pin: string): Promise<Answer> {
    return this.post(url, '/login/pin', { pin });
  }

  post(url: string, path: string, body: object = {}): Promise<Answer> {
    return this.#ask(url + path, 'POST', JSON.stringify(body));
  }

  get(url: string, path: string): Promise<Answer> {
    return this.#ask(url + path, 'GET', null);
  }

  async #ask(url: string, method: Dispatcher.HttpMethod, body: string | null): Promise<Answer> {
    const cookie = Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      'user-agent': this.#userAgent,
      ...(body !== null && { 'content-type': 'application/json' }),
      ...(cookie !== '' && { cookie }),
      ...(this.address !== undefined && { 'x-forwarded-for': this.address }),
    };
    const answer = await request(url, { method, body, headers, dispatcher: this.network });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    const retryAfter = answer.headers['retry-after'];
    return {
      status: answer.statusCode,
      // Every answer of the app is a JSON object.
      body: (await answer.body.json()) as Record<string, unknown>,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    };
  }
}
