import { describe, expect, it } from '@jest/globals';
import { BOB } from '../support/test-app';
import { giveCode, givePassword, logIn } from './support/steps';
import { useApp } from '../support/use-app';

describe('what a login asks of the session store', () => {
  const test = useApp();

  it('is two reads, two writes, one touch and one removal for a visitor without any cookie', async () => {
    const agent = test.agent();
    await givePassword(agent);
    expect(test.sessions.calls).toEqual({ get: 0, set: 1, touch: 0, destroy: 0 });
    await giveCode(test, agent);
    expect(test.sessions.calls).toEqual({ get: 1, set: 2, touch: 0, destroy: 1 });
    expect((await agent.get('/account')).status).toBe(200);
    expect(test.sessions.calls).toEqual({ get: 2, set: 2, touch: 1, destroy: 1 });
  });

  it('is the same in a known browser, whose cookie brings no session', async () => {
    const first = test.agent();
    await givePassword(first);
    const cookies = (await giveCode(test, first)).get('Set-Cookie');
    const known = cookies?.find((cookie) => cookie.startsWith('__Host-sms-otp-browser=')) ?? '';
    test.sessions.resetCalls();
    const agent = test.agent().set('Cookie', known.slice(0, known.indexOf(';')));
    await givePassword(agent);
    expect((await giveCode(test, agent)).get('Set-Cookie')).toHaveLength(1);
    expect((await agent.get('/account')).status).toBe(200);
    expect(test.sessions.calls).toEqual({ get: 2, set: 2, touch: 1, destroy: 1 });
  });

  it('is three reads, two writes, one touch and two removals with an earlier session', async () => {
    const agent = await logIn(test, BOB);
    test.sessions.resetCalls();
    await givePassword(agent);
    await giveCode(test, agent);
    expect((await agent.get('/account')).body).toEqual({ id: 'alice' });
    expect(test.sessions.calls).toEqual({ get: 3, set: 2, touch: 1, destroy: 2 });
  });

  it('leaves one session behind', async () => {
    const agent = await logIn(test, BOB);
    await givePassword(agent);
    await giveCode(test, agent);
    expect(test.sessions.ids()).toHaveLength(1);
  });

  it('is a read, one again and a write for a wrong code: the attempts that are left are kept', async () => {
    const agent = test.agent();
    await givePassword(agent);
    test.sessions.resetCalls();
    await agent.post('/login/pin').send({ pin: '0000000' });
    expect(test.sessions.calls).toEqual({ get: 2, set: 1, touch: 1, destroy: 0 });
  });

  it('is a read and a touch for a refusal that changes nothing', async () => {
    const agent = test.agent();
    await givePassword(agent);
    test.sessions.resetCalls();
    expect((await agent.post('/login/pin').send({ pin: 'no digits' })).status).toBe(400);
    expect(test.sessions.calls).toEqual({ get: 1, set: 0, touch: 1, destroy: 0 });
  });

  it('is nothing at all for a code without a session', async () => {
    expect((await test.agent().post('/login/pin').send({ pin: '123456' })).status).toBe(401);
    expect(test.sessions.calls).toEqual({ get: 0, set: 0, touch: 0, destroy: 0 });
  });

  it('is nothing but a read and a touch for a guarded page', async () => {
    const agent = await logIn(test);
    test.sessions.resetCalls();
    await agent.get('/fresh');
    expect(test.sessions.calls).toEqual({ get: 1, set: 0, touch: 1, destroy: 0 });
  });
});
