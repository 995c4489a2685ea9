import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startSite, type Site } from './site';
import { readPin, readToken, Visitor } from './visitor';

const FORMS = [
  '/login',
  '/login/pin',
  '/login/pin/resend',
  '/login/cancel',
  '/logout',
  '/transfer',
  '/transfer/pin',
  '/step-up',
  '/login/recover',
  '/enroll',
  '/settings/phones',
  '/settings/phones/pin',
  '/settings/phones/change',
  '/settings/phones/remove',
  '/settings/phones/default',
  '/settings/recovery-codes',
  '/settings/devices/forget',
  '/settings/devices/forget-all',
  '/settings/logins/end',
  '/settings/logins/end-others',
];

describe('the forms of the example app', () => {
  let site: Site;
  let visitor: Visitor;

  beforeEach(async () => {
    site = await startSite();
    visitor = new Visitor(site);
  });

  afterEach(() => site.close());

  it.each(FORMS)('are refused at %s without their hidden field', async (path) => {
    const answer = await visitor.post(path, { username: 'alice', password: 'demo-password' });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('This form is out of date');
    expect(site.simulator.outbox).toHaveLength(0);
  });

  it('are refused with the hidden field of another session', async () => {
    const stranger = new Visitor(site);
    const _csrf = readToken(await stranger.open('/login'));
    await visitor.open('/login');
    expect((await visitor.post('/login', { _csrf, username: 'alice', password: 'demo-password' })).status).toBe(403);
  });

  it('are refused at the code with the hidden field from before the password', async () => {
    const _csrf = readToken(await visitor.open('/login'));
    await visitor.post('/login', { _csrf, username: 'alice', password: 'demo-password' });
    expect((await visitor.post('/login/pin', { _csrf, pin: readPin(site) })).status).toBe(403);
  });

  it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x'])(
    'are not read from %s',
    async (type) => {
      const answer = await request(site.app).post('/login').set('Content-Type', type).send('{"username":"alice"}');
      expect(answer.status).toBe(403);
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
