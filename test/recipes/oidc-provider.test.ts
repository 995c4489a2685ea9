import { describe, expect, it } from '@jest/globals';
import { wrongCode } from '../support/visit';
import { cookieFetch } from './support/cookie-fetch';
import { passwordOf } from './support/recipe-users';
import { useChild } from './support/start-child';

type Fetch = typeof globalThis.fetch;
type Json = Readonly<Record<string, unknown>>;

const ESSENTIAL_PHR = JSON.stringify({ id_token: { acr: { essential: true, values: ['phr'] } } });

describe('the recipe for oidc-provider', () => {
  const site = useChild('oidc-provider-child.ts');

  /**
   * Moves the clock of provider and client, beyond the gap between two texts. Returns the time in
   * seconds.
   */
  async function advance(seconds: number): Promise<number> {
    const answer = await fetch(`${site.url('client')}/advance/${seconds}`, { method: 'POST' });
    return ((await answer.json()) as { now: number }).now;
  }

  /** Follows redirects to the page of an interaction, or to what the client makes of its end. */
  async function follow(browser: Fetch, from: string): Promise<{ page: string; body: Json }> {
    let page = from;
    for (let step = 0; step < 10; step += 1) {
      const answer = await browser(page);
      const location = answer.headers.get('location');
      if (location === null) return { page, body: (await answer.json()) as Json };
      page = new URL(location, page).href;
    }
    throw new Error(`the redirects do not end at ${page}`);
  }

  /** From the client to the provider, with parameters of an authorization request. */
  function authorize(
    browser: Fetch,
    asked: Record<string, string> = {},
  ): ReturnType<typeof follow> {
    return follow(browser, `${site.url('client')}/start?${new URLSearchParams(asked).toString()}`);
  }

  async function post(
    browser: Fetch,
    url: string,
    body: object = {},
  ): Promise<{ status: number; body: Json }> {
    const headers = { 'content-type': 'application/json' };
    const answer = await browser(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const location = answer.headers.get('location');
    if (location !== null)
      return {
        status: answer.status,
        body: (await follow(browser, new URL(location, url).href)).body,
      };
    return { status: answer.status, body: (await answer.json()) as Json };
  }

  /** A browser whose user has logged in for the client, and the claims that it got. */
  async function logIn(id: string): Promise<{ browser: Fetch; claims: Json }> {
    await advance(400);
    const browser = cookieFetch();
    const { page } = await authorize(browser);
    const { body } = await post(browser, `${page}/login`, passwordOf(id));
    await askForText(browser, page, body);
    const { body: claims } = await post(browser, `${page}/pin`, { pin: site.code(id) });
    expect(claims).toMatchObject({ sub: id, acr: 'mfa' });
    await advance(100);
    return { browser, claims };
  }

  /** Users of a passkey are texted when they ask for it. */
  async function askForText(browser: Fetch, page: string, { pending }: Json): Promise<void> {
    if (Object(pending).isSent === false) await post(browser, `${page}/resend`);
  }

  async function stepUp(browser: Fetch, page: string): Promise<void> {
    const { status, body } = await post(browser, `${page}/step-up`);
    expect(status).toBe(200);
    await askForText(browser, page, body);
  }

  /** Answers the challenge as a passkey does. Returns what the client is told. */
  async function sign(browser: Fetch, page: string): Promise<Json> {
    const { body } = await post(browser, `${page}/passkey/options`);
    return (await post(browser, `${page}/passkey`, { pin: { signed: body.challenge } })).body;
  }

  it('logs in with password and code, and says so in the ID token', async () => {
    const now = await advance(1);
    const browser = cookieFetch();
    const { page, body } = await authorize(browser);
    expect(page).toMatch(/\/interaction\/[\w-]+$/);
    expect(body).toMatchObject({ isLoggedIn: false, pending: null });
    expect(await post(browser, `${page}/login`, passwordOf('alice'))).toMatchObject({
      status: 200,
    });
    expect(
      await post(browser, `${page}/pin`, { pin: wrongCode(site.code('alice')) }),
    ).toMatchObject({
      status: 401,
    });
    const { body: claims } = await post(browser, `${page}/pin`, { pin: site.code('alice') });
    expect(claims).toMatchObject({
      iss: site.url('provider'),
      sub: 'alice',
      acr: 'mfa',
      amr: ['pwd', 'sms'],
    });
    expect(claims.auth_time).toBeGreaterThanOrEqual(now);
  });

  it('asks nothing again where nothing is asked for, and auth_time stays that of the second factor', async () => {
    const { browser, claims } = await logIn('bob');
    const { body } = await authorize(browser);
    expect(body).toMatchObject({ sub: 'bob', acr: 'mfa', auth_time: claims.auth_time });
    expect(Number(body.iat) - Number(body.auth_time)).toBeGreaterThanOrEqual(100);
  });

  it.each([
    ['max_age=0', { max_age: '0' }],
    ['a max_age that has passed', { max_age: '99' }],
    ['prompt=login', { prompt: 'login' }],
  ])('asks for a new second factor after %s', async (_title, asked) => {
    const { browser, claims } = await logIn('dave');
    const { page, body } = await authorize(browser, asked);
    expect(body).toMatchObject({ isLoggedIn: true, pending: null });
    expect(await post(browser, `${page}/step-up`)).toMatchObject({ status: 200 });
    const { body: renewed } = await post(browser, `${page}/pin`, { pin: site.code('dave') });
    expect(renewed).toMatchObject({ sub: 'dave', acr: 'mfa' });
    expect(Number(renewed.auth_time) - Number(claims.auth_time)).toBeGreaterThanOrEqual(100);
  });

  it('asks for none where max_age has not passed', async () => {
    const { browser, claims } = await logIn('erin');
    expect((await authorize(browser, { max_age: '200' })).body).toMatchObject({
      auth_time: claims.auth_time,
    });
  });

  it('takes a new login as the answer to prompt=login, too', async () => {
    const { browser, claims } = await logIn('erin');
    const { page } = await authorize(browser, { prompt: 'login' });
    expect(await post(browser, `${page}/login`, passwordOf('erin'))).toMatchObject({ status: 200 });
    const { body: renewed } = await post(browser, `${page}/pin`, { pin: site.code('erin') });
    expect(Number(renewed.auth_time)).toBeGreaterThan(Number(claims.auth_time));
  });

  it('does not take a text for an essential phr, and takes a passkey', async () => {
    const { browser } = await logIn('frank');
    const { page, body } = await authorize(browser, { claims: ESSENTIAL_PHR });
    expect(body).toMatchObject({ isLoggedIn: true, acr: { values: ['phr'], isEssential: true } });
    await stepUp(browser, page);
    const refused = { status: 403, body: { error: 'second-factor-required', acr: ['phr'] } };
    expect(await post(browser, `${page}/pin`, { pin: site.code('frank') })).toEqual(refused);
    expect((await follow(browser, page)).body).toMatchObject({ isLoggedIn: true });
    await advance(400);
    await post(browser, `${page}/step-up`);
    expect(await sign(browser, page)).toMatchObject({
      sub: 'frank',
      acr: 'phr',
      amr: ['pwd', 'pop'],
    });
    expect((await authorize(browser, { claims: ESSENTIAL_PHR })).body).toMatchObject({
      acr: 'phr',
    });
  });

  it('knows a second factor that the provider does not know of, and tells when it was passed', async () => {
    const { browser, claims } = await logIn('frank');
    const { page } = await authorize(browser, { claims: ESSENTIAL_PHR });
    await stepUp(browser, page);
    expect((await post(browser, `${page}/pin`, { pin: site.code('frank') })).status).toBe(403);
    const now = await advance(50);
    const { body } = await authorize(browser, { max_age: '90' });
    expect(body).toMatchObject({ sub: 'frank', acr: 'mfa' });
    expect(now - Number(body.auth_time)).toBeGreaterThanOrEqual(50);
    expect(Number(body.auth_time)).toBeGreaterThan(Number(claims.auth_time));
  });

  it('tells the client that an essential phr cannot be had, and an acr_values beside it changes nothing', async () => {
    const { browser } = await logIn('alice');
    const { page } = await authorize(browser, { claims: ESSENTIAL_PHR, acr_values: 'mfa' });
    expect(page).toContain('/interaction/');
    expect((await post(browser, `${page}/cancel`)).body).toEqual({
      error: 'unmet_authentication_requirements',
    });
  });

  it('answers acr_values that a text cannot meet with the truth: the client sees mfa', async () => {
    const { browser } = await logIn('bob');
    const { page, body } = await authorize(browser, { acr_values: 'phr' });
    expect(body).toMatchObject({ isLoggedIn: true, acr: { values: ['phr'], isEssential: false } });
    await stepUp(browser, page);
    expect((await post(browser, `${page}/pin`, { pin: site.code('bob') })).body).toMatchObject({
      acr: 'mfa',
    });
  });

  it('answers acr_values with a passkey where the user has one, texts nothing, and asks no more', async () => {
    const { browser } = await logIn('carol');
    const { page } = await authorize(browser, { acr_values: 'phrh phr' });
    const { sent } = site.sim.stats();
    await post(browser, `${page}/step-up`);
    expect(await sign(browser, page)).toMatchObject({ acr: 'phr' });
    expect((await authorize(browser, { acr_values: 'phr' })).body).toMatchObject({ acr: 'phr' });
    expect((await authorize(browser, { acr_values: 'mfa phr' })).body).toMatchObject({
      acr: 'phr',
    });
    expect(site.sim.stats().sent).toBe(sent);
  });

  it('refuses a route for clients with the challenge that leads to the passkey', async () => {
    const { browser } = await logIn('carol');
    const balance = new URL('/api/balance', site.url('provider')).href;
    const refused = await browser(balance);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('acr_values="phr", max_age="300"');
    const { page } = await authorize(browser, { acr_values: 'phr', max_age: '300' });
    await post(browser, `${page}/step-up`);
    await sign(browser, page);
    expect((await browser(balance)).status).toBe(200);
  });

  it('forgets the second factor with a logout at the provider', async () => {
    const { browser } = await logIn('dave');
    const confirmation = await (await browser(`${site.url('provider')}/session/end`)).text();
    const xsrf = /name="xsrf" value="(\w+)"/.exec(confirmation)?.[1] ?? 'none';
    const body = new URLSearchParams({ xsrf, logout: 'yes' });
    const ended = await browser(`${site.url('provider')}/session/end/confirm`, {
      method: 'POST',
      body,
    });
    expect(ended.status).toBe(303);
    expect((await authorize(browser)).body).toMatchObject({ isLoggedIn: false });
  });

  it.each([
    ['without the form’s token', false, 400],
    ['that says no', true, 303],
  ])('logs nobody out by a POST %s', async (_what, hasToken, status) => {
    const { browser } = await logIn('dave');
    const confirmation = await (await browser(`${site.url('provider')}/session/end`)).text();
    const xsrf = /name="xsrf" value="(\w+)"/.exec(confirmation)?.[1] ?? 'none';
    const body = new URLSearchParams(hasToken ? { xsrf } : { logout: 'yes' });
    const answer = await browser(`${site.url('provider')}/session/end/confirm`, {
      method: 'POST',
      body,
    });
    expect(answer.status).toBe(status);
    expect((await authorize(browser, { prompt: 'login' })).body).toMatchObject({
      isLoggedIn: true,
    });
  });

  it('asks for a new login where the client asks for another account', async () => {
    const { browser } = await logIn('bob');
    const claims = JSON.stringify({ id_token: { sub: { value: 'erin' } } });
    const { page, body } = await authorize(browser, { claims });
    expect(body).toMatchObject({ isLoggedIn: true, pending: null });
    await advance(400);
    expect((await post(browser, `${page}/login`, passwordOf('erin'))).status).toBe(200);
  });

  it('gives no ID token for a last redirect that was kept until the login had ended', async () => {
    await advance(400);
    const browser = cookieFetch();
    const { page } = await authorize(browser);
    await post(browser, `${page}/login`, passwordOf('alice'));
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ pin: site.code('alice') });
    const right = await browser(`${page}/pin`, { method: 'POST', headers, body });
    const kept = new URL(right.headers.get('location') ?? '', page).href;
    // Another password in the same browser ends the login of Alice.
    expect((await post(browser, `${page}/login`, passwordOf('bob'))).status).toBe(200);
    const { page: next, body: shown } = await follow(browser, kept);
    expect(next).toContain('/interaction/');
    expect(shown).toMatchObject({ isLoggedIn: false });
  });

  it('lets nobody but its browser go on with an interaction', async () => {
    const { page } = await authorize(cookieFetch());
    const { browser } = await logIn('erin');
    expect((await browser(page)).status).toBe(400);
    expect((await browser(`${page}/cancel`, { method: 'POST' })).status).toBe(400);
  });
});
