import { describe, expect, it } from '@jest/globals';
import { smsGateway } from 'passport-sms-otp/sms-gateway';
import { createSignature, noticeStops, OptOuts, refuseOptedOut } from '../../docs/recipes/opt-outs';
import { createApp, STOPPED } from '../../docs/recipes/stop-replies';
import { memoryStore } from '../../src';
import { ALICE } from '../support/test-app';
import { NEW } from '../support/test-users';
import { useOwnApps } from '../support/use-app';
import { seen, visit } from '../support/visit';
import { useRecipe } from './support/recipe-site';
import { passwordOf, RECIPE_SECRETS } from './support/recipe-users';

const SECRET = 'what the provider signs with';
const MINUTE = 60 * 1000;
const NOW = Date.UTC(2027, 2, 1);

describe('the recipe for people who reply STOP', () => {
  let optOuts = new OptOuts();
  const site = useRecipe('B', (parts) => {
    optOuts = new OptOuts();
    return createApp({ ...parts, optOuts, webhookSecret: SECRET, now: () => NOW });
  });
  type Agent = ReturnType<typeof site.agent>;

  /** What the provider reports of a text, signed as it signs, or as a forger does. */
  async function report(
    text: string,
    from: string,
    { at = NOW, signedAt = NOW, secret = SECRET, as = site.agent() } = {},
  ): Promise<number> {
    const body = JSON.stringify({ from, text, receivedAt: at });
    const signature = createSignature(secret, String(signedAt), Buffer.from(body));
    const headers = { 'X-Timestamp': String(signedAt), 'X-Signature': signature };
    const answer = await as.post('/texts/replies').set(headers).type('json').send(body);
    return answer.status;
  }

  const post = (agent: Agent, path: string, fields: object = {}) =>
    agent.post(path).type('form').send(fields);

  async function logIn(id: string, agent = site.agent()): Promise<Agent> {
    expect((await post(agent, '/login', passwordOf(id))).headers.location).toBe(
      '/second-factor/code',
    );
    const { headers } = await post(agent, '/second-factor/code', { pin: site.code(id) });
    expect(headers.location).toBe('/account');
    return agent;
  }

  it('pays no text to a number that has opted out, takes a recovery code, and texts after START', async () => {
    const first = await logIn('alice');
    const [, form = ''] =
      /name="form" value="([^"]+)"/.exec((await first.get('/second-factor/recovery-codes')).text) ??
      [];
    const made = await post(first, '/second-factor/recovery-codes', { form });
    const [, recoveryCode] = /<code>([^<]+)/.exec(made.text) ?? [];
    expect(await report(' Stop ', site.users.phoneOf('alice'), { at: NOW - 2 })).toBe(204);
    const { sent } = site.sim.stats();

    const agent = site.agent();
    expect((await post(agent, '/login', passwordOf('alice'))).headers.location).toBe(
      '/second-factor/code',
    );
    const { text } = await agent.get('/second-factor/code');
    expect(text).toContain(STOPPED);
    expect(text).toContain('href="recovery-code"');
    expect((await agent.get('/account')).headers.location).toBe('/second-factor/code');
    await post(agent, '/second-factor/resend');
    expect(site.sim.stats().sent).toBe(sent);
    await post(agent, '/second-factor/recovery-code', { recoveryCode });
    expect((await agent.get('/account')).body).toEqual({ id: 'alice' });

    expect(await report('START', site.users.phoneOf('alice'), { at: NOW - 1 })).toBe(204);
    await logIn('alice');
    expect(site.sim.stats().sent).toBe(sent + 1);
  });

  it('refuses a user who has nothing else, says what to do, and lets nobody in', async () => {
    await report('STOP', site.users.phoneOf('bob').slice(1), { at: NOW - 2 });
    const agent = site.agent();
    expect((await post(agent, '/login', passwordOf('bob'))).headers.location).toBe('/login');
    expect((await agent.get('/login')).text).toContain(STOPPED);
    expect((await agent.get('/account')).headers.location).toBe('/login');
    await report('start', site.users.phoneOf('bob').slice(1), { at: NOW - 1 });
    await logIn('bob', agent);
  });

  it('takes no report that is forged, old, changed on the way or not signed', async () => {
    const phone = site.users.phoneOf('carol');
    expect(await report('STOP', phone, { secret: 'a guess' })).toBe(401);
    expect(await report('STOP', phone, { secret: '' })).toBe(401);
    expect(await report('STOP', phone, { signedAt: NOW - 6 * MINUTE })).toBe(401);
    expect(await report('STOP', phone, { signedAt: NOW + 6 * MINUTE })).toBe(401);
    expect(await report('STOP', phone, { signedAt: NaN })).toBe(401);
    const body = { from: phone, text: 'STOP', receivedAt: NOW };
    expect((await site.agent().post('/texts/replies').send(body)).status).toBe(401);
    const signature = createSignature(SECRET, String(NOW), Buffer.from(JSON.stringify(body)));
    const changed = site.agent().post('/texts/replies').set('X-Signature', signature);
    const { status } = await changed.set('X-Timestamp', String(NOW)).send({ ...body, text: 'END' });
    expect(status).toBe(401);
    expect(await report('STOP', 'carol')).toBe(400);
    expect(await report('please do not stop', phone)).toBe(204);
    expect(await optOuts.has(phone)).toBe(false);
    await logIn('carol');
  });

  it('keeps the newest wish when an old STOP is delivered again', async () => {
    const phone = site.users.phoneOf('dave');
    await report('STOP', phone, { at: NOW - 2 });
    await report('START', phone, { at: NOW - 1 });
    expect(await report('STOP', phone, { at: NOW - 2 })).toBe(204);
    await logIn('dave');
  });

  it('lets nobody who knows the password opt the number out, or in', async () => {
    const phone = site.users.phoneOf('erin');
    const thief = site.agent();
    await post(thief, '/login', passwordOf('erin'));
    await post(thief, '/second-factor/code', { pin: 'STOP' });
    expect((await post(thief, '/texts/replies', { from: phone, text: 'STOP' })).status).toBe(401);
    expect(await report('STOP', phone, { secret: passwordOf('erin').password, as: thief })).toBe(
      401,
    );
    expect(await optOuts.has(phone)).toBe(false);
    await report('STOP', phone);
    expect(await report('START', phone, { secret: 'a guess', at: NOW + 1, as: thief })).toBe(401);
    expect(await optOuts.has(phone)).toBe(true);
  });

  it('tells nobody without the password whether a number has opted out', async () => {
    await report('STOP', site.users.phoneOf('frank'));
    const answers = ['frank', 'carol', 'nobody'].map(async (username) => {
      const { status, headers, text } = await post(site.agent(), '/login', {
        username,
        password: 'a guess',
      });
      return { status, text, location: headers.location as unknown };
    });
    const [optedOut, ...others] = await Promise.all(answers);
    expect(others).toEqual([optedOut, optedOut]);
    expect(await report('STOP', site.users.phoneOf('frank'))).toBe(
      await report('STOP', '+12025550199', { at: NOW }),
    );
  });
});

describe('a number that has opted out', () => {
  const apps = useOwnApps({ hasPhones: true });

  it('is refused at an enrollment like each that cannot be texted, without a text', async () => {
    const optOuts = new OptOuts();
    await optOuts.note(NEW, { isOptedOut: true, at: NOW });
    const test = await apps.start({ options: { policies: [refuseOptedOut(optOuts)] } });
    const alice = visit(test);
    await alice.logIn();
    const { sent } = test.sim.stats();
    const refused = seen(await alice.enroll(NEW));
    expect(refused).toEqual(seen(await alice.enroll('+19002345678')));
    expect(refused).toEqual([403, { error: 'unsuitable-phone' }]);
    expect(test.sim.stats().sent).toBe(sent);
  });

  it('is noticed when the provider refuses it, and not tried again', async () => {
    const optOuts = new OptOuts();
    const tried: string[] = [];
    const sendSms = noticeStops((to) => {
      tried.push(to);
      throw Object.assign(new Error('Attempt to send to unsubscribed recipient'), { code: 21610 });
    }, optOuts);
    const [store, secret] = [memoryStore(), RECIPE_SECRETS.otpSecret];
    const gateway = smsGateway({ sendSms, store, secret });
    const policies = [refuseOptedOut(optOuts)];
    const test = await apps.start({ options: { gateway, policies } });
    expect((await visit(test).login()).body).toMatchObject({ error: 'not-sent' });
    expect(await optOuts.has(ALICE.phone ?? '')).toBe(true);
    expect(seen(await visit(test).login())).toEqual([403, { error: 'denied' }]);
    expect(tried).toEqual([ALICE.phone]);
  });

  it('is not noted for any other failure, nor after a START that came meanwhile', async () => {
    const optOuts = new OptOuts();
    const failWith = (code: number) => (): never => {
      throw Object.assign(new Error('refused'), { code });
    };
    const options = { sender: undefined };
    await expect(
      noticeStops(failWith(21211), optOuts, () => NOW)(NEW, '', options),
    ).rejects.not.toHaveProperty('mayHaveArrived');
    await optOuts.note(NEW, { isOptedOut: false, at: NOW });
    await expect(
      noticeStops(failWith(21610), optOuts, () => NOW - 1)(NEW, '', options),
    ).rejects.toMatchObject({ code: 21610, mayHaveArrived: false });
    expect(await optOuts.has(NEW)).toBe(false);
  });
});
