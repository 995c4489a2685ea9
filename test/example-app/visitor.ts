import type { Express } from 'express';
import type { GatewaySimulator } from 'passport-sms-otp/simulator';
import request, { type Response, type Test } from 'supertest';
import { CookieJar } from '../support/cookie-jar';
import { wrongCode } from '../support/visit';
import { ALICE_PHONE, type Site } from './site';

type Fields = Readonly<Record<string, string>>;

/** What a visitor visits. */
interface Visited {
  readonly app: Express | string;
  readonly simulator?: GatewaySimulator;
}

/**
 * Someone with a browser: keeps cookies, follows links, and sends forms with what is hidden in
 * them. Where a site is started anew for each test, each finds another browser.
 */
export class Visitor {
  #visited: Visited['app'] | undefined;
  #jar = new CookieJar();

  constructor(
    private readonly site: Visited,
    private readonly userAgent = '',
  ) {}

  get #cookies(): CookieJar {
    if (this.#visited !== this.site.app) this.#jar = new CookieJar();
    this.#visited = this.site.app;
    return this.#jar;
  }

  async open(path: string): Promise<Response> {
    return this.#send(request(this.site.app).get(path));
  }

  /** The value of a cookie; undefined when there is none. */
  cookie(name: string): string | undefined {
    return this.#cookies.cookies.get(name);
  }

  /** Puts a cookie where the browser keeps them, as somebody who has copied it could. */
  setCookie(name: string, value: string): void {
    this.#cookies.cookies.set(name, value);
  }

  async #send(sending: Test): Promise<Response> {
    const jar = this.#cookies;
    if (jar.header !== '') sending.set('Cookie', jar.header);
    // A connection for each request, so that of many processes behind one port each has its turn.
    const answer = await sending.set({ Connection: 'close', 'User-Agent': this.userAgent });
    jar.keep(answer.get('Set-Cookie') ?? []);
    return answer;
  }

  /** Opens a page and sends the form on it that goes to `action`. */
  async submit(page: string, action: string, fields: Fields = {}): Promise<Response> {
    return this.post(action, { _csrf: readToken(await this.open(page)), ...fields });
  }

  /** @param address Where a proxy says that the request comes from. */
  async post(path: string, fields: Fields, address?: string): Promise<Response> {
    const sending = request(this.site.app).post(path).type('form');
    if (address !== undefined) sending.set('X-Forwarded-For', address);
    return this.#send(sending.send(fields));
  }

  async givePassword(
    username = 'alice',
    password = 'demo-password',
    address?: string,
  ): Promise<Response> {
    const _csrf = readToken(await this.open('/login'));
    return this.post('/login', { _csrf, username, password }, address);
  }

  async giveCode(pin: string): Promise<Response> {
    return this.submit('/second-factor/code', '/second-factor/code', { pin });
  }

  /** Both steps, with the code that the simulator has texted. */
  async logIn(username = 'alice', phone = ALICE_PHONE): Promise<Response> {
    const { simulator } = this.site;
    if (simulator === undefined) throw new Error('The code is not known here');
    await this.givePassword(username);
    return this.giveCode(readPin({ simulator }, phone));
  }

  /** Makes new recovery codes in the settings. */
  async makeCodes(): Promise<readonly string[]> {
    const page = await this.open('/second-factor/recovery-codes');
    const form = /name="form" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const { text } = await this.post('/second-factor/recovery-codes', {
      _csrf: readToken(page),
      form,
    });
    return Array.from(text.matchAll(/<li><code>([^<]+)<\/code>/g), ([, code]) => code ?? '');
  }

  /** A code for a number that is being added goes to where the form of the code's page says. */
  async answerCode(pin: string): Promise<Response> {
    return this.#answer('/second-factor/code', pin);
  }

  /** A code that approves a transfer. */
  async approve(pin: string): Promise<Response> {
    return this.#answer('/transfer/code', pin);
  }

  async #answer(path: string, pin: string): Promise<Response> {
    const page = await this.open(path);
    const action = /action="([^"]+)"\s+data-web-otp/.exec(page.text)?.[1] ?? '';
    const { pathname } = new URL(action, `http://localhost${path}`);
    return this.post(pathname, { _csrf: readToken(page), pin });
  }
}

/** The code in the newest text to a number. */
export function readPin({ simulator }: Pick<Site, 'simulator'>, phone = ALICE_PHONE): string {
  const pin = simulator.lastPin(phone);
  if (pin === undefined) throw new Error(`Nothing was texted to ${phone}`);
  return pin;
}

/** As many digits as the right code has, one of them wrong. */
export function readWrongPin(site: Pick<Site, 'simulator'>, phone = ALICE_PHONE): string {
  return wrongCode(readPin(site, phone));
}

/** The hidden field that every form of a page carries. */
export function readToken({ text }: Response): string {
  const token = /name="_csrf" value="([^"]+)"/.exec(text)?.[1];
  if (token === undefined) throw new Error('There is no form on the page');
  return token;
}

/** A page without its token, in which any digits may stand. */
export function readContent(page: Response): string {
  return page.text.replaceAll(readToken(page), '');
}

/** The one message of a page, or null. */
export function readNotice({ text }: Response): string | null {
  return /<p id="notice"[^>]*>([^<]*)</.exec(text)?.[1] ?? null;
}
