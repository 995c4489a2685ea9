import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Consents, createApp, SENTENCE } from '../../docs/recipes/consent';
import { memoryPhoneBook } from '../../docs/recipes/phone-book-memory';
import { wrongCode } from '../support/visit';
import { useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

const [NEW, OTHER, OWNED] = ['+18185550142', '+18175550143', '+18165550144'] as const;
const [KEPT, STRANGE] = ['+18145550146', '+18155550145'] as const;

describe('the recipe for consent', () => {
  const consents: Consents = [];
  const phoneBook = memoryPhoneBook();
  const site = useRecipe('A', (parts) => createApp({ ...parts, phoneBook, consents }));
  type Agent = ReturnType<typeof site.agent>;

  beforeEach(() => {
    consents.length = 0;
  });

  const post = (agent: Agent, path: string, fields: object) =>
    agent.post(path).type('form').send(fields);
  const codeAt = (phone: string): string => site.sim.lastPin(phone) ?? 'none';

  async function logIn(id: string): Promise<Agent> {
    const agent = site.agent();
    expect((await post(agent, '/login', passwordOf(id))).headers.location).toBe('/phone');
    return agent;
  }

  it('shows the sentence and the link beside the field, and writes down who has agreed, and when', async () => {
    const agent = await logIn('alice');
    const { text } = await agent.get('/phone');
    expect(text).toContain(SENTENCE);
    expect(text).toContain('href="/privacy#phone"');
    const before = Date.now();
    await post(agent, '/phone', { phone: NEW });
    const after = Date.now();
    expect(consents).toMatchObject([
      { userId: 'alice', mobile: NEW, sentence: SENTENCE, confirmedAt: null, endedAt: null },
    ]);
    expect(consents[0]?.consentedAt).toBeGreaterThanOrEqual(before);
    expect(consents[0]?.consentedAt).toBeLessThanOrEqual(after);
    await post(agent, '/phone/pin', { pin: codeAt(NEW) });
    expect(consents).toMatchObject([{ confirmedAt: expect.any(Number), endedAt: null }]);
    const { body } = await agent.get('/account');
    expect(body).toMatchObject({ id: 'alice', phones: [{ isConfirmed: true }] });
  });

  it('takes no time from the request, and no consent of another user', async () => {
    const agent = await logIn('bob');
    const before = Date.now();
    const forged = { consentedAt: '1', userId: 'carol', confirmedAt: '1', sentence: 'all' };
    await post(agent, '/phone', { phone: OTHER, ...forged });
    expect(consents).toMatchObject([{ userId: 'bob', sentence: SENTENCE, confirmedAt: null }]);
    expect(consents[0]?.consentedAt).toBeGreaterThanOrEqual(before);
  });

  it("counts nothing for a stranger who types somebody's number and guesses the code", async () => {
    const stranger = await logIn('carol');
    await post(stranger, '/phone', { phone: OWNED });
    await post(stranger, '/phone/pin', { pin: wrongCode(codeAt(OWNED)) });
    expect(consents).toMatchObject([{ userId: 'carol', confirmedAt: null }]);
    expect((await stranger.get('/account')).status).toBe(403);
  });

  it('writes nothing down, and texts nothing, for a thief of the password of a user with a number', async () => {
    const owner = await logIn('erin');
    await post(owner, '/phone', { phone: KEPT });
    await post(owner, '/phone/pin', { pin: codeAt(KEPT) });
    consents.length = 0;
    const { sent } = site.sim.stats();
    const thief = site.agent();
    await post(thief, '/login', passwordOf('erin'));
    await post(thief, '/phone', { phone: STRANGE });
    expect(consents).toEqual([]);
    // The login's own.
    expect(site.sim.stats().sent).toBe(sent + 1);
    expect(await phoneBook.list('erin')).toHaveLength(1);
  });
});

describe('the record of a consent', () => {
  const consents: Consents = [];
  const site = useRecipe('B', (parts) =>
    createApp({ ...parts, phoneBook: memoryPhoneBook(), consents }),
  );

  it('has an end when the number is replaced or removed, and stays', async () => {
    const agent = site.agent();
    await agent.post('/login').type('form').send(passwordOf('dave'));
    for (const phone of [NEW, OTHER]) {
      await agent.post('/phone').type('form').send({ phone });
      const pin = site.sim.lastPin(phone);
      await agent.post('/phone/pin').type('form').send({ pin });
    }
    const { body } = await agent.get('/account');
    const [{ phoneId }] = (body as { phones: [{ phoneId: string }] }).phones;
    await agent.post('/phone/remove').type('form').send({ phoneId });
    expect(consents.map(({ mobile, endedAt }) => [mobile, endedAt === null])).toEqual([
      [NEW, false],
      [OTHER, true],
    ]);
  });
});
