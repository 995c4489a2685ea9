import { describe, expect, it } from '@jest/globals';
import { createApp } from './hackathon-starter';
import { LINKED, type Answer } from './support/browser';
import type { Visitor } from './support/visitor';
import { OPTIONAL, useSite, type AppOfWalk } from './support/site';
import { stepsOf } from './support/walk';

const CALLBACK = '/auth/google/callback';

/** Each way in, up to the answer that leads to the code. */
const WAYS: readonly [string, (alice: Visitor) => Promise<Answer>][] = [
  ['a password', (alice) => alice.givePassword()],
  ['a sign-up', (alice) => alice.signUp()],
  [
    'a link in a mail',
    ({ browser, person }) => browser.get(`/login/link?token=${person.name}`, LINKED),
  ],
  [
    'a callback of OAuth',
    ({ browser, person }) => browser.get(`${CALLBACK}?account=g-${person.name}`, LINKED),
  ],
  [
    'a form of OAuth',
    ({ browser, person }) => browser.postElsewhere(CALLBACK, { account: `g-${person.name}` }),
  ],
  [
    'a password reset',
    ({ browser, person }) => browser.post(`/reset?token=${person.name}`, { password: 'new' }),
  ],
];

const APP: AppOfWalk = { variant: 'B', logsOutByLink: true, createApp };

describe('hackathon-starter: custom callback with flash, six ways in, documents without id', () => {
  const site = useSite(APP);

  it.each(stepsOf(APP))('$title', ({ expectStep }) => expectStep(site.visitor()));

  it.each(WAYS)('%s leads to the code, and no further', async (_way, begin) => {
    const alice = site.visitor();
    const { location } = await begin(alice);
    expect([location, await alice.isIn()]).toEqual(['/login/pin', false]);
    await alice.enter();
    expect(await alice.isIn()).toBe(true);
  });

  it('an account of a provider is linked without another code', async () => {
    const alice = site.visitor();
    await alice.logIn();
    const { sent } = site.sim.stats();
    const { location } = await alice.browser.get(`${CALLBACK}?account=linked`, LINKED);
    expect([location, site.sim.stats().sent, await alice.isIn()]).toEqual(['/account', sent, true]);
    await alice.logOut();
    site.clock.advanceSeconds(31);
    await alice.browser.get(`${CALLBACK}?account=linked`, LINKED);
    await alice.enter();
    expect(await alice.isIn()).toBe(true);
  });

  it('a logout by a link works, and one warning says to post it', async () => {
    for (const alice of [site.visitor(), site.visitor()]) {
      await alice.logIn();
      await alice.logOut();
      expect(await alice.isIn()).toBe(false);
    }
    const naming = site.warnings.filter((text) => text.includes('A GET has logged'));
    expect(naming).toHaveLength(1);
  });

  it('a flash message is shown once, also after a renewal', async () => {
    const alice = site.visitor();
    const wrong = await alice.givePassword({ password: 'wrong' });
    const invalid = expect.stringContaining('Invalid email or password.');
    expect((await alice.browser.follow(wrong)).text).toEqual(invalid);
    expect((await alice.visit('/login')).text).not.toEqual(invalid);
    const { text } = await alice.browser.follow(await alice.signUp());
    expect(text).toContain('Your account has been created.');
  });

  it('users who need no code land on a page of their own, whatever they wanted', async () => {
    const optional = site.visitor(OPTIONAL);
    await optional.visit('/account');
    expect((await optional.givePassword()).location).toBe('/welcome');
    expect((await optional.visit('/account')).status).toBe(200);
  });

  it('users of a trusted device land on theirs', async () => {
    const alice = site.visitor();
    await alice.givePassword();
    await alice.enter(alice.code, { trustDevice: 'on' });
    await alice.logOut();
    expect((await alice.givePassword()).location).toBe('/about');
    expect(await alice.isIn()).toBe(true);
  });
});
