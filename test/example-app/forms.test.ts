import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { useSite } from './site';
import { readNotice, readPin, readToken, Visitor } from './visitor';

/** Each form, and the page that shows it again. */
const FORMS = [
  ['/login', '/login'],
  ['/logout', '/'],
  ['/transfer', '/transfer'],
  ['/transfer/code', '/transfer/code'],
  ['/transfer/resend', '/transfer/code'],
  ['/settings/passkeys', '/settings'],
  ['/settings/texts', '/settings'],
  ['/settings/authenticator-app', '/settings'],
  ['/second-factor/code', '/second-factor/code'],
  ['/second-factor/resend', '/second-factor/code'],
  ['/second-factor/cancel', '/second-factor/code'],
  ['/second-factor/confirm-number', '/second-factor/code'],
  ['/second-factor/recovery-code', '/second-factor/recovery-code'],
  ['/second-factor/factor-totp', '/second-factor/factor-totp'],
  ['/second-factor/factor-passkey', '/second-factor/factor-passkey'],
  ['/second-factor/step-up', '/second-factor/step-up'],
  ['/second-factor/log-out', '/second-factor/step-up'],
  ['/second-factor/add-number', '/second-factor/add-number'],
  ['/second-factor/recovery-codes', '/second-factor/recovery-codes'],
  ['/second-factor/remove-number', '/second-factor/settings'],
  ['/second-factor/default-number', '/second-factor/settings'],
  ['/second-factor/forget-device', '/second-factor/settings'],
  ['/second-factor/end-login', '/second-factor/settings'],
  ['/second-factor/end-logins', '/second-factor/settings'],
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
    expect((await visitor.givePassword()).headers.location).toBe('/second-factor/code');
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
    const _csrf = readToken(await visitor.open('/second-factor/code'));
    expect((await visitor.giveCode(readPin(site))).headers.location).toBe('/account');
    expect(
      (await visitor.post('/second-factor/code', { _csrf, pin: '123456' })).headers.location,
    ).toBe('/second-factor/code?out-of-date');
    const over = await visitor.open('/second-factor/code?out-of-date');
    expect(over.text).toContain('This code can’t be used any more');
    expect(over.text).toContain('class="button" href="/account"');
  });

  it('are refused at the code with the hidden field from before the password', async () => {
    const _csrf = readToken(await visitor.open('/login'));
    await visitor.post('/login', { _csrf, username: 'alice', password: 'demo-password' });
    const answer = await visitor.post('/second-factor/code', { _csrf, pin: readPin(site) });
    expect(answer.headers.location).toBe('/second-factor/code?out-of-date');
    expect(readNotice(await visitor.open('/second-factor/code?out-of-date'))).toBe(OUT_OF_DATE);
    expect((await visitor.open('/account')).headers.location).toBe('/second-factor/code');
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
    const answer = await visitor.post('/second-factor/code', { pin: '1'.repeat(1_000_000) });
    expect(answer.status).toBe(413);
    expect(answer.text).toContain('That was too much');
  });

  it('leave no session behind when they are refused', async () => {
    expect((await visitor.post('/login', {})).headers['set-cookie']).toBeUndefined();
    expect((await visitor.open('/')).headers['set-cookie']).toBeUndefined();
    expect((await visitor.open('/no-such-page')).headers['set-cookie']).toBeUndefined();
  });
});
