import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readSent, Relay, type Relayed, type Sent } from './relay';

interface Servers {
  readonly provider: string;
  readonly client: string;
}

/** An authorization request that always leads to the pages of an interaction. */
const ALWAYS_ASKED = '/start?prompt=login';
const STEPS = 12;

/**
 * Stands in front of a provider and its client as the browser between them. The guarded page is
 * `/account`: what the client is told of who is there, and refused where the provider asks the user
 * for more first. Whatever else the checks ask for, the browser finds by the redirects of both, at
 * pages whose addresses have an id of their own for each interaction.
 */
export function createProviderFront(servers: Servers): RequestListener {
  return (req, res) => {
    answer(servers, req, res).catch(() => res.destroy()); // The check says that nothing was answered.
  };
}

async function answer(servers: Servers, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(String(req.url).replace(/^\/+/, '/'), servers.provider);
  const method = req.method ?? 'GET';
  const relay = new Relay(req);
  const front = new Front(servers, relay, method, await readSent(req));
  relay.answer(res, await front.ask(pathname, search));
}

class Front {
  constructor(
    private readonly servers: Servers,
    private readonly relay: Relay,
    private readonly method: string,
    private readonly sent: Sent,
  ) {}

  async ask(path: string, query: string): Promise<Relayed> {
    const { provider } = this.servers;
    const page = `${provider}/interaction/${this.relay.cookie('_interaction') ?? 'none'}`;
    if (path === '/account') return this.readAccount();
    if (path === '/login' && this.method !== 'POST') return this.start();
    if (path === '/login') return this.post(`${(await this.start()).url}/login${query}`);
    if (path === '/login/pin' && this.method !== 'POST') return this.follow(page);
    if (path === '/login/pin') return this.post(`${page}/pin${query}`);
    if (path === '/step-up') return this.post(`${(await this.start()).url}/step-up`);
    if (path === '/resend' || path === '/cancel') return this.post(page + path + query);
    if (path === '/logout') return this.logOut();
    return this.relay.ask(provider + path + query, this.method, this.sent);
  }

  private async readAccount(): Promise<Relayed> {
    const end = await this.follow(`${this.servers.client}/start`);
    return end.url.startsWith(this.servers.client) ? end : { ...end, status: 403 };
  }

  private start(): Promise<Relayed> {
    return this.follow(this.servers.client + ALWAYS_ASKED);
  }

  private async post(url: string): Promise<Relayed> {
    return this.goOn(await this.relay.ask(url, this.method, this.sent));
  }

  private async follow(url: string): Promise<Relayed> {
    return this.goOn(await this.relay.ask(url));
  }

  /** Follows redirects, and forms that send themselves, to where no one leads on. */
  private async goOn(first: Relayed): Promise<Relayed> {
    let at = first;
    for (let step = 0; step < STEPS; step += 1) {
      const [form] = /<form method="post" action="[^"]+">[\s\S]*/.exec(at.text) ?? [];
      if (at.location !== null) at = await this.relay.ask(new URL(at.location, at.url).href);
      else if (form !== undefined) at = await this.submit(form, {});
      else return at;
    }
    throw new Error(`the redirects do not end at ${at.url}`);
  }

  private async logOut(): Promise<Relayed> {
    const { text } = await this.relay.ask(`${this.servers.provider}/session/end`);
    return this.goOn(await this.submit(text, { logout: 'yes' }));
  }

  private submit(form: string, more: Readonly<Record<string, string>>): Promise<Relayed> {
    const [, action = ''] = /action="([^"]+)"/.exec(form) ?? [];
    // The token of the form may have a dash.
    const hidden = Array.from(
      form.matchAll(/name="(\w+)" value="([^"]*)"/g),
      ([, ...pair]) => pair,
    );
    const fields = new URLSearchParams({ ...Object.fromEntries(hidden), ...more } as Record<
      string,
      string
    >);
    const type = 'application/x-www-form-urlencoded';
    return this.relay.ask(action, 'POST', { type, body: fields.toString() });
  }
}
