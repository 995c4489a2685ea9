import type { Express } from 'express';
import type { GatewaySimulator } from 'passport-sms-otp/simulator';
import request, { type Response, type Test } from 'supertest';
import { ALICE_PHONE, type Site } from './site';

type Fields = Readonly<Record<string, string>>;

/**
 * Someone with a browser: keeps cookies, follows links, and sends forms with what is hidden in
 * them.
 */
export class Visitor {
  readonly #agent;
  readonly #simulator: GatewaySimulator | undefined;
  /** What browsers keep of a loopback address, and the agent does not send over plain http. */
  readonly #secureCookies = new Map<string, string>();

  constructor(
    { app, simulator }: { readonly app: Express | string; readonly simulator?: GatewaySimulator },
    userAgent = '',
  ) {
    this.#simulator = simulator;
    // A connection for each request, so that of many processes behind one port each has its turn.
    this.#agent = request.agent(app).set({ Connection: 'close', 'User-Agent': userAgent });
  }

  async open(path: string): Promise<Response> {
    return this.#send(this.#agent.get(path));
  }

  /** The value of a Secure cookie; undefined when there is none. */
  cookie(name: string): string | undefined {
    return this.#secureCookies.get(name);
  }

  /** Puts a Secure cookie where the browser keeps them, as somebody who has copied it could. */
  setCookie(name: string, value: string): void {
    this.#secureCookies.set(name, value);
  }

  async #send(sending: Test): Promise<Response> {
    for (const [name, value] of this.#secureCookies) sending.set('Cookie', `${name}=${value}`);
    const answer = await sending;
    for (const line of answer.get('Set-Cookie') ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*);.*\bSecure\b/.exec(line) ?? [];
      if (value === '') this.#secureCookies.delete(name);
      else this.#secureCookies.set(name, value);
    }
    return answer;
  }

  /** Opens a page and sends the form on it that goes to `action`. */
  async submit(page: string, action: string, fields: Fields = {}): Promise<Response> {
    return this.post(action, { _csrf: readToken(await this.open(page)), ...fields });
  }

  /** @param address Where a proxy says that the request comes from. */
  async post(path: string, fields: Fields, address?: string): Promise<Response> {
    const sending = this.#agent.post(path).type('form');
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
    return this.submit('/login/pin', '/login/pin', { pin });
  }

  /** Both steps, with the code that the simulator has texted. */
  async logIn(username = 'alice', phone = ALICE_PHONE): Promise<Response> {
    if (this.#simulator === undefined) throw new Error('The code is not known here');
    await this.givePassword(username);
    return this.giveCode(readPin({ simulator: this.#simulator }, phone));
  }

  /** Makes new recovery codes in the settings. */
  async makeCodes(): Promise<readonly string[]> {
    const page = await this.open('/settings/recovery-codes');
    const formId = /name="formId" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const { text } = await this.post('/settings/recovery-codes', {
      _csrf: readToken(page),
      formId,
    });
    return Array.from(text.matchAll(/<li><code>([^<]+)<\/code>/g), ([, code]) => code ?? '');
  }

  /**
   * A code for a number that is being added or a transfer goes to where the form of the code's page
   * says.
   */
  async answerCode(pin: string): Promise<Response> {
    const page = await this.open('/login/pin');
    const action = /action="([^"]+)" data-submit-once data-web-otp/.exec(page.text)?.[1] ?? '';
    return this.post(action, { _csrf: readToken(page), pin });
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
  const pin = readPin(site, phone);
  return `${pin.slice(0, -1)}${(Number(pin.at(-1)) + 1) % 10}`;
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
