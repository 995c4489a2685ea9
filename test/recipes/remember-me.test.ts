import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import type { Express } from 'express';
import type { RecipeParts } from '../../docs/recipes/parts';
import { RememberTokens } from '../../docs/recipes/remember-tokens';
import { ROOT } from '../package/packed/repository';
import { runNode } from '../package/packed/run';
import { createGate } from '../middleware/support/gate';
import { wrongCode } from '../support/visit';
import { type RecipeSite, useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

const OLD_PASSPORT = '../../node_modules/passport-remember-me/node_modules/passport';

const post = (agent: ReturnType<RecipeSite['agent']>, path: string, form: object = {}) =>
  agent.post(path).type('form').send(form);

async function createApp(parts: RecipeParts, tokens: RememberTokens): Promise<Express> {
  // What the `overrides` do that the page asks for: one Passport for all.
  jest.doMock(OLD_PASSPORT, () => jest.requireActual('passport'));
  const recipe = await import('../../docs/recipes/remember-me');
  return recipe.createApp({ ...parts, tokens, isHttps: false });
}

describe('the recipe for remember-me', () => {
  const tokens = new RememberTokens();
  const site = useRecipe('A', (parts) => createApp(parts, tokens));

  /** The token of the cookie that an answer sets, or undefined. */
  function cookieOf(answer: { readonly headers: Record<string, unknown> }): string | undefined {
    return /remember_me=([\w-]+)/.exec(String(answer.headers['set-cookie']))?.[1];
  }

  /** Logs in and ticks the box. Gives the cookie's token. */
  async function remember(id: string): Promise<string> {
    const agent = site.agent();
    await post(agent, '/login', passwordOf(id));
    return (
      cookieOf(await post(agent, '/login/pin', { pin: site.code(id), remember: 'on' })) ?? 'none'
    );
  }

  /** A browser that has nothing but the cookie. */
  const holding = (token: string) => site.agent().set('cookie', `remember_me=${token}`);

  it('makes the cookie after the right code, and only when it was asked for', async () => {
    const agent = site.agent();
    await post(agent, '/login', passwordOf('alice'));
    const wrong = await post(agent, '/login/pin', { pin: wrongCode(site.code()), remember: 'on' });
    expect([wrong.status, cookieOf(wrong)]).toEqual([303, undefined]);
    const right = await post(agent, '/login/pin', { pin: site.code(), remember: 'on' });
    expect([right.status, right.headers.location]).toEqual([303, '/account']);
    expect(String(right.headers['set-cookie'])).toMatch(
      /remember_me=[\w-]{43};.*HttpOnly; SameSite=Lax/,
    );
    const other = site.agent();
    await post(other, '/login', passwordOf('bob'));
    expect(cookieOf(await post(other, '/login/pin', { pin: site.code('bob') }))).toBeUndefined();
  });

  it('makes none after the password, whatever is ticked: who goes away then comes back a stranger', async () => {
    const agent = site.agent();
    const password = await post(agent, '/login', { ...passwordOf('carol'), remember: 'on' });
    expect([password.status, cookieOf(password)]).toEqual([303, undefined]);
    expect((await agent.get('/account')).status).toBe(403);
  });

  it('lets the cookie stand for the password and never for the code', async () => {
    const agent = holding(await remember('dave'));
    expect((await agent.get('/account')).status).toBe(403);
    const back = await post(agent, '/login/remembered');
    expect([back.status, back.headers.location]).toEqual([303, '/login/pin']);
    expect((await agent.get('/account')).status).toBe(403);
    const pin = { pin: site.code('dave') };
    expect((await post(agent, '/login/pin', pin)).headers.location).toBe('/account');
    expect((await agent.get('/account')).body).toEqual({ id: 'dave' });
  });

  it('takes every cookie once, and a made-up one or none never', async () => {
    const token = await tokens.give('erin');
    expect((await post(holding(token), '/login/remembered')).headers.location).toBe('/login/pin');
    const { sent } = site.sim.stats();
    for (const agent of [holding(token), holding('x'.repeat(43)), holding(''), site.agent()]) {
      expect((await post(agent, '/login/remembered')).headers.location).toBe('/login');
      expect((await agent.get('/account')).status).toBe(403);
    }
    expect(site.sim.stats().sent).toBe(sent);
  });

  it('takes no cookie after a logout, nor of somebody who is gone', async () => {
    const agent = site.agent();
    await post(agent, '/login', passwordOf('frank'));
    const form = { pin: site.code('frank'), remember: 'on' };
    const token = cookieOf(await post(agent, '/login/pin', form)) ?? 'none';
    const elsewhere = await tokens.give('frank');
    expect((await post(agent, '/logout')).headers.location).toBe('/');
    for (const stolen of [token, elsewhere]) {
      expect((await post(holding(stolen), '/login/remembered')).headers.location).toBe('/login');
    }
    const ofNobody = await tokens.give('mallory');
    expect((await post(holding(ofNobody), '/login/remembered')).headers.location).toBe('/login');
  });

  it('does not start beside Passport 0.1, which passport-remember-me brings and which renews no session', async () => {
    const child = join(__dirname, 'support/old-passport-child.ts');
    const { status, stderr } = await runNode(['--require', 'tsx/cjs', child], ROOT);
    expect([status, stderr]).toEqual([1, expect.stringContaining('An old Passport is loaded')]);
  });
});

describe('the logout of the recipe for remember-me', () => {
  const slowCart = createGate();
  const site = useRecipe('A', async (parts) => {
    const app = await createApp(parts, new RememberTokens());
    app.post('/cart', (req, res, next) => {
      Object.assign(req.session, { cart: ['book'] });
      slowCart.pass().then(() => res.sendStatus(204), next);
    });
    return app;
  });

  it('is final: a request that saves the session after it brings no login back', async () => {
    const owner = site.agent();
    await post(owner, '/login', passwordOf('alice'));
    const verified = await post(owner, '/login/pin', { pin: site.code() });
    const attacker = site.agent();
    attacker.jar.setCookies(verified.headers['set-cookie'] ?? '');
    expect((await attacker.get('/account')).status).toBe(200);
    const slow = slowCart.holdNext();
    const late = post(attacker, '/cart').then(({ status }) => status);
    await slow.arrived;
    expect((await post(owner, '/logout')).headers.location).toBe('/');
    slow.release();
    expect(await late).toBe(204);
    expect((await attacker.get('/account')).status).toBe(401);
  });

  it('ends a login that waits for its code', async () => {
    const owner = site.agent();
    const password = await post(owner, '/login', passwordOf('bob'));
    const attacker = site.agent();
    attacker.jar.setCookies(password.headers['set-cookie'] ?? '');
    const slow = slowCart.holdNext();
    const late = post(attacker, '/cart').then(({ status }) => status);
    await slow.arrived;
    await post(owner, '/logout');
    slow.release();
    await late;
    await post(attacker, '/login/pin', { pin: site.code('bob') });
    expect((await attacker.get('/account')).status).toBe(403);
  });
});
