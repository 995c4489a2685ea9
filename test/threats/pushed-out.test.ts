import { describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import type { Factor, SmsOtp } from 'passport-sms-otp';
import { createGate } from '../middleware/support/gate';
import { FakeGateway } from '../support/fake-gateway';
import { BOB, type TestApp } from '../support/test-app';
import { type Answer, visit, type Visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const APP_CODE = '246810';

const totp: Factor = {
  name: 'totp',
  isAvailable: () => true,
  check: ({ code }) => code === APP_CODE,
};

function addAppRoutes(app: Express, { verifyWith }: SmsOtp): void {
  app.post(
    '/app',
    verifyWith?.('totp') ?? [],
    (req: { smsOtp?: unknown }, res: { json(body: unknown): void }) => res.json(req.smsOtp),
  );
}

const at = (test: TestApp, address: string): Visit =>
  visit(test, BOB, { 'x-forwarded-for': address });

/** Logins with the right password, begun one after the other from so many addresses. */
async function flood(test: TestApp, addresses: number, logins: number): Promise<void> {
  for (let login = 0; login < logins; login += 1) {
    const block = login % addresses;
    await at(test, `198.51.${Math.floor(block / 250)}.${(block % 250) + 1}`).login();
  }
}

/** How an owner elsewhere goes on after the flood. */
const WAYS: readonly (readonly [string, (owner: Visit, code: string) => Promise<Answer>])[] = [
  ['a recovery code', (owner, code) => owner.recover(code)],
  ['the code of an app', (owner) => owner.post('/app', { pin: APP_CODE })],
];

/** Hundreds of whole requests take time on a machine that does other things. */
const TIMEOUT_MS = 240_000;

describe.each([
  [1, 150],
  [50, 200],
  [500, 500],
])('a flood of logins from %d addresses', (addresses, logins) => {
  const apps = useOwnApps({
    hasFactors: true,
    trustProxy: 1,
    routes: addAppRoutes,
    options: { factors: [totp] },
  });

  it.each(WAYS)(
    'leaves an owner elsewhere who enters %s',
    async (_way, goOn) => {
      const test = await apps.start({ users: [BOB] });
      const first = at(test, '203.0.113.1');
      await first.login();
      await first.enterRight();
      const { codes } = (await first.post('/codes')).body as { codes: readonly string[] };
      test.clock.advanceSeconds(600);
      // The gap of the flood's first message runs: the owner waits without one.
      await flood(test, addresses, 1);
      const owner = at(test, '203.0.113.9');
      expect((await owner.login()).body).toMatchObject({ pending: true });
      await flood(test, addresses, logins);

      expect((await goOn(owner, codes[0] ?? '')).status).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(
    'answers an owner elsewhere whose login is older with a reason',
    async () => {
      const test = await apps.start({ users: [BOB] });
      const first = at(test, '203.0.113.1');
      await first.login();
      await first.enterRight();
      const { codes } = (await first.post('/codes')).body as { codes: readonly string[] };
      test.clock.advanceSeconds(600);
      await flood(test, addresses, 1);
      const owner = at(test, '203.0.113.9');
      await owner.login();
      await flood(test, addresses, logins);
      test.clock.advanceSeconds(61);
      await flood(test, addresses, logins);

      const { status, body } = await owner.recover(codes[0]);
      // From about five address blocks on, others can end a login that waits for a minute.
      expect(addresses <= 50 ? [200] : [200, 401, 429]).toContain(status);
      expect(body).not.toMatchObject({ error: 'invalid-code' });
    },
    TIMEOUT_MS,
  );

  it(
    'leaves an owner elsewhere whose message is on its way',
    async () => {
      const gate = createGate();
      const gateway = new FakeGateway();
      gateway.answerGenerate = (id) => gate.pass().then(() => ({ id }));
      const test = await apps.start({ users: [BOB], options: { gateway } });
      const owner = at(test, '203.0.113.9');
      const hold = gate.holdNext();
      const login = owner.login().then((answer) => answer);
      await hold.arrived;
      await flood(test, addresses, logins);
      hold.release();

      expect((await login).body).toMatchObject({ sent: true });
      expect((await owner.enter(gateway.lastPin(BOB.phone))).status).toBe(200);
    },
    TIMEOUT_MS,
  );
});
