import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GatewayClient } from 'passport-sms-otp/client';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import supertest from 'supertest';
import { createApp } from '../../docs/recipes/tested-app'; // Your app.
import { passwordOf, RECIPE_SECRETS, RecipeUsers } from './support/recipe-users'; // Your users.

const ALICE = '+12025550123';
const CAROL = '+13125550188';
const ERIN = '+13035550155';

let simulator: GatewaySimulator;
let gateway: GatewayClient;
let app: ReturnType<typeof createApp>;

beforeAll(async () => {
  simulator = await GatewaySimulator.start({ variant: 'A' });
  const { baseUrl, variant, username, password } = simulator;
  gateway = new GatewayClient({ baseUrl, variant, username, password });
  app = createApp({ gateway, users: new RecipeUsers(), ...RECIPE_SECRETS });
});

afterAll(async () => {
  await gateway.close();
  await simulator.close();
});

it('opens the account after the right code', async () => {
  const browser = supertest.agent(app);
  await browser.post('/login').send(passwordOf('alice'));
  expect((await browser.get('/account')).status).toBe(403);
  await browser.post('/login/pin').send({ pin: simulator.lastPin(ALICE) });
  expect((await browser.get('/account')).status).toBe(200);
});

it('logs no one in when the answer of the gateway is lost', async () => {
  const browser = supertest.agent(app);
  await browser.post('/login').send(passwordOf('carol'));
  simulator.failNext('validate', { kind: 'reset', when: 'after' });
  const pin = simulator.lastPin(CAROL);
  expect((await browser.post('/login/pin').send({ pin })).status).toBe(502);
  expect((await browser.get('/account')).status).toBe(403);
});

it('sends no message to a number that cannot receive messages', async () => {
  simulator.subscribers.set(ERIN, {
    status: 'invalid',
    advancedStatus: 'TELE_SERVICE_NOT_PROVISIONED',
  });
  const answer = await supertest(app).post('/login').send(passwordOf('erin'));
  expect([answer.status, answer.body]).toEqual([403, { error: 'unsuitable-phone' }]);
  expect(simulator.lastPin(ERIN)).toBeUndefined();
});
