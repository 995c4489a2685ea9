import { describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import type { Factor, SmsOtp } from 'passport-sms-otp';
import { createGate } from '../middleware/support/gate';
import { FakeGateway } from '../support/fake-gateway';
import { ALICE } from '../support/test-app';
import { visit, type Visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const APP_CODE = '246810';

function addAppRoutes(app: Express, { stepUp, verifyWith }: SmsOtp): void {
  const transaction = () => ({ amount: '5.00', payee: 'Bob' });
  app.post(
    '/pay',
    stepUp({ transaction }),
    (req: { smsOtp?: unknown }, res: { json(body: unknown): void }) => res.json(req.smsOtp),
  );
  app.post(
    '/app',
    verifyWith?.('totp') ?? [],
    (req: { smsOtp?: unknown }, res: { json(body: unknown): void }) => res.json(req.smsOtp),
  );
}

/** Callbacks that a send calls between the password and the message. */
const HELD_IN = ['getLocale', 'getPhone', 'isRequiredFor', 'generate'] as const;

describe.each(HELD_IN)('a login whose %s is under way', (held) => {
  const apps = useOwnApps({ hasFactors: true });

  async function start() {
    const gate = createGate();
    const gateway = new FakeGateway();
    const pass = async <Value>(value: Value): Promise<Value> => {
      await gate.pass();
      return value;
    };
    if (held === 'generate') gateway.answerGenerate = (id) => gate.pass().then(() => ({ id }));
    const test = await apps.start({
      options: {
        gateway,
        ...(held === 'getLocale' && { getLocale: () => pass('en') }),
        ...(held === 'getPhone' && { getPhone: () => pass(ALICE.phone) }),
        ...(held === 'isRequiredFor' && { isRequiredFor: () => pass(true) }),
      },
    });
    return { test, gate, gateway };
  }

  it.each<[string, (smsOtp: SmsOtp) => unknown]>([
    ['logins.revokeAll', (smsOtp) => smsOtp.logins?.revokeAll('alice')],
    ['forgetUser', (smsOtp) => smsOtp.forgetUser('alice')],
  ])('is ended by %s, and its code is refused', async (_name, end) => {
    const { test, gate, gateway } = await start();
    const alice = visit(test);
    const hold = gate.holdNext();
    const login = alice.login();
    const answer = login.then((given) => given);
    await hold.arrived;
    await end(test.smsOtp);
    hold.release();

    expect((await answer).status).toBe(401);
    await alice.enter(gateway.lastPin(ALICE.phone));
    expect((await alice.account()).status).toBe(403);
    expect(await test.smsOtp.logins?.list('alice')).toEqual([]);
  });
});

describe.each(['A', 'B'] as const)('pending logins of one session, variant %s', (variant) => {
  let release: (() => void) | undefined;
  const totp: Factor = {
    name: 'totp',
    isAvailable: () => true,
    check: async ({ code }) => {
      await new Promise<void>((resolve) => {
        if (release === undefined) resolve();
        else release = resolve;
      });
      return code === APP_CODE;
    },
  };
  const apps = useOwnApps({ variant, options: { factors: [totp] }, routes: addAppRoutes });

  it('a step-up that succeeds late leaves a transaction whose message was sent meanwhile', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.login();
    await alice.enterRight();
    test.clock.advanceSeconds(60);
    await alice.stepUp();
    test.clock.advanceSeconds(60);
    let hasArrived = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (hasArrived = resolve));
    release = () => undefined;
    const late = alice.post('/app', { pin: APP_CODE }).then((answer) => answer);
    const wait = setInterval(() => {
      if (test.told('store-call').length > 0) hasArrived();
    }, 1);
    await arrived;
    clearInterval(wait);

    expect((await alice.post('/pay')).body).toMatchObject({ sent: true });
    const letGo: () => void = release;
    release = undefined;
    letGo();

    expect((await late).status).toBe(401);
    const paid = await alice.enterRight();
    expect([paid.status, paid.body.transaction]).toEqual([200, { amount: '5.00', payee: 'Bob' }]);
  });
});

describe('with acceptsEarlierCode: false', () => {
  const apps = useOwnApps();

  it('a code that was right is refused when a newer message has gone out meanwhile', async () => {
    const gate = createGate();
    const gateway = new FakeGateway();
    gateway.answerValidate = (verdict) => gate.pass().then(() => verdict);
    const test = await apps.start({ options: { gateway, acceptsEarlierCode: false } });
    const alice = visit(test);
    await alice.login();
    const older = gateway.lastPin(ALICE.phone);
    test.clock.advanceSeconds(30);
    const hold = gate.holdNext();
    const late = alice.enter(older).then((answer) => answer);
    await hold.arrived;
    expect((await alice.resend()).status).toBe(200);
    hold.release();

    expect((await late).status).toBe(401);
    expect((await alice.account()).status).toBe(403);
    expect((await alice.enter(gateway.lastPin(ALICE.phone))).status).toBe(200);
  });
});

/** The browser of an attempt: each way makes browser K unknown while its login is pending. */
describe.each<[string, (smsOtp: SmsOtp, k: Visit) => unknown]>([
  ['logins.revokeAll', (smsOtp) => smsOtp.logins?.revokeAll('alice')],
  ['new recovery codes', (_smsOtp, k) => k.post('/codes')],
])('a browser that %s has made unknown', (_name, makeUnknown) => {
  const totp: Factor = {
    name: 'totp',
    isAvailable: () => true,
    check: ({ code }) => code === APP_CODE,
  };
  const apps = useOwnApps({ hasFactors: true, routes: addAppRoutes, options: { factors: [totp] } });

  it.each(['message', 'app'])(
    'counts as one of the others, and its right code of the %s is accepted',
    async (by) => {
      const test = await apps.start({ options: { isRequiredFor: () => true } });
      const k = test.browser();
      await k.login();
      await k.enterRight();
      await makeUnknown(test.smsOtp, k);
      k.leave();
      test.clock.advanceSeconds(60);

      expect((await k.login()).body).toMatchObject({ sent: true });
      const right = by === 'app' ? await k.post('/app', { pin: APP_CODE }) : await k.enterRight();
      expect(right.status).toBe(200);
      // It is known again from this success on.
      expect(test.told('verified').at(-1)).toMatchObject({ isKnownBrowser: false });
      k.leave();
      test.clock.advanceSeconds(60);
      await k.login();
      await k.enterRight();
      expect(test.told('verified').at(-1)).toMatchObject({ isKnownBrowser: true });
    },
  );
});
