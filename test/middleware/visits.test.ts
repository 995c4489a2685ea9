import { describe, expect, it } from '@jest/globals';
import { addSite } from './support/site';
import { logIn, otherThan, passwordOf, sessionIdOf, statusOf, type Agent } from './support/steps';
import { useSharedApp } from '../support/use-app';

type Headers = Readonly<Record<string, string>>;

const PAGE = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const GOES = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document', Accept: PAGE };

/** As Chromium, Firefox and Safari send them: test/browser/visits.test.ts sees the first of them. */
const VISITS: readonly (readonly [string, Headers])[] = [
  ['a page, over TLS', GOES],
  ['a page, over plain http', { Accept: PAGE }],
  ['a page, by a client without any header', {}],
  [
    'a page that a service worker has fetched',
    { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'empty', Accept: PAGE },
  ],
];

const OTHERS: readonly (readonly [string, Headers])[] = [
  ['a speculative prefetch', { ...GOES, 'Sec-Purpose': 'prefetch' }],
  ['a prefetch through a proxy', { ...GOES, 'Sec-Purpose': 'prefetch;anonymous-client-ip' }],
  ['a prerendered page', { ...GOES, 'Sec-Purpose': 'prefetch;prerender' }],
  ['a prefetch of Chrome before 2024', { Accept: PAGE, Purpose: 'prefetch' }],
  ['a prefetch of an old Firefox', { Accept: PAGE, 'X-Moz': 'prefetch' }],
  ['a preview of Safari', { Accept: PAGE, 'X-Purpose': 'preview' }],
  ['a frame', { ...GOES, 'Sec-Fetch-Dest': 'iframe' }],
  ['an object', { ...GOES, 'Sec-Fetch-Dest': 'object' }],
  ['an embedded page', { ...GOES, 'Sec-Fetch-Dest': 'embed' }],
  ['a link that downloads', { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'empty' }],
  ['an image', { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image', Accept: 'image/*' }],
  ['a poll', { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty', Accept: '*/*' }],
  ['a part of a page', { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty', Accept: PAGE }],
  ['a poll over plain http', { Accept: '*/*' }],
  ['a part of a page over plain http', { Accept: PAGE, 'X-Requested-With': 'XMLHttpRequest' }],
  ['an event stream over plain http', { Accept: 'text/event-stream' }],
];

describe('a visit', () => {
  const test = useSharedApp({ people: 60, routes: addSite });

  async function finish(agent: Agent): Promise<unknown> {
    const user = test.nextUser();
    await agent.post('/site/login').send(passwordOf(user));
    return (await agent.post('/site/pin').send({ pin: test.code(user) })).headers.location;
  }

  /** A browser at the code page after a wrong code. */
  async function failOnce(): Promise<Agent> {
    const user = test.nextUser();
    const agent = test.agent();
    await agent.post('/site/login').send(passwordOf(user));
    await agent.post('/site/pin').send({ pin: otherThan(test.code(user)) });
    return agent;
  }

  describe.each(VISITS)('%s', (_name, headers) => {
    it('is kept by a guard, and uses up the notice', async () => {
      const agent = test.agent();
      await agent.get('/site/account/7').set(headers).expect(303);
      const { body } = await agent.get('/status').set(headers);
      expect(body).toMatchObject({ notice: 'second-factor-required' });
      expect((await statusOf(agent)).notice).toBeNull();
      expect(await finish(agent)).toBe('/site/account/7');
    });
  });

  describe.each(OTHERS)('%s is none:', (_name, headers) => {
    it('a guard keeps nothing of it, and sends no cookie', async () => {
      const agent = test.agent();
      const answer = await agent.get('/site/account/7').set(headers);
      expect([answer.status, answer.headers.location]).toEqual([303, '/site/login']);
      expect(sessionIdOf(answer)).toBeUndefined();
      expect(await finish(agent)).toBe('/site/home');
    });

    it('sees the notice, and leaves it for the page', async () => {
      const agent = await failOnce();
      const { body } = await agent.get('/status').set(headers);
      expect(body).toMatchObject({ notice: 'wrong-code' });
      expect((await statusOf(agent)).notice).toBe('wrong-code');
      expect((await statusOf(agent)).notice).toBeNull();
    });
  });

  it('by a form is one, whose page is not kept', async () => {
    const agent = test.agent();
    await agent.post('/site/account/7').set(GOES).expect(303);
    expect((await statusOf(agent)).notice).toBe('second-factor-required');
    expect(await finish(agent)).toBe('/site/home');
  });
});

const ELSEWHERE = { ...GOES, 'Sec-Fetch-Site': 'cross-site', Origin: 'https://pay.example' };
/** Without the headers that browsers send over TLS alone. */
const OLD_ELSEWHERE = { Accept: PAGE, Origin: 'https://pay.example' };

/** Every route that may leave a notice. */
const ROUTES = [
  '/site/account/7',
  '/site/fresh',
  '/site/pin',
  '/site/resend',
  '/site/step-up',
  '/site/cancel',
  '/site/recover',
  '/site/enroll',
  '/site/confirm',
  '/site/remove',
  '/site/logout',
];

describe('a form of another site that came without the session cookie', () => {
  const test = useSharedApp({
    hasFactors: true,
    hasPhones: true,
    routes(app, smsOtp, passport) {
      addSite(app, smsOtp, passport);
      const { verifyWith } = smsOtp;
      app.post('/site/logout', smsOtp.logout({ successRedirect: '/site/bye' }));
      const redirects = { failureRedirect: '/site/again' };
      app.post('/site/recover', verifyWith?.('recovery-code', redirects) ?? []);
    },
  });

  for (const [name, headers] of [
    ['a new browser', ELSEWHERE],
    ['an old browser', OLD_ELSEWHERE],
  ] as const) {
    it.each(ROUTES)(`leaves no cookie at %s (${name})`, async (path) => {
      const answer = await test.agent().post(path).set(headers);
      expect([answer.status, sessionIdOf(answer)]).toEqual([303, undefined]);
    });
  }

  it('does not log the user out', async () => {
    const agent = await logIn(test);
    const answer = await test.agent().post('/site/account/7').set(ELSEWHERE);
    expect(answer.get('Set-Cookie')).toBeUndefined();
    expect((await agent.get('/account')).status).toBe(200);
  });

  it.each([
    ['Origin: null of its own form, in a new browser', { 'Sec-Fetch-Site': 'same-origin' }],
    ['Origin: null alone', {}],
  ])('is not meant by %s: the notice is kept', async (_name, more) => {
    const agent = test.agent();
    const headers = { Accept: PAGE, Origin: 'null', ...more };
    expect(sessionIdOf(await agent.post('/site/account/7').set(headers))).toBeDefined();
    expect((await statusOf(agent)).notice).toBe('second-factor-required');
  });

  it('is not meant by a link of a mail: the page of a newcomer is kept', async () => {
    const agent = test.agent();
    const headers = { ...GOES, 'Sec-Fetch-Site': 'cross-site' };
    expect(sessionIdOf(await agent.get('/site/account/7').set(headers))).toBeDefined();
  });
});

describe('with a cookie that is SameSite=Strict', () => {
  const test = useSharedApp({ cookie: { sameSite: 'strict' }, routes: addSite });

  it('a link of another site arrives without it, and gets no other in its place', async () => {
    const headers = { ...GOES, 'Sec-Fetch-Site': 'cross-site' };
    const answer = await test.agent().get('/site/account/7').set(headers);
    expect([answer.status, sessionIdOf(answer)]).toEqual([303, undefined]);
    const own = { ...GOES, 'Sec-Fetch-Site': 'none' };
    expect(sessionIdOf(await test.agent().get('/site/account/7').set(own))).toBeDefined();
  });
});
