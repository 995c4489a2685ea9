import { describe, expect, it } from '@jest/globals';
import { addSite } from './support/site';
import { logIn, passwordOf, type Agent } from './support/steps';
import { useSharedApp } from '../support/use-app';

/** More than the gap before the first resend. */
const GAP_SECONDS = 40;

/** One of each kind; return-path.test.ts has them all. */
const UNSAFE = [
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/..//evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
  'account',
  '',
];

const ODD: unknown[] = [null, 7, true, ['/site/account'], { toString: '/site/account' }];

describe('the page that was asked for', () => {
  const test = useSharedApp(() => {
    const options = { limits: { perAddress: { max: 1_000 } } };
    return { people: 120, options, routes: addSite };
  });

  /** Logs somebody in and gives the address they are sent to. */
  async function finish(agent: Agent): Promise<string> {
    const user = test.nextUser();
    await agent.post('/site/login').send(passwordOf(user));
    const { headers } = await agent.post('/site/pin').send({ pin: test.code(user) });
    return String(headers.location);
  }

  async function finishWith(path: unknown): Promise<string> {
    const agent = test.agent();
    await agent.post('/site/return-to').send({ path });
    return finish(agent);
  }

  it('is where a guard has turned a GET away, with its query, and preferred to successRedirect', async () => {
    const agent = test.agent();
    await agent.get('/site/account/7?tab=%C3%A4&x=1');
    expect(await finish(agent)).toBe('/site/account/7?tab=%C3%A4&x=1');
  });

  it.each(['post', 'put', 'delete', 'patch', 'head'] as const)(
    'is not kept of a %s',
    async (method) => {
      const agent = test.agent();
      expect((await agent[method]('/site/account/7')).status).toBe(303);
      expect(await finish(agent)).toBe('/site/home');
    },
  );

  const NAVIGATION = { 'Sec-Fetch-Mode': 'navigate', Accept: 'text/html,*/*;q=0.8' };
  const OLD_NAVIGATION = { Accept: 'application/xhtml+xml,text/html;q=0.9,*/*;q=0.8' };

  it.each([
    ['an image', { 'Sec-Fetch-Mode': 'no-cors', Accept: 'image/avif,image/*,*/*;q=0.8' }],
    ['a favicon of an old browser', { Accept: 'image/*,*/*;q=0.8' }],
    ['a poll', { 'Sec-Fetch-Mode': 'cors', Accept: '*/*' }],
    ['a fetch of a part of a page', { 'Sec-Fetch-Mode': 'same-origin', Accept: 'text/html' }],
    ['a poll of an old browser', { Accept: 'application/json' }],
  ])('is not %s, before or after it', async (_what, headers) => {
    for (const navigation of [NAVIGATION, OLD_NAVIGATION]) {
      const [before, after] = [test.agent(), test.agent()];
      await before.get('/site/account/1').set(headers).expect(303);
      await before.get('/site/account/2').set(navigation).expect(303);
      expect(await finish(before)).toBe('/site/account/2');
      await after.get('/site/account/2').set(navigation).expect(303);
      await after.get('/site/account/1').set(headers).expect(303);
      expect(await finish(after)).toBe('/site/account/2');
    }
    const alone = test.agent();
    await alone.get('/site/account/1').set(headers).expect(303);
    expect(await finish(alone)).toBe('/site/home');
  });

  it('is the newest one', async () => {
    const agent = test.agent();
    await agent.get('/site/account/1');
    await agent.get('/site/account/2');
    await agent.post('/site/account/3');
    expect(await finish(agent)).toBe('/site/account/2');
  });

  it('is req.session.returnTo when no guard has kept one', async () => {
    expect(await finishWith('/orders?open#first')).toBe('/orders?open#first');
    const agent = test.agent();
    await agent.post('/site/return-to').send({ path: '/orders' });
    await agent.get('/site/account/1');
    expect(await finish(agent)).toBe('/site/account/1');
  });

  it('outlives a wrong code, a resend and a second password, and is gone after the login', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await agent.get('/site/account/5');
    await agent.post('/site/login').send(passwordOf(user));
    test.clock.advanceSeconds(GAP_SECONDS);
    expect((await agent.post('/site/resend')).headers.location).toBe('/site/pin');
    await agent.post('/site/pin').send({ pin: 'no code' });
    test.clock.advanceSeconds(3 * GAP_SECONDS);
    expect((await agent.post('/site/login').send(passwordOf(user))).headers.location).toBe(
      '/site/pin',
    );
    const verified = await agent.post('/site/pin').send({ pin: test.code(user) });
    expect(verified.headers.location).toBe('/site/account/5');
    await agent.post('/logout');
    expect(await finish(agent)).toBe('/site/home');
  });

  it('may be turned away while the code is out already', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await agent.get('/site/account/1');
    await agent.post('/site/login').send(passwordOf(user));
    await agent.get('/site/account/2');
    const verified = await agent.post('/site/pin').send({ pin: test.code(user) });
    expect(verified.headers.location).toBe('/site/account/2');
  });

  it('is come back to after a step-up for its age', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    test.clock.advanceSeconds(301);
    expect((await agent.get('/site/fresh?amount=5')).headers.location).toBe('/site/why');
    await agent.post('/site/step-up');
    const verified = await agent.post('/site/pin').send({ pin: test.code(user) });
    expect(verified.headers.location).toBe('/site/fresh?amount=5');
    expect((await agent.get('/site/fresh?amount=5')).status).toBe(200);
  });

  it('is not kept for a login that is answered as JSON and goes nowhere', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await agent.get('/site/account/5');
    await agent.post('/login').send(passwordOf(user));
    const verified = await agent.post('/login/pin').send({ pin: test.code(user) });
    expect([verified.status, verified.headers.location]).toEqual([200, undefined]);
  });

  it.each([...UNSAFE, ...ODD])('is ignored when it is %j', async (path) => {
    expect(await finishWith(path)).toBe('/site/home');
  });

  it.each([
    ['/a/../b', '/b'],
    ['/a/..', '/'],
    ['/%09/evil.example', '/%09/evil.example'],
    ['/a?next=//evil.example', '/a?next=//evil.example'],
    ['/ä', '/%C3%A4'],
    ['/@evil.example', '/@evil.example'],
    ['/:80', '/:80'],
  ])('%j is judged and sent as it is once normalised: %j', async (path, location) => {
    expect(await finishWith(path)).toBe(location);
  });
});
