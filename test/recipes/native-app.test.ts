import { describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { createApp } from '../../docs/recipes/native-app';
import { useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

describe('the recipe for apps without cookies', () => {
  const site = useRecipe('A', createApp);

  /** A client that keeps no cookie, and the value of one header. */
  class Client {
    session = '';

    async ask(method: 'get' | 'post', path: string, body?: object): Promise<Response> {
      // A new agent for each request: none keeps a cookie.
      const asked = site.agent()[method](path).set('x-session', this.session);
      const answer = await (body === undefined ? asked : asked.send(body));
      const next: unknown = answer.headers['x-session'];
      if (typeof next === 'string') this.session = next;
      return answer;
    }

    async logIn(id: string): Promise<void> {
      await this.ask('post', '/login', passwordOf(id));
      await this.ask('post', '/login/pin', { pin: site.code(id) });
    }

    async readAccount(): Promise<number> {
      return (await this.ask('get', '/api/account')).status;
    }
  }

  it('logs in by a header alone, and gets no cookie', async () => {
    const client = new Client();
    const begun = await client.ask('post', '/login', passwordOf('alice'));
    expect(begun.body).toMatchObject({ pending: { isSent: true } });
    const answer = await client.ask('post', '/login/pin', { pin: site.code('alice') });
    expect([begun, answer].map(({ headers }) => headers['set-cookie'])).toEqual([
      undefined,
      undefined,
    ]);
    const { body } = await client.ask('get', '/api/account');
    expect(body).toEqual({ id: 'alice' });
    expect((await client.ask('post', '/logout')).status).toBe(204);
    expect(await client.readAccount()).toBe(403);
  });

  it('gives another session at the password and at the code, and the ones before are worth nothing', async () => {
    const client = new Client();
    await client.ask('post', '/login', passwordOf('bob'));
    const afterPassword = client.session;
    expect(await client.readAccount()).toBe(403);
    await client.ask('post', '/login/pin', { pin: site.code('bob') });
    expect(client.session).not.toBe(afterPassword);
    const thief = new Client();
    thief.session = afterPassword;
    expect(await thief.readAccount()).toBe(403);
  });

  it('adopts no session that the server has not issued', async () => {
    const planted = 's%3Aplanted.c2lnbmF0dXJl';
    for (const value of [planted, 'planted', 'x; connect.sid=planted', '__proto__']) {
      const victim = new Client();
      victim.session = value;
      await victim.logIn('carol');
      expect(victim.session).not.toBe(value);
      const thief = new Client();
      thief.session = value;
      expect(await thief.readAccount()).toBe(403);
    }
  });

  it('ends on a phone that was lost', async () => {
    const lost = new Client();
    await lost.logIn('dave');
    const kept = new Client();
    await kept.logIn('dave');
    const { body } = await kept.ask('post', '/api/logins/end');
    expect(body).toEqual({ ended: 1 });
    expect(await lost.readAccount()).toBe(401);
    expect(await kept.readAccount()).toBe(200);
  });

  it('leaves browsers their cookie: a request that has one is not read by the header', async () => {
    const client = new Client();
    await client.logIn('erin');
    const answer = await site
      .agent()
      .get('/api/account')
      .set('cookie', 'theme=dark')
      .set('x-session', client.session);
    expect(answer.status).toBe(403);
    const browser = site.agent();
    const login = await browser.post('/login').send(passwordOf('frank'));
    expect([login.headers['x-session'], login.headers['set-cookie']]).toEqual([
      undefined,
      expect.anything(),
    ]);
  });

  it('lets no other site send the header: a preflight is told nothing', async () => {
    const { headers } = await site
      .agent()
      .options('/api/account')
      .set('origin', 'https://evil.example')
      .set('access-control-request-headers', 'x-session');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});
