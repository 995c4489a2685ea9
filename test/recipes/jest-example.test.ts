import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GatewayClient } from 'passport-sms-otp/client';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import supertest from 'supertest';
import { createApp } from '../../docs/recipes/tested-app'; // Your app.
import { passwordOf, RecipeUsers } from './support/recipe-users'; // Your users.

const ALICE = '+12025550123';
const BOB = '+14155552671';

let simulator: GatewaySimulator;
let gateway: GatewayClient;
let app: ReturnType<typeof createApp>;

beforeAll(async () => {
  simulator = await GatewaySimulator.start({ variant: 'A', fixedPins: { [BOB]: '123456' } });
  const { baseUrl, variant, username, password } = simulator;
  gateway = new GatewayClient({ baseUrl, variant, username, password });
  app = createApp({ gateway, users: new RecipeUsers(), sessionSecret: 'secret' });
});

afterAll(async () => {
  await gateway.close();
  await simulator.close();
});

it('lets in who enters the code that was texted', async () => {
  const browser = supertest.agent(app);
  await browser.post('/login').send(passwordOf('alice')).expect(200);
  await browser.get('/account').expect(403);
  await browser
    .post('/login/pin')
    .send({ pin: simulator.lastPin(ALICE) })
    .expect(200);
  await browser.get('/account').expect(200);
});

it('refuses a wrong code, then takes the one that is the same every time', async () => {
  const browser = supertest.agent(app);
  await browser.post('/login').send(passwordOf('bob')).expect(200);
  await browser.post('/login/pin').send({ pin: '654321' }).expect(401);
  await browser.post('/login/pin').send({ pin: '123456' }).expect(200);
});

it('says 502 when the answer is lost, and lets nobody in', async () => {
  const browser = supertest.agent(app);
  await browser.post('/login').send(passwordOf('carol')).expect(200);
  simulator.failNext('validate', { kind: 'reset', when: 'after' });
  await browser
    .post('/login/pin')
    .send({ pin: simulator.lastPin('+13125550188') })
    .expect(502);
  await browser.get('/account').expect(403);
});

it('refuses a code that is too old for the gateway', async () => {
  const browser = supertest.agent(app);
  await browser.post('/login').send(passwordOf('dave')).expect(200);
  simulator.advanceSeconds(301);
  await browser
    .post('/login/pin')
    .send({ pin: simulator.lastPin('+16175550144') })
    .expect(401);
});

it('texts no number that receives no texts', async () => {
  const status = { status: 'invalid', advancedStatus: 'TELE_SERVICE_NOT_PROVISIONED' };
  simulator.subscribers.set('+13035550155', status);
  const { sent } = simulator.stats();
  const answer = await supertest(app).post('/login').send(passwordOf('erin')).expect(403);
  expect([answer.body, simulator.stats().sent]).toEqual([{ error: 'unsuitable-phone' }, sent]);
});
