import { describe, expect, it } from '@jest/globals';
import { ALICE, BOB } from '../support/test-app';
import { useApp } from '../support/use-app';

const PASSWORD = { username: 'alice', password: 'right' };

describe.each(['A', 'B'] as const)('a login in variant %s', (variant) => {
  const test = useApp({ variant });

  it('takes the password, texts a code, takes the code and opens the account', async () => {
    const agent = test.agent();
    const sent = await agent.post('/login').send(PASSWORD);
    expect(sent.status).toBe(200);
    expect(sent.body).toMatchObject({ sent: true, purpose: 'login', maskedPhone: '•• •• 23' });
    const verified = await agent.post('/login/pin').send({ pin: test.code() });
    expect(verified.body).toMatchObject({
      verified: true,
      method: 'sms',
      authInfo: { amr: ['pwd', 'sms'] },
    });
    const account = await agent.get('/account');
    expect(account.status).toBe(200);
    expect(account.body).toEqual({ id: 'alice' });
  });

  it('makes exactly two gateway calls and one authentication', async () => {
    const agent = test.agent();
    await agent.post('/login').send(PASSWORD);
    await agent.post('/login/pin').send({ pin: test.code() });
    expect(test.sim.stats().calls).toMatchObject({
      auth: 1,
      generate: 1,
      validate: 1,
      balance: 0,
      lookup: 0,
    });
  });

  it('leaves the user a stranger between the factors', async () => {
    const agent = test.agent();
    await agent.post('/login').send(PASSWORD);
    const status = await agent.get('/status');
    expect(status.body).toMatchObject({
      isAuthenticated: false,
      hasSecondFactor: false,
      verified: null,
    });
    expect((await agent.get('/account')).status).toBe(403);
  });

  it('does not let one user in with the code of another', async () => {
    const [alice, bob] = [test.agent(), test.agent()];
    await alice.post('/login').send(PASSWORD);
    await bob.post('/login').send({ username: 'bob', password: 'right' });
    const crossed = await alice.post('/login/pin').send({ pin: test.code(BOB) });
    expect([crossed.status, crossed.body]).toEqual([401, { error: 'invalid-code' }]);
    const [a, b] = await Promise.all([
      alice.post('/login/pin').send({ pin: test.code(ALICE) }),
      bob.post('/login/pin').send({ pin: test.code(BOB) }),
    ]);
    expect([a.status, b.status]).toEqual([200, 200]);
    expect((await alice.get('/account')).body).toEqual({ id: 'alice' });
    expect((await bob.get('/account')).body).toEqual({ id: 'bob' });
  });
});
