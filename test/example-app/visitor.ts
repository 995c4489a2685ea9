import type { Express } from 'express';
import type { GatewaySimulator } from 'passport-sms-otp/simulator';
import request, { type Response } from 'supertest';
import { ALICE_PHONE, type Site } from './site';

type Fields = Readonly<Record<string, string>>;

/** Someone with a browser: keeps cookies, follows links, and sends forms with what is hidden in them. */
export class Visitor {
  readonly #agent;
  readonly #simulator: GatewaySimulator | undefined;

  constructor({ app, simulator }: { readonly app: Express | string; readonly simulator?: GatewaySimulator }) {
    this.#simulator = simulator;
    // A connection for each request, so that of many processes behind one port each has its turn.
    this.#agent = request.agent(app).set('Connection', 'close');
  }

  async open(path: string): Promise<Response> {
    return this.#agent.get(path);
  }

  /** Opens a page and sends the form on it that goes to `action`. */
  async submit(page: string, action: string, fields: Fields = {}): Promise<Response> {
    return this.post(action, { _csrf: readToken(await this.open(page)), ...fields });
  }

  async post(path: string, fields: Fields): Promise<Response> {
    return this.#agent.post(path).type('form').send(fields);
  }

  async givePassword(username = 'alice', password = 'demo-password'): Promise<Response> {
    return this.submit('/login', '/login', { username, password });
  }

  async giveCode(pin: string): Promise<Response> {
    return this.submit('/login/pin', '/login/pin', { pin });
  }

  /** Both steps, with the code that the simulator has texted. */
  async logIn(): Promise<Response> {
    if (this.#simulator === undefined) throw new Error('The code is not known here');
    await this.givePassword();
    return this.giveCode(readPin({ simulator: this.#simulator }));
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

/** The one message of a page, or null. */
export function readNotice({ text }: Response): string | null {
  return /<p id="notice"[^>]*>([^<]*)</.exec(text)?.[1] ?? null;
}
