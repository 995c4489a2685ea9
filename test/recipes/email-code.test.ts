import { beforeEach, describe, expect, it } from '@jest/globals';
import { createApp } from '../../docs/recipes/email-code';
import { useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

const MAIL = 'alice@example.org';

describe('the recipe for codes by email', () => {
  const sent: { to: string; subject: string; text: string }[] = [];
  const findEmail = (id: string): Promise<string | null> =>
    Promise.resolve(id === 'bob' ? null : `${id}@example.org`);
  const site = useRecipe('A', (parts) => {
    const mailer = {
      sendMail: (message: (typeof sent)[number]) => Promise.resolve(sent.push(message)),
    };
    const users = Object.assign(Object.create(parts.users) as typeof parts.users, {
      findPhone: (id: string) =>
        id === 'carol' ? Promise.resolve(null) : parts.users.findPhone(id),
    });
    return createApp({ ...parts, users, mailer, findEmail });
  });
  beforeEach(() => {
    sent.length = 0;
  });
  type Agent = ReturnType<typeof site.agent>;

  const post = (agent: Agent, path: string, fields: object = {}) =>
    agent.post(path).type('form').send(fields);
  const lastCode = (): string => /[0-9]{6}/.exec(sent.at(-1)?.text ?? '')?.[0] ?? 'none';
  const pageOf = async (agent: Agent): Promise<string> =>
    (await agent.get('/second-factor/code')).text;

  async function begin(id: string): Promise<Agent> {
    const agent = site.agent();
    const answer = await post(agent, '/login', passwordOf(id));
    expect(answer.headers.location).toBe('/second-factor/code');
    return agent;
  }

  it('sends the code to a user who has no number, and marks the login', async () => {
    const agent = await begin('carol');
    expect(sent).toMatchObject([{ to: 'carol@example.org', subject: 'Your code' }]);
    expect(sent[0]?.text).toContain('Harbour');
    const page = await pageOf(agent);
    expect(page).toContain('c•••@example.org');
    expect(page).not.toMatch(/text message|carol@/);
    const passed = await post(agent, '/second-factor/code', { pin: lastCode() });
    expect(passed.headers.location).toBe('/account');
    expect((await agent.get('/account')).body).toEqual({ id: 'carol', amr: ['pwd', 'email'] });
    // The code works once.
    const again = await begin('dave');
    await post(again, '/second-factor/code', { pin: lastCode() });
    expect((await again.get('/account')).status).not.toBe(200);
  });

  it('offers the address beside the number', async () => {
    const agent = await begin('alice');
    expect(sent).toEqual([]);
    const page = await pageOf(agent);
    expect(page).toContain('text message to the number ending in 23');
    expect(page).toContain('a•••@example.org');
    expect(page).not.toContain(MAIL);
    const passed = await post(agent, '/second-factor/code', { pin: site.code('alice') });
    expect(passed.headers.location).toBe('/account');
    expect((await agent.get('/account')).body).toEqual({ id: 'alice', amr: ['pwd', 'sms'] });
    expect((await post(agent, '/email')).status).toBe(200);
  });

  it('does not offer it to a user without an address', async () => {
    expect(await pageOf(await begin('bob'))).not.toContain('@');
  });

  it('is not enough where the guard wants a text message', async () => {
    const agent = await begin('carol');
    await post(agent, '/second-factor/code', { pin: lastCode() });
    expect((await post(agent, '/email')).status).not.toBe(200);
  });
});
