import type { Server } from 'node:http';
import supertest from 'supertest';
import { CookieJar } from '../../support/cookie-jar';

type Fields = Readonly<Record<string, string>>;
type Headers = Fields;

/** Sent by Chromium when a person goes to a page by a link of the same site. */
const NAVIGATION: Headers = {
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Sec-Fetch-Site': 'same-origin',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
  'Sec-Fetch-User': '?1',
};

/** Sent with a form of a page that has helmet's referrer policy, which hides its own origin. */
const FORM: Headers = { ...NAVIGATION, Origin: 'null' };

const FETCH: Headers = {
  Accept: 'application/json',
  'Sec-Fetch-Site': 'same-origin',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
};

/** Sent with a link of another site, such as a mail in the browser. */
export const LINKED: Headers = { 'Sec-Fetch-Site': 'cross-site' };

const MOST_REDIRECTS = 10;

/** An answer, and the path that it answers. */
export interface Answer {
  readonly path: string;
  readonly status: number;
  readonly location: string | undefined;
  readonly allow: string | undefined;
  readonly text: string;
  readonly setCookies: readonly string[];
}

/** A form that is filled in, or what a script sends. */
interface Filled {
  readonly action: string;
  readonly fields: Fields;
}

/** A browser that shows pages, or runs a script that speaks JSON. */
export class Browser {
  readonly jar = new CookieJar();

  constructor(
    private readonly server: Server,
    private readonly speaksJson: boolean,
  ) {}

  /** Another browser, with the cookies that this one has now. */
  copy(): Browser {
    const other = new Browser(this.server, this.speaksJson);
    for (const [name, value] of this.jar.cookies) other.jar.cookies.set(name, value);
    return other;
  }

  /** Goes to a page, and on to the page where that leads. */
  async visit(path: string, headers: Headers = {}): Promise<Answer> {
    return this.follow(await this.get(path, headers));
  }

  /** Goes to a page, and no further. */
  async get(path: string, headers: Headers = {}): Promise<Answer> {
    return this.keep(await this.ask('get', path, { ...NAVIGATION, ...headers }));
  }

  /** Fetches a page because the user may go there next. */
  async prefetch(path: string, purpose: string): Promise<Answer> {
    return this.get(path, { 'Sec-Purpose': purpose });
  }

  /** Fills the form of a page in and sends it, or calls the API. */
  async submit(page: string, action: string, fields: Fields = {}): Promise<Answer> {
    return this.keep(await this.send(await this.fill(page, action, fields)));
  }

  /** Fills the form of a page in, with the hidden fields of the page. */
  async fill(page: string, action: string, fields: Fields): Promise<Filled> {
    if (this.speaksJson) return { action, fields };
    const { path, text } = await this.visit(page);
    const form = new RegExp(`<form[^>]* action="${action}"[^>]*>(.*?)</form>`, 's').exec(text)?.[1];
    if (form === undefined) throw new Error(`${page} led to ${path}, without a form for ${action}`);
    const hidden = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
    const given = Array.from(hidden, ([, name = '', value = '']) => [name, value] as const);
    return { action, fields: { ...Object.fromEntries(given), ...fields } };
  }

  /** Sends a form that has no hidden fields. */
  async post(action: string, fields: Fields, headers: Headers = {}): Promise<Answer> {
    return this.keep(await this.send({ action, fields }, headers));
  }

  /** Sends a form. The browser may drop the answer: its cookies are kept by `keep` alone. */
  send({ action, fields }: Filled, headers: Headers = {}): Promise<Answer> {
    const own = this.speaksJson ? FETCH : FORM;
    return this.ask('post', action, { ...own, ...headers }, fields);
  }

  /** Sends a form of another site, with which browsers send no `SameSite=Lax` cookie. */
  async postElsewhere(path: string, fields: Fields = { pin: '000000' }): Promise<Answer> {
    const headers = { ...NAVIGATION, ...LINKED, Origin: 'https://shop.example' };
    const asked = new supertest.Test(this.server, 'post', path).set(headers).type('form');
    return this.keep(toAnswer(path, await asked.send(fields)));
  }

  /** @throws {Error} for a loop of redirects, as Chromium does. */
  async follow(answer: Answer): Promise<Answer> {
    const trail = [answer.path];
    let shown = answer;
    while (shown.location?.startsWith('/') === true) {
      if (trail.length > MOST_REDIRECTS) throw new Error(`too many redirects: ${trail.join(' ')}`);
      trail.push(shown.location);
      shown = await this.get(shown.location);
    }
    return shown;
  }

  keep(answer: Answer): Answer {
    this.jar.keep(answer.setCookies);
    return answer;
  }

  private async ask(
    method: 'get' | 'post',
    path: string,
    headers: Headers,
    fields: Fields = {},
  ): Promise<Answer> {
    const asked = new supertest.Test(this.server, method, path).set(headers);
    if (this.jar.header !== '') asked.set('Cookie', this.jar.header);
    if (method === 'get') return toAnswer(path, await asked);
    return toAnswer(path, await asked.type(this.speaksJson ? 'json' : 'form').send(fields));
  }
}

/** Returns the reason of a refusal, as a page or the API tells it; null without one. */
export function reasonIn({ text }: Answer): string | null {
  return /(?: data-reason="|"error":")([a-z-]+)"/.exec(text)?.[1] ?? null;
}

function toAnswer(path: string, response: supertest.Response): Answer {
  const { status, text, headers } = response;
  // superagent types its headers as any.
  const { location, allow } = headers as Readonly<Record<string, string | undefined>>;
  return { path, status, location, allow, text, setCookies: response.get('Set-Cookie') ?? [] };
}
