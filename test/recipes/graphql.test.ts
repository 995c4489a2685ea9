import { describe, expect, it } from '@jest/globals';
import { createApp } from '../../docs/recipes/graphql';
import { wrongCode } from '../support/visit';
import { useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

const ACCOUNT = '{ account { id } }';
const RENAME = 'mutation ($name: String!) { rename(name: $name) { id } }';
const REFUSED = [{ extensions: { code: 'SECOND_FACTOR_REQUIRED' } }];

describe('the recipe for GraphQL', () => {
  const names = new Map<string, string>();
  const site = useRecipe('A', (parts) => createApp({ ...parts, names }));
  type Agent = ReturnType<typeof site.agent>;

  const ask = async (agent: Agent, query: string, variables = {}): Promise<unknown> =>
    (await agent.post('/graphql').send({ query, variables })).body;

  async function begin(id: string): Promise<Agent> {
    const agent = site.agent();
    expect((await agent.post('/login').send(passwordOf(id))).status).toBe(200);
    return agent;
  }

  async function logIn(id: string): Promise<Agent> {
    const agent = await begin(id);
    expect((await agent.post('/login/pin').send({ pin: site.code(id) })).status).toBe(200);
    return agent;
  }

  it('answers whoever has entered the code, until the logout, and public fields to everybody', async () => {
    expect(await ask(site.agent(), '{ time }')).toEqual({ data: { time: expect.any(String) } });
    const agent = await logIn('alice');
    expect(await ask(agent, ACCOUNT)).toEqual({ data: { account: { id: 'alice' } } });
    await ask(agent, RENAME, { name: 'Alice' });
    expect(names.get('alice')).toBe('Alice');
    await agent.post('/logout');
    expect(await ask(agent, ACCOUNT)).toMatchObject({ data: null, errors: REFUSED });
  });

  it('answers no field that needs the code to whoever knows the password alone', async () => {
    for (const thief of [site.agent(), await begin('bob')]) {
      expect(await ask(thief, ACCOUNT)).toMatchObject({ data: null, errors: REFUSED });
      expect(await ask(thief, RENAME, { name: 'thief' })).toMatchObject({ errors: REFUSED });
      const both = await ask(thief, `{ time a: account { id } b: account { id } }`);
      expect(both).toMatchObject({ data: null });
      const fragment = `query { ...F } fragment F on Query { account { id } }`;
      expect(await ask(thief, fragment)).toMatchObject({ data: null, errors: REFUSED });
    }
    expect(names.has('bob')).toBe(false);
  });

  it('gives no more guesses by aliases and batches than by single requests', async () => {
    const thief = await begin('dave');
    const pin = wrongCode(site.code('dave'));
    const guesses = Array.from({ length: 50 }, (_, at) => `g${at}: verify(pin: "${pin}")`);
    const aliases = await ask(thief, `mutation { ${guesses.join(' ')} }`);
    expect(aliases).toMatchObject({ errors: expect.any(Array) });
    expect(aliases).not.toHaveProperty('data');
    const batch = Array.from({ length: 50 }, () => ({ query: ACCOUNT, pin }));
    expect((await thief.post('/graphql').send(batch)).status).toBe(400);
    const codes = await thief.post('/login/pin').send(batch);
    expect(codes.status).toBe(400);
    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess += 1)
      statuses.push((await thief.post('/login/pin').send({ pin })).status);
    expect(statuses.every((status) => status >= 400)).toBe(true);
    expect((await thief.post('/login/pin').send({ pin: site.code('dave') })).status).toBe(401);
    expect(await ask(thief, ACCOUNT)).toMatchObject({ data: null, errors: REFUSED });
  });

  it('says by its status that the code is missing, where it answers nothing', async () => {
    const thief = await begin('frank');
    expect((await thief.post('/graphql').send({ query: ACCOUNT })).status).toBe(403);
    expect((await thief.post('/graphql').send({ query: '{ time }' })).status).toBe(200);
  });

  it("takes nothing that another site's form can send", async () => {
    const agent = await logIn('erin');
    const variables = { name: 'forged' };
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const body = JSON.stringify({ query: RENAME, variables });
      const { status } = await agent.post('/graphql').set('Content-Type', type).send(body);
      expect(status).toBe(415);
    }
    expect((await agent.get('/graphql').query({ query: ACCOUNT })).status).toBe(404);
    expect((await agent.post('/graphql')).status).toBe(415);
    expect(names.has('erin')).toBe(false);
  });
});
