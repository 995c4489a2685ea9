import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import supertest from 'supertest';
import { createApp, createGateway } from '../../docs/recipes/two-apps-one-redis';
import { serve } from '../app-checks/support/base-app';
import { useGateway } from '../app-checks/support/use-gateway';
import { describeWithService } from '../services/describe-with-service';
import { useRedis } from '../services/use-service';
import { wrongCode } from '../support/visit';
import { expectChecksToPass, RECIPE_APP } from './support/pass-checks';
import { passwordOf, RECIPE_SECRETS, RecipeUsers } from './support/recipe-users';

describeWithService('redis')('the recipe for two apps on one Redis', () => {
  const users = new RecipeUsers();
  const closings: (() => unknown)[] = [];
  let sim: GatewaySimulator;

  beforeAll(async () => {
    // In B an authentication throws out whoever held the earlier token: there it shows who shares
    // and who does not.
    sim = await GatewaySimulator.start({ variant: 'B' });
    closings.push(() => sim.close());
  });
  afterAll(async () => {
    for (const close of closings.reverse()) await close();
  });
  // Behind that: hooks are called in the order of their definition, and the apps end first.
  const redis = useRedis();

  /** An app as a process of its own would run it: with its own client of the gateway. */
  function start(name: string): ReturnType<typeof supertest.agent> {
    const { baseUrl, username, password } = sim;
    const gateway = createGateway(redis.client, { baseUrl, variant: 'B', username, password });
    closings.push(() => gateway.close());
    const server = createServer(
      createApp({
        name,
        users,
        redis: redis.client,
        gateway,
        sessionSecret: `the session secret of ${name}`,
        otpSecret: `the secret of ${name}, long enough to be one`,
      }),
    );
    closings.push(() => server.close());
    return supertest.agent(server.listen(0, '127.0.0.1'));
  }

  const codeOf = (id: string): string => sim.lastPin(users.phoneOf(id)) ?? 'none';

  async function logIn(agent: ReturnType<typeof supertest.agent>, id: string): Promise<number> {
    await agent.post('/login').send(passwordOf(id));
    return (await agent.post('/login/pin').send({ pin: codeOf(id) })).status;
  }

  it('logs in at both with one authentication at the gateway: they share its token', async () => {
    const [shop, bank] = [start('shop'), start('bank')];
    expect([
      await logIn(shop, 'alice'),
      await logIn(bank, 'bob'),
      await logIn(shop, 'carol'),
    ]).toEqual([200, 200, 200]);
    expect((await bank.get('/account')).body).toEqual({ id: 'bob' });
    expect(sim.stats().authentications.credentials).toBe(1);
  });

  it('does not take a session of the one app for one of the other, whatever the cookie is called', async () => {
    const [shop, bank] = [start('shop'), start('bank')];
    await shop.post('/login').send(passwordOf('dave'));
    const answer = await shop.post('/login/pin').send({ pin: codeOf('dave') });
    const cookie = /shop=([^;]+)/.exec(String(answer.headers['set-cookie']))?.[1] ?? 'none';
    expect((await shop.get('/account').set('cookie', `shop=${cookie}`)).status).toBe(200);
    for (const name of ['shop', 'bank', 'connect.sid']) {
      expect((await bank.get('/account').set('cookie', `${name}=${cookie}`)).status).toBe(403);
    }
  });

  it('counts for each app by itself: guesses and sends at the one do not lock or replace anything at the other', async () => {
    const [shop, bank] = [start('shop'), start('bank')];
    await bank.post('/login').send(passwordOf('erin'));
    const code = codeOf('erin');
    expect((await shop.post('/login').send(passwordOf('erin'))).status).toBe(200);
    for (let round = 0; round < 5; round += 1) {
      await shop.post('/login/pin').send({ pin: wrongCode(codeOf('erin')) });
    }
    expect((await shop.post('/login/pin').send({ pin: codeOf('erin') })).status).toBe(401);
    expect((await bank.post('/login/pin').send({ pin: code })).status).toBe(200);
  });

  it('keeps everything under its own name, and the token sealed', async () => {
    for (const name of ['shop', 'bank']) expect(await logIn(start(name), 'frank')).toBe(200);
    const keys = await redis.client.keys('*');
    const names = new Set(keys.map((key) => /^\{?(shop|bank|gateway)/.exec(key)?.[1]));
    expect(names).toEqual(new Set(['shop', 'bank', 'gateway']));
    expect(keys.filter((key) => key.includes('shop') && key.includes('bank'))).toEqual([]);
  });
});

describeWithService('redis')('one of the two apps', () => {
  const gateway = useGateway();
  const redis = useRedis();

  it('passes the checks', async () => {
    const { baseUrl, username, password } = gateway.simulator;
    const client = createGateway(redis.client, { baseUrl, variant: 'B', username, password });
    const parts = { users: new RecipeUsers(), redis: redis.client, gateway: client };
    let started = 0;
    const app = {
      // Each with a name of its own: so its sessions and its store are empty.
      start: () =>
        serve(createApp({ name: `shop-${(started += 1)}`, ...parts, ...RECIPE_SECRETS })),
      simulator: () => gateway.simulator,
      ...RECIPE_APP,
    };
    await expectChecksToPass(app, 3).finally(() => client.close());
  });
});
