import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { closeLater } from '../client/support/cleanup';
import { runCli, runWhile, type Ended } from './support/terminal';

/** What the command prints, and a browser of its app. */
interface Demo {
  readonly shown: string;
  readonly app: string;
  readonly inbox: string;
}

/** Starts the demo by the command, and does something with it. */
function demo(
  use: (demo: Demo) => Promise<void>,
  argv: readonly string[] = ['--port', '0'],
): Promise<Ended> {
  return runWhile(['demo', ...argv], (shown) => {
    const read = (name: string): string =>
      new RegExp(`^  ${name} +(\\S+)`, 'm').exec(shown)?.[1] ?? '';
    return use({ shown, app: read('app'), inbox: read('inbox') });
  });
}

/** A browser that keeps its cookies and follows no redirect. */
function browse(app: string) {
  const cookies = new Map<string, string>();
  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const Cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const headers = new Headers(init.headers);
    headers.set('Cookie', Cookie);
    if (!headers.has('Sec-Fetch-Site')) headers.set('Sec-Fetch-Site', 'same-origin');
    const answer = await fetch(new URL(path, app), { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return answer;
  }
  return {
    get: (path: string) => ask(path),
    post: (
      path: string,
      fields: Record<string, string> = {},
      headers: Record<string, string> = {},
    ) => ask(path, { method: 'POST', body: new URLSearchParams(fields), headers }),
  };
}

const PASSWORD = { username: 'alice', password: 'demo-password' };

/** The code of the newest message. */
async function readCode(inbox: string): Promise<string> {
  const messages = await (await fetch(`${inbox}/messages`)).text();
  return /\b(\d{4,10}) is your/.exec(messages)?.[1] ?? '';
}

describe('demo', () => {
  it('prints where the app and the inbox are, and whom to log in as', async () => {
    const { code, stderr } = await demo(async ({ shown, app, inbox }) => {
      expect(shown).toContain('alice');
      expect(shown).toContain('demo-password');
      expect(app).toMatch(/^http:\/\/localhost:\d+\/$/);
      expect(await (await fetch(inbox)).text()).toContain('<html');
      const page = await fetch(app);
      expect(page.url).toBe(`${app}login`);
      expect(await page.text()).toContain('<form method="post" action="/login">');
    });
    expect([code, stderr]).toEqual([0, '']);
  });

  it('shows an error for a wrong password, and none for a first visit', async () => {
    await demo(async ({ app }) => {
      const browser = browse(app);
      // `fetch` says that it is a script, whose pages the guard does not keep.
      const [sent] = (await once(get(`${app}account`), 'response')) as [IncomingMessage];
      const Cookie = String(sent.headers['set-cookie']).replace(/;.*/, '');
      const login = await fetch(`${app}login`, { headers: { Cookie } });
      expect(await login.text()).toContain('class="notice info"');
      await browser.post('/login', { ...PASSWORD, password: 'wrong' });
      expect(await (await browser.get('/login')).text()).toContain('class="notice error"');
    });
  });

  it('logs in with the code of the inbox, and out', async () => {
    await demo(async ({ app, inbox }) => {
      const browser = browse(app);
      const password = await browser.post('/login', PASSWORD);
      expect([password.status, password.headers.get('location')]).toEqual([
        303,
        '/second-factor/code',
      ]);
      expect(await (await browser.get('/second-factor/code')).text()).toContain('ending in 23');
      expect((await browser.get('/account')).headers.get('location')).toBe('/second-factor/code');
      const wrong = await browser.post('/second-factor/code', { pin: '0000000000' });
      expect(wrong.headers.get('location')).toBe('/second-factor/code');
      expect(await (await browser.get('/second-factor/code')).text()).toContain(
        'That code is not correct.',
      );
      const right = await browser.post('/second-factor/code', { pin: await readCode(inbox) });
      expect(right.headers.get('location')).toBe('/account');
      expect(await (await browser.get('/account')).text()).toContain('Hello, Alice');
      expect((await browser.post('/logout')).headers.get('location')).toBe('/login');
      expect((await browser.get('/account')).headers.get('location')).toBe('/login');
    });
  });

  it('resends and cancels', async () => {
    await demo(async ({ app }) => {
      const browser = browse(app);
      await browser.post('/login', PASSWORD);
      await browser.post('/second-factor/resend');
      expect(await (await browser.get('/second-factor/code')).text()).toContain('too soon');
      expect((await browser.post('/second-factor/cancel')).headers.get('location')).toBe('/login');
      const over = await (await browser.get('/second-factor/code')).text();
      expect(over).toContain('href="/login"');
    });
  });

  it('says that a password is wrong, and takes no form of another site', async () => {
    await demo(async ({ app }) => {
      const browser = browse(app);
      const wrong = await browser.post('/login', { ...PASSWORD, password: 'guess' });
      expect(wrong.headers.get('location')).toBe('/login');
      expect(await (await browser.get('/login')).text()).toContain('Wrong user name');
      for (const site of ['cross-site', 'same-site']) {
        const forged = await browser.post('/login', PASSWORD, { 'Sec-Fetch-Site': site });
        expect(forged.status).toBe(403);
      }
    });
  });

  it('reports a port that is taken, and refuses what is none', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    closeLater(async () => {
      server.close();
      await once(server, 'close');
    });
    // A server that listens on a port has an address of this kind.
    const { port } = server.address() as AddressInfo;
    const taken = await runCli(['demo', '--port', String(port)]);
    expect(taken).toMatchObject({ code: 1, stdout: '' });
    expect(taken.stderr).toContain('The port is in use.');
    expect(taken.stderr).toContain('--port');
    const invalid = await runCli(['demo', '--port', '65536']);
    expect(invalid).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--port must be a whole number from 0 to 65535'),
    });
  });
});
