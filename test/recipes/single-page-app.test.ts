import { describe, expect, it } from '@jest/globals';
import { createApp } from '../../docs/recipes/single-page-app';
import { createApi } from '../../docs/recipes/single-page-client';
import { wrongCode } from '../support/visit';
import { cookieFetch } from './support/cookie-fetch';
import { useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

describe('the recipe for single-page apps', () => {
  const site = useRecipe('A', createApp);

  const open = (fetch = cookieFetch()) => createApi(fetch, site.url);

  async function tokenOf(fetch: typeof globalThis.fetch): Promise<string> {
    const answer = (await (await fetch(`${site.url}/api/csrf-token`)).json()) as { token: string };
    return answer.token;
  }

  function postWith(fetch: typeof globalThis.fetch, token: string, path: string, body: object) {
    const headers = { 'content-type': 'application/json', 'x-csrf-token': token };
    return fetch(site.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  it('leads from the password over the code to the account, in JSON alone', async () => {
    const api = open();
    expect(await api.post('/api/login', passwordOf('alice'))).toMatchObject({
      status: 200,
      body: {
        pending: { purpose: 'login', maskedPhone: expect.stringMatching(/23$/) },
        verified: null,
      },
    });
    expect(await api.post('/api/login/pin', { pin: wrongCode(site.code()) })).toEqual({
      status: 401,
      body: { error: 'invalid-code' },
    });
    expect((await api.get('/api/account')).status).toBe(403);
    const right = await api.post('/api/login/pin', { pin: site.code() });
    expect(right).toMatchObject({
      status: 200,
      body: { pending: null, verified: { method: 'sms' } },
    });
    expect(await api.get('/api/account')).toEqual({ status: 200, body: { id: 'alice' } });
  });

  it('tells why nothing was sent', async () => {
    const api = open();
    await api.post('/api/login', passwordOf('bob'));
    const again = await api.post('/api/login/resend', {});
    expect(again).toMatchObject({ status: 429, body: { error: 'resend-too-soon' } });
    expect((await api.get('/api/login')).body).toMatchObject({ pending: { purpose: 'login' } });
  });

  it('refuses a wrong password', async () => {
    expect((await open().post('/api/login', { username: 'alice', password: 'no' })).status).toBe(
      401,
    );
  });

  it('refuses the token from before the password and the one from before the code', async () => {
    const fetch = cookieFetch();
    const early = await tokenOf(fetch);
    expect((await postWith(fetch, early, '/api/login', passwordOf('carol'))).status).toBe(200);
    const body = { pin: site.code('carol') };
    expect((await postWith(fetch, early, '/api/login/pin', body)).status).toBe(403);
    const waiting = await tokenOf(fetch);
    expect((await postWith(fetch, waiting, '/api/login/pin', body)).status).toBe(200);
    expect((await postWith(fetch, waiting, '/api/login/resend', {})).status).toBe(403);
    expect(new Set([early, waiting, await tokenOf(fetch)]).size).toBe(3);
  });

  it('refuses another site that has no token, and sends nothing', async () => {
    const { sent } = site.sim.stats();
    const fetch = cookieFetch();
    await tokenOf(fetch);
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const init = { method: 'POST', headers: { 'content-type': type } };
      const answer = await fetch(`${site.url}/api/login`, {
        ...init,
        body: JSON.stringify(passwordOf('dave')),
      });
      expect(answer.status).toBe(403);
    }
    expect(site.sim.stats().sent).toBe(sent);
  });
});
