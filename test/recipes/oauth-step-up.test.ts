import { describe, expect, it } from '@jest/globals';
import { requireForClients, toClaims } from '../../docs/recipes/oauth-step-up';
import type { Factor } from 'passport-sms-otp';
import { type Agent, giveCode, logIn, statusOf } from '../middleware/support/steps';
import { useSharedApp } from '../support/use-app';

const PASSKEY: Factor = { name: 'passkey', amr: 'pop', check: ({ code }) => code === 'signed' };

const LACKS =
  'Bearer realm="bank", error="insufficient_user_authentication", ' +
  'error_description="Another or a more recent second factor is required", ';

describe('the words of OAuth', () => {
  const test = useSharedApp({
    people: 20,
    options: { factors: [PASSKEY] },
    routes(app, smsOtp) {
      const guards = {
        phr: { methods: ['passkey'] },
        fresh: { methods: ['sms', 'passkey'], maxAgeSeconds: 300 },
      };
      for (const [name, asked] of Object.entries(guards))
        app.get(
          `/api/${name}`,
          requireForClients(smsOtp, { realm: 'bank', ...asked }),
          (req, res) => void res.json(toClaims(smsOtp.status(req))),
        );
      app.post('/passkey', smsOtp.verifyWith?.('passkey') ?? []);
    },
  });

  async function challengeOf(agent: Agent, guard: string): Promise<unknown[]> {
    const { status, headers, body } = await agent.get(`/api/${guard}`);
    expect(headers['cache-control']).toBe('no-store');
    return [status, headers['www-authenticate'], body as unknown];
  }

  it('tell a client what to ask for, and admit what it asked for', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    const refused = [401, `${LACKS}acr_values="phr"`, { error: 'second-factor-required' }];
    expect(await challengeOf(agent, 'phr')).toEqual(refused);
    expect((await agent.get('/api/fresh')).body).toEqual({
      acr: 'mfa',
      amr: ['pwd', 'sms'],
      auth_time: Math.floor(test.clock.now() / 1000),
    });
    test.clock.advanceSeconds(301);
    expect((await challengeOf(agent, 'fresh'))[1]).toBe(
      `${LACKS}acr_values="mfa phr", max_age="300"`,
    );
    await agent.post('/step-up');
    await agent.post('/passkey').send({ pin: 'signed' });
    const passedAt = Math.floor(test.clock.now() / 1000);
    test.clock.advanceSeconds(100);
    expect((await agent.get('/api/phr')).body).toEqual({
      acr: 'phr',
      amr: ['pwd', 'pop'],
      auth_time: passedAt,
    });
    await agent.post('/step-up');
    await giveCode(test, agent, user);
    expect(await challengeOf(agent, 'phr')).toEqual(refused);
  });

  it('tell a stranger of no error', async () => {
    expect((await challengeOf(test.agent(), 'phr'))[1]).toBe('Bearer realm="bank"');
  });

  it('refuse a login that has ended, which has no claims', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    await test.smsOtp.logins?.revokeAll(user.id);
    expect((await challengeOf(agent, 'fresh'))[0]).toBe(401);
    expect((await statusOf(agent)).verified).toBeNull();
  });

  it('have no acr for a trusted device', () => {
    const verified = { at: 5_000, method: 'trusted-device', amr: ['pwd'] };
    const none = { pending: null, methods: null, notice: null, retryAt: null };
    expect(toClaims({ verified, ...none })).toEqual({ acr: undefined, amr: ['pwd'], auth_time: 5 });
    expect(toClaims({ verified: null, ...none })).toBeNull();
  });
});
