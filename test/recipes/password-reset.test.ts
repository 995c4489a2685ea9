import { beforeEach, describe, expect, it } from '@jest/globals';
import { createApp } from '../../docs/recipes/password-reset';
import { ResetTokens } from '../../docs/recipes/reset-tokens';
import { wrongCode } from '../support/visit';
import { useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';
import { ChangingUsers, Mailbox } from './support/reset-users';

const NEW_PASSWORD = 'a password after the reset';
const HALF_AN_HOUR = 30 * 60 * 1000;

describe('the recipe for a password reset', () => {
  const users = new ChangingUsers();
  const mail = new Mailbox();
  const errors: unknown[] = [];
  let time = Date.now();
  const tokens = new ResetTokens(() => time);
  const site = useRecipe('A', (parts) =>
    createApp({
      ...parts,
      ...{ users, mail, tokens, origin: 'https://bank.example' },
      onError: (error) => errors.push(error),
    }),
  );
  type Agent = ReturnType<typeof site.agent>;

  beforeEach(() => {
    mail.links.length = mail.notices.length = 0;
    // No test uses up the links of another.
    time += HALF_AN_HOUR;
  });

  const post = (agent: Agent, path: string, fields: object) =>
    agent.post(path).type('form').send(fields);

  async function askForLink(id: string): Promise<string> {
    const count = mail.links.filter(({ userId }) => userId === id).length;
    await post(site.agent(), '/forgot', { username: id });
    return mail.readToken(id, count);
  }

  async function logIn(id: string, fields: object = {}): Promise<Agent> {
    const agent = site.agent();
    await post(agent, '/login', passwordOf(id));
    await post(agent, '/login/pin', { pin: site.code(id), ...fields });
    expect((await agent.get('/account')).status).toBe(200);
    return agent;
  }

  it('leads from the link over the new password and the code to the account', async () => {
    const agent = site.agent();
    const asked = await post(agent, '/forgot', { username: 'alice' });
    expect([asked.status, asked.headers.location]).toEqual([303, '/forgot/sent']);
    const token = await mail.readToken('alice');
    const form = await agent.get(`/reset?token=${token}`);
    expect([form.status, form.headers['referrer-policy'], form.headers['cache-control']]).toEqual([
      200,
      'no-referrer',
      'no-store',
    ]);
    expect(form.text).toContain(`value="${token}"`);
    const set = await post(agent, '/reset', { token, password: NEW_PASSWORD });
    expect([set.status, set.headers.location]).toEqual([303, '/login']);
    expect(mail.notices).toEqual(['alice']);
    const login = await post(agent, '/login', { username: 'alice', password: NEW_PASSWORD });
    expect(login.headers.location).toBe('/login/pin');
    await post(agent, '/login/pin', { pin: site.code() });
    expect((await agent.get('/account')).body).toEqual({ id: 'alice' });
    expect(errors).toEqual([]);
  });

  it("opens nothing to a thief of the mailbox, who has the link but not the user's phone", async () => {
    const thief = site.agent();
    const token = await askForLink('bob');
    await post(thief, '/reset', { token, password: NEW_PASSWORD });
    expect((await thief.get('/account')).status).toBe(403);
    await post(thief, '/login', { username: 'bob', password: NEW_PASSWORD });
    expect((await thief.get('/account')).status).toBe(403);
    const wrong = await post(thief, '/login/pin', { pin: wrongCode(site.code('bob')) });
    expect(wrong.headers.location).toBe('/login/pin');
    expect((await thief.get('/account')).status).toBe(403);
    expect(mail.notices).toContain('bob');
  });

  it('ends the login of somebody who knew the old password, and that password', async () => {
    const inside = await logIn('carol');
    const token = await askForLink('carol');
    await post(site.agent(), '/reset', { token, password: NEW_PASSWORD });
    expect((await inside.get('/account')).status).toBe(401);
    expect((await post(site.agent(), '/login', passwordOf('carol'))).status).toBe(401);
  });

  it('ends a login with the old password that waits for its code, which is then worth nothing', async () => {
    const waiting = site.agent();
    await post(waiting, '/login', passwordOf('erin'));
    const token = await askForLink('erin');
    await post(site.agent(), '/reset', { token, password: 'a password of now' });
    await post(waiting, '/login/pin', { pin: site.code('erin') });
    expect((await waiting.get('/account')).status).toBe(403);
  });

  it('asks for the code on a device that was trusted before', async () => {
    const device = await logIn('dave', { trustDevice: 'on' });
    await post(site.agent(), '/reset', { token: await askForLink('dave'), password: NEW_PASSWORD });
    const login = await post(device, '/login', { username: 'dave', password: NEW_PASSWORD });
    expect(login.headers.location).toBe('/login/pin');
    expect((await device.get('/account')).status).toBe(403);
  });

  it('takes a link once, of two requests at the same time too, and then no other of that user', async () => {
    const [first, second] = [await askForLink('alice'), await askForLink('alice')];
    const answers = await Promise.all(
      ['the password of one', 'the password of another'].map((password) =>
        post(site.agent(), '/reset', { token: first, password }),
      ),
    );
    expect(answers.map(({ headers }) => String(headers.location)).sort()).toEqual([
      '/forgot',
      '/login',
    ]);
    for (const token of [first, second]) {
      const again = await post(site.agent(), '/reset', { token, password: NEW_PASSWORD });
      expect(again.headers.location).toBe('/forgot');
    }
    const stolen = await users.checkPassword('alice', NEW_PASSWORD);
    expect(stolen).toBeNull();
  });

  it('takes no link after half an hour, none that was made up, and no password that is short', async () => {
    const token = await askForLink('frank');
    const short = await post(site.agent(), '/reset', { token, password: 'short' });
    expect(short.headers.location).toBe(`/reset?token=${token}`);
    time += HALF_AN_HOUR;
    for (const dead of [token, 'x', '', '"><script>'])
      expect(
        (await post(site.agent(), '/reset', { token: dead, password: NEW_PASSWORD })).headers
          .location,
      ).toBe('/forgot');
    expect((await site.agent().get('/reset?token="><script>')).headers.location).toBe('/forgot');
    expect(await users.checkPassword('frank', NEW_PASSWORD)).toBeNull();
  });

  it('answers for a name that is nobody as for others, and sends nothing', async () => {
    const answers = await Promise.all(
      ['frank', 'nobody'].map((username) => post(site.agent(), '/forgot', { username })),
    );
    const shown = answers.map(({ status, headers, text }) => [status, headers.location, text]);
    expect(shown[0]).toEqual(shown[1]);
    await mail.readToken('frank');
    expect(mail.links).toHaveLength(1);
  });

  it('sends three links at most, and none to a host that the request names', async () => {
    for (let count = 0; count < 5; count += 1)
      await site
        .agent()
        .post('/forgot')
        .set('Host', 'thief.example')
        .type('form')
        .send({ username: 'frank' });
    expect(mail.links).toHaveLength(3);
    for (const { link } of mail.links) expect(link).toMatch(/^https:\/\/bank\.example\/reset\?/);
  });
});
