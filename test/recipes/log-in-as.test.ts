import { beforeEach, describe, expect, it } from '@jest/globals';
import { createApp, type ViewRecord } from '../../docs/recipes/log-in-as';
import { UsersWithStaff } from './support/dated-users';
import { useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

const QUARTER = 15 * 60 * 1000;
const ASKED = { customerId: 'alice', reason: 'ticket 4711' };

describe('the recipe for "log in as"', () => {
  const records: ViewRecord[] = [];
  let time = Date.now();
  let isRecordDown = false;
  const site = useRecipe('A', (parts) =>
    createApp({
      ...parts,
      users: new UsersWithStaff(),
      now: () => time,
      record: (view) => {
        if (isRecordDown) return Promise.reject(new Error('the database is away'));
        return Promise.resolve(void records.push(view));
      },
    }),
  );
  type Agent = ReturnType<typeof site.agent>;

  beforeEach(() => {
    records.length = 0;
  });

  async function logIn(id: string, agent: Agent = site.agent()): Promise<Agent> {
    await agent.post('/login').send(passwordOf(id));
    expect((await agent.post('/login/pin').send({ pin: site.code(id) })).status).toBe(200);
    return agent;
  }

  const view = (agent: Agent) => agent.get('/support/view/account');

  it('shows the page of a customer to staff, who stay themselves, with a record', async () => {
    const staff = await logIn('carol');
    const begun = await staff.post('/support/view').send(ASKED);
    expect([begun.status, begun.body]).toEqual([200, { viewing: 'alice' }]);
    expect((await view(staff)).body).toEqual({ viewedBy: 'carol', id: 'alice', balance: '12.50' });
    expect((await staff.get('/account')).body).toMatchObject({ id: 'carol' });
    expect(records).toEqual([{ by: 'carol', ...ASKED, at: time }]);
    await staff.post('/support/view/end');
    expect((await view(staff)).status).toBe(403);
  });

  it('opens nothing to a thief of a staff password, before the code', async () => {
    const thief = site.agent();
    await thief.post('/login').send(passwordOf('erin'));
    expect((await thief.post('/support/view').send(ASKED)).status).toBe(403);
    expect((await view(thief)).status).toBe(403);
    expect(records).toEqual([]);
  });

  it('opens nothing to a customer', async () => {
    const customer = await logIn('bob');
    const refused = await customer.post('/support/view').send(ASKED);
    expect([refused.status, refused.body]).toEqual([403, { error: 'staff-only' }]);
    expect((await view(customer)).status).toBe(403);
  });

  it('shows no staff, nobody without a reason, and nothing that is not written down', async () => {
    const staff = await logIn('carol');
    for (const asked of [
      { ...ASKED, customerId: 'frank' },
      { ...ASKED, customerId: 'carol' },
      { ...ASKED, customerId: 'nobody' },
      { ...ASKED, customerId: { toString: 1 } },
      { ...ASKED, reason: ' ' },
      { customerId: 'alice' },
    ])
      expect((await staff.post('/support/view').send(asked)).status).toBe(400);
    isRecordDown = true;
    expect((await staff.post('/support/view').send(ASKED)).status).toBe(500);
    isRecordDown = false;
    expect((await view(staff)).status).toBe(403);
    expect(records).toEqual([]);
  });

  it('changes nothing: no request of a view is answered but GET', async () => {
    const staff = await logIn('carol');
    await staff.post('/support/view').send(ASKED);
    for (const method of ['post', 'put', 'patch', 'delete'] as const)
      expect((await staff[method]('/support/view/account').send({ balance: '0' })).status).toBe(
        404,
      );
  });

  it('ends after a quarter of an hour, and with the next login in the same browser', async () => {
    const staff = await logIn('carol');
    await staff.post('/support/view').send(ASKED);
    time += QUARTER - 1;
    expect((await view(staff)).status).toBe(200);
    time += 1;
    expect((await view(staff)).status).toBe(403);
    await staff.post('/support/view').send(ASKED);
    await staff.post('/logout');
    expect((await view(staff)).status).toBeGreaterThanOrEqual(401);
    await logIn('frank', staff);
    expect((await view(staff)).status).toBe(403);
  });
});
