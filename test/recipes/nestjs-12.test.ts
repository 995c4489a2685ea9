import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT } from '../package/packed/repository';
import { wrongCode } from '../support/visit';
import { cookieFetch } from './support/cookie-fetch';
import { passwordOf } from './support/recipe-users';
import { useChild } from './support/start-child';

const FOLDER = join(__dirname, 'nestjs-12');

/** The recipe, where NestJS is version 12; all other packages are those of the repository. */
function copyRecipe(): void {
  mkdirSync(join(FOLDER, 'app'), { recursive: true });
  for (const file of ['nestjs.ts', 'nestjs-app.ts', 'first-factor.ts', 'parts.ts'])
    copyFileSync(join(ROOT, 'docs/recipes', file), join(FOLDER, 'app', file));
}

/** `npm run nestjs-12` installs it: two versions do not fit into one folder. */
function withNest12(describeTests: typeof describe.skip): typeof describe.skip {
  const isInstalled = existsSync(join(FOLDER, 'node_modules/@nestjs/core'));
  if (isInstalled || process.env.REQUIRE_NESTJS_12 === '1') return describeTests;
  console.warn('NestJS 12 is not installed, its tests are skipped: npm run nestjs-12');
  return describe.skip;
}

withNest12(describe)('the recipe for NestJS on NestJS 12', () => {
  beforeAll(copyRecipe);
  const site = useChild('nestjs-12-child.ts');

  function post(fetch: typeof globalThis.fetch, path: string, body: object): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return fetch(site.url('app') + path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  it('runs on version 12', () => {
    expect(site.url('version')).toMatch(/^12\./);
  });

  it('leads through both guards to the account', async () => {
    const fetch = cookieFetch();
    const account = `${site.url('app')}/account`;
    const sent = await post(fetch, '/login', passwordOf('alice'));
    expect(await sent.json()).toMatchObject({ pending: { isSent: true } });
    expect((await fetch(account)).status).toBe(403);
    const wrong = await post(fetch, '/login/pin', { pin: wrongCode(site.code('alice')) });
    expect([wrong.status, await wrong.json()]).toEqual([401, { error: 'invalid-code' }]);
    const right = await post(fetch, '/login/pin', { pin: site.code('alice') });
    expect([right.status, await right.json()]).toMatchObject([200, { pending: null }]);
    expect(await (await fetch(account)).json()).toEqual({ id: 'alice' });
  });

  it('waits with another message, and logs out', async () => {
    const fetch = cookieFetch();
    await post(fetch, '/login', passwordOf('dave'));
    const resent = await post(fetch, '/login/pin/resend', {});
    expect([resent.status, await resent.json()]).toMatchObject([429, { error: 'resend-too-soon' }]);
    await post(fetch, '/login/pin', { pin: site.code('dave') });
    expect((await fetch(`${site.url('app')}/account`)).status).toBe(200);
    expect((await post(fetch, '/logout', {})).status).toBe(200);
    expect((await fetch(`${site.url('app')}/account`)).status).toBe(403);
  });

  it('answers what was refused with its own status', async () => {
    const fetch = cookieFetch();
    expect((await post(fetch, '/login', { username: 'bob', password: 'no' })).status).toBe(401);
    await post(fetch, '/login', passwordOf('bob'));
    expect((await post(fetch, '/login/pin', { pin: 'no code' })).status).toBe(400);
    expect((await post(cookieFetch(), '/login', passwordOf('bob'))).status).toBe(429);
  });

  it('answers an accident of the gateway with its own status, and lets no one in', async () => {
    const fetch = cookieFetch();
    await post(fetch, '/login', passwordOf('carol'));
    site.sim.failNext('validate', 'html-502');
    expect((await post(fetch, '/login/pin', { pin: site.code('carol') })).status).toBe(502);
    expect((await fetch(`${site.url('app')}/account`)).status).toBe(403);
  });
});
