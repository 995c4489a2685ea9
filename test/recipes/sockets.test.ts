import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket as Connection } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryStore } from 'express-session';
import { Passport, type PassportStatic } from 'passport';
import { memoryStore } from 'passport-sms-otp';
import { GatewayClient } from 'passport-sms-otp/client';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { io, type Socket } from 'socket.io-client';
import { WebSocket } from 'ws';
import { createApp } from '../../docs/recipes/sockets';
import { CookieJar } from '../support/cookie-jar';
import { passwordOf, RECIPE_SECRETS, RecipeUsers } from './support/recipe-users';

const ORIGIN = 'https://bank.example';

/** Both processes share their stores; each has a registry of logins of its own. */
let urls: string[] = [];
let servers: Server[] = [];
let sim: GatewaySimulator;
let gateway: GatewayClient;
let isStoreDown = false;

beforeEach(async () => {
  isStoreDown = false;
  sim = await GatewaySimulator.start({ variant: 'A' });
  const { baseUrl, username, password } = sim;
  gateway = new GatewayClient({ baseUrl, variant: 'A', username, password });
  const memory = memoryStore();
  const { records } = memory;
  const store: typeof memory = {
    ...memory,
    records: {
      ...records,
      find: (record) =>
        isStoreDown ? Promise.reject(new Error('the store is down')) : records.find(record),
    },
  };
  const sessions = new MemoryStore();
  // The first one learns of an end by its own event alone, the second one asks each second.
  servers = [300, 1].map((checkEverySeconds) =>
    createApp({
      ...RECIPE_SECRETS,
      users: new RecipeUsers(),
      gateway,
      passport: new (Passport as unknown as new () => PassportStatic)(),
      origin: ORIGIN,
      store,
      sessions,
      checkEverySeconds,
    }),
  );
  urls = await Promise.all(servers.map(listen));
});

afterEach(async () => {
  for (const server of servers) {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }
  await gateway.close();
  await sim.close();
});

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address of this kind.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A browser: its cookies go to both processes, as behind a load balancer. */
class Browser {
  private readonly jar = new CookieJar();

  constructor(private readonly id = 'alice') {}

  async post(path: string, body: object = {}): Promise<Response> {
    const response = await fetch(`${urls[0]}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: this.jar.header },
      body: JSON.stringify(body),
    });
    this.jar.keep(response.headers.getSetCookie());
    return response;
  }

  async logIn(): Promise<this> {
    await this.post('/login', passwordOf(this.id));
    const pin = sim.lastPin(new RecipeUsers().phoneOf(this.id));
    const { status } = await this.post('/login/pin', { pin });
    if (status !== 200) throw new Error(`the code was refused: ${status}`);
    return this;
  }

  /** Whoever has copied the cookies. */
  copy(): Browser {
    const copy = new Browser(this.id);
    for (const [name, value] of this.jar.cookies) copy.jar.cookies.set(name, value);
    return copy;
  }

  openWebSocket(url = urls[0], origin = ORIGIN): WebSocket {
    const headers = { cookie: this.jar.header, origin };
    return new WebSocket(`${url?.replace('http', 'ws')}/live`, { headers });
  }

  openSocketIo(url = urls[0], origin = ORIGIN): Socket {
    return io(String(url), {
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      extraHeaders: { cookie: this.jar.header, origin },
    });
  }
}

/** A socket that has said whose it is; `closed` settles when the server has closed it. */
interface Opened {
  readonly hello: Promise<unknown>;
  readonly closed: Promise<unknown>;
}

const KINDS: [string, (browser: Browser, url?: string) => Opened][] = [
  [
    'ws',
    (browser, url) => {
      const socket = browser.openWebSocket(url);
      return {
        hello: once(socket, 'message').then(([data]) => JSON.parse(String(data)) as unknown),
        closed: once(socket, 'close').then(([code]) => code as unknown),
      };
    },
  ],
  [
    'socket.io',
    (browser, url) => {
      const socket = browser.openSocketIo(url);
      return {
        hello: new Promise((resolve) => socket.on('hello', resolve)),
        closed: new Promise((resolve) => socket.on('disconnect', resolve)),
      };
    },
  ],
];

const CLOSED = { ws: 1008, 'socket.io': 'io server disconnect' } as Record<string, unknown>;

describe.each(KINDS)('a socket of %s', (kind, open) => {
  it.each(['/logout', '/logout-everywhere'])(
    'is closed by %s in the same process',
    async (path) => {
      const browser = await new Browser().logIn();
      const { hello, closed } = open(browser);
      expect(await hello).toEqual({ id: 'alice' });
      await browser.post(path);
      expect(await closed).toBe(CLOSED[kind]);
    },
  );

  it('is closed in another process when that asks the store again', async () => {
    const browser = await new Browser().logIn();
    const { hello, closed } = open(browser, urls[1]);
    expect(await hello).toEqual({ id: 'alice' });
    await browser.post('/logout');
    expect(await closed).toBe(CLOSED[kind]);
  });

  it('is closed when the store does not answer for it', async () => {
    const browser = await new Browser().logIn();
    const { hello, closed } = open(browser, urls[1]);
    await hello;
    isStoreDown = true;
    expect(await closed).toBe(CLOSED[kind]);
  });

  it('of another user stays open', async () => {
    const [alice, bob] = [await new Browser().logIn(), await new Browser('bob').logIn()];
    const [hers, his] = [open(alice), open(bob)];
    expect([await hers.hello, await his.hello]).toEqual([{ id: 'alice' }, { id: 'bob' }]);
    await alice.post('/logout-everywhere');
    await hers.closed;
    await bob.post('/logout');
    expect(await his.closed).toBe(CLOSED[kind]);
  });
});

/** Why a socket was not opened. */
const refusalOf = {
  ws: async (browser: Browser, origin?: string) => {
    const [error] = await once(browser.openWebSocket(urls[0], origin), 'error');
    return (error as Error).message;
  },
  'socket.io': (browser: Browser, origin?: string) =>
    new Promise<string>((resolve) => {
      browser.openSocketIo(urls[0], origin).on('connect_error', ({ message }) => resolve(message));
    }),
};

describe('a socket is refused', () => {
  it('to a stranger, and while the code is out', async () => {
    const browser = new Browser();
    const refused = ['Unexpected server response: 401', 'second-factor-required'];
    const ask = async (): Promise<string[]> => [
      await refusalOf.ws(browser),
      await refusalOf['socket.io'](browser),
    ];
    expect(await ask()).toEqual(refused);
    await browser.post('/login', passwordOf('alice'));
    expect(await ask()).toEqual(refused);
  });

  it('to a page of another site, whose requests bring the same cookies', async () => {
    const browser = await new Browser().logIn();
    const other = 'https://evil.example';
    expect(await refusalOf.ws(browser, other)).toBe('Unexpected server response: 403');
    expect(await refusalOf['socket.io'](browser, other)).toBe('websocket error');
  });

  it('with the cookie of a login that has ended', async () => {
    const browser = await new Browser().logIn();
    const copy = browser.copy();
    await browser.post('/logout');
    expect(await refusalOf.ws(copy)).toBe('Unexpected server response: 401');
    expect(await refusalOf['socket.io'](copy)).toBe('second-factor-required');
  });

  it('with 503 while the store does not answer', async () => {
    const browser = await new Browser().logIn();
    isStoreDown = true;
    const socket = browser.openWebSocket(urls[1]);
    const [error] = await once(socket, 'error');
    expect((error as Error).message).toBe('Unexpected server response: 503');
  });
});

/** Asks for a socket as a program does that keeps to no protocol afterwards. */
async function ask(path: string): Promise<Connection> {
  const { hostname, port } = new URL(String(urls[0]));
  const connection = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  await once(connection, 'connect');
  const lines = [`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket'];
  connection.write(`${lines.join('\r\n')}\r\n\r\n`);
  return connection;
}

const PATHS = ['/live', '/socket.io/', '/elsewhere'];

describe('a stranger who asks for a socket', () => {
  it.each(PATHS)('at %s and stays is not waited for', async (path) => {
    const connection = await ask(path);
    const closed = new Promise<string>((resolve) => {
      connection.on('close', () => resolve('closed'));
    });
    // Until the server has closed it for good, what is written to it arrives.
    const nudge = setInterval(() => connection.write('.'), 50);
    connection.on('error', () => undefined).resume();
    expect(await closed).toBe('closed');
    clearInterval(nudge);
  });

  it.each(PATHS)('at %s and breaks off ends no process', async (path) => {
    const [waiting, answered] = [await ask(path), await ask(path)];
    waiting.resetAndDestroy();
    await once(answered, 'data');
    answered.resetAndDestroy();
    expect(await new Browser().logIn()).toBeInstanceOf(Browser);
  });
});
