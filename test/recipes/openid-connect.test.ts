import { describe, expect, it } from '@jest/globals';
import { wrongCode } from '../support/visit';
import { cookieFetch } from './support/cookie-fetch';
import { walkToProvider } from './support/openid-front';
import { useChild } from './support/start-child';

type Fetch = typeof globalThis.fetch;

describe('the recipe for OpenID Connect', () => {
  const site = useChild('openid-child.ts');

  /**
   * From the app to the provider and through its pages. Gives the address that the provider sends
   * the browser back to.
   */
  function authenticate(fetch: Fetch, name: string): Promise<string> {
    const app = site.url('app');
    return walkToProvider(fetch, `${app}/login/openid`, { name, back: `${app}/login/callback` });
  }

  function enter(fetch: Fetch, pin: string): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return fetch(`${site.url('app')}/login/pin`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ pin }),
    });
  }

  async function statusOf(fetch: Fetch, path = '/account'): Promise<number> {
    return (await fetch(site.url('app') + path)).status;
  }

  it('leads from the provider over the code to the account', async () => {
    const fetch = cookieFetch();
    const back = await fetch(await authenticate(fetch, 'subject-alice'));
    expect([back.status, back.headers.get('location')]).toEqual([303, '/login/pin']);
    expect(await statusOf(fetch)).toBe(403);
    expect((await enter(fetch, wrongCode(site.code('alice')))).status).toBe(401);
    expect(await statusOf(fetch)).toBe(403);
    expect((await enter(fetch, site.code('alice'))).status).toBe(200);
    expect(await (await fetch(`${site.url('app')}/account`)).json()).toEqual({ id: 'alice' });
  });

  /**
   * From the app's settings to the provider, where the browser is logged out, and back. Gives the
   * address to come back to.
   */
  function authorize(fetch: Fetch, name: string): Promise<string> {
    const settings = `${site.url('app')}/settings/link`;
    const atProvider = cookieFetch();
    const walk: Fetch = (url, init) =>
      (typeof url === 'string' && url.startsWith(site.url('app')) ? fetch : atProvider)(url, init);
    return walkToProvider(walk, settings, { name, back: `${settings}/callback` });
  }

  async function logIn(id: string): Promise<Fetch> {
    const fetch = cookieFetch();
    await fetch(await authenticate(fetch, `subject-${id}`));
    expect((await enter(fetch, site.code(id))).status).toBe(200);
    return fetch;
  }

  it('links another account of the logged-in user, who stays in and is sent no message', async () => {
    const fetch = await logIn('carol');
    const { sent } = site.sim.stats();
    const linked = await fetch(await authorize(fetch, 'carol-at-work'));
    expect([linked.status, await linked.json()]).toEqual([200, { isLinked: true }]);
    expect(await (await fetch(`${site.url('app')}/account`)).json()).toEqual({ id: 'carol' });
    expect(site.sim.stats().sent).toBe(sent);
    // The way in that was linked asks for the code like any other.
    const other = cookieFetch();
    const back = await other(await authenticate(other, 'carol-at-work'));
    expect([back.status, await statusOf(other)]).toEqual([303, 403]);
  });

  it('links nothing for someone without a second factor, nor an account of another user', async () => {
    expect(await statusOf(cookieFetch(), '/settings/link')).toBe(403);
    const fetch = await logIn('dave');
    const own = await authorize(fetch, 'dave-at-work');
    expect((await cookieFetch()(own)).status).toBe(403);
    const foreign = await fetch(await authorize(fetch, 'subject-erin'));
    expect([foreign.status, await foreign.json()]).toEqual([409, { isLinked: false }]);
  });

  it('knows nobody by an e-mail address, and sends nothing', async () => {
    const { sent } = site.sim.stats();
    const fetch = cookieFetch();
    const back = await fetch(await authenticate(fetch, 'stranger'));
    expect([back.status, await statusOf(fetch), site.sim.stats().sent]).toEqual([401, 403, sent]);
  });

  it("refuses the answer that the provider gave to somebody else's browser, and the same answer twice", async () => {
    const attacker = cookieFetch();
    const own = await authenticate(attacker, 'subject-bob');
    const victim = cookieFetch();
    await victim(`${site.url('app')}/login/openid`);
    const { sent } = site.sim.stats();
    expect((await victim(own)).status).toBeGreaterThanOrEqual(400);
    expect((await cookieFetch()(own)).status).toBe(401);
    expect([await statusOf(victim), site.sim.stats().sent]).toEqual([403, sent]);
    const mine = await authenticate(attacker, 'subject-bob');
    expect((await attacker(mine)).status).toBe(303);
    expect((await attacker(mine)).status).toBe(401);
  });
});
