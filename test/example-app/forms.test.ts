import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { useSite } from './site';
import { readNotice, readPin, readToken, Visitor } from './visitor';

/** Each form, and the page that shows it again. */
const FORMS = [
  ['/login', '/login'],
  ['/login/pin', '/login/pin'],
  ['/login/pin/resend', '/login/pin'],
  ['/login/cancel', '/login/pin'],
  ['/logout', '/'],
  ['/transfer', '/transfer'],
  ['/transfer/pin', '/login/pin'],
  ['/step-up', '/step-up'],
  ['/login/recover', '/login/pin'],
  ['/enroll', '/enroll'],
  ['/settings/phones', '/settings'],
  ['/settings/phones/pin', '/login/pin'],
  ['/settings/phones/change', '/settings'],
  ['/settings/phones/remove', '/settings'],
  ['/settings/phones/default', '/settings'],
  ['/settings/recovery-codes', '/settings'],
  ['/settings/devices/forget', '/settings'],
  ['/settings/devices/forget-all', '/settings'],
  ['/settings/logins/end', '/settings'],
  ['/settings/logins/end-others', '/settings'],
] as const;
const OUT_OF_DATE = 'That form was out of date, so nothing was done. Please try again.';

describe('the forms of the example app', () => {
  const site = useSite();
  const visitor = new Visitor(site);

  it.each(FORMS)(
    'are refused at %s without their hidden field, and shown again',
    async (path, page) => {
      const answer = await visitor.post(path, { username: 'alice', password: 'demo-password' });
      expect([answer.status, answer.headers.location]).toEqual([303, `${page}?out-of-date`]);
      expect(site.simulator.outbox).toHaveLength(0);
    },
  );

  it('are refused with the hidden field of another session', async () => {
    const stranger = new Visitor(site);
    const _csrf = readToken(await stranger.open('/login'));
    await visitor.open('/login');
    const answer = await visitor.post('/login', {
      _csrf,
      username: 'alice',
      password: 'demo-password',
    });
    expect(answer.headers.location).toBe('/login?out-of-date');
    expect(readNotice(await visitor.open('/login?out-of-date'))).toBe(OUT_OF_DATE);
    expect((await visitor.givePassword()).headers.location).toBe('/login/pin');
  });

  it('work in two tabs: the second login shows its form again, and the code of a finished one leads to the account', async () => {
    const [first, second] = [await visitor.open('/login'), await visitor.open('/login')].map(
      readToken,
    );
    const alice = { username: 'alice', password: 'demo-password' };
    await visitor.post('/login', { _csrf: first ?? '', ...alice });
    expect((await visitor.post('/login', { _csrf: second ?? '', ...alice })).headers.location).toBe(
      '/login?out-of-date',
    );
    const page = await visitor.open('/login?out-of-date');
    expect(page.text).toContain('We’ve already texted you a code.');
    const _csrf = readToken(await visitor.open('/login/pin'));
    expect((await visitor.giveCode(readPin(site))).headers.location).toBe('/account');
    expect((await visitor.post('/login/pin', { _csrf, pin: '123456' })).headers.location).toBe(
      '/login/pin?out-of-date',
    );
    expect((await visitor.open('/login/pin?out-of-date')).headers.location).toBe(
      '/account?out-of-date',
    );
    expect(readNotice(await visitor.open('/account?out-of-date'))).toBe(OUT_OF_DATE);
  });

  it('are refused at the code with the hidden field from before the password', async () => {
    const _csrf = readToken(await visitor.open('/login'));
    await visitor.post('/login', { _csrf, username: 'alice', password: 'demo-password' });
    const answer = await visitor.post('/login/pin', { _csrf, pin: readPin(site) });
    expect(answer.headers.location).toBe('/login/pin?out-of-date');
    expect(readNotice(await visitor.open('/login/pin?out-of-date'))).toBe(OUT_OF_DATE);
    expect((await visitor.open('/account')).headers.location).toBe('/login');
  });

  it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x'])(
    'are not read from %s',
    async (type) => {
      const answer = await request(site.app)
        .post('/login')
        .set('Content-Type', type)
        .send('{"username":"alice"}');
      expect(answer.headers.location).toBe('/login?out-of-date');
    },
  );

  it('may not be large', async () => {
    const answer = await visitor.post('/login/pin', { pin: '1'.repeat(1_000_000) });
    expect(answer.status).toBe(413);
    expect(answer.text).toContain('That was too much');
  });

  it('leave no session behind when they are refused', async () => {
    expect((await visitor.post('/login', {})).headers['set-cookie']).toBeUndefined();
    expect((await visitor.open('/')).headers['set-cookie']).toBeUndefined();
    expect((await visitor.open('/no-such-page')).headers['set-cookie']).toBeUndefined();
  });
});
