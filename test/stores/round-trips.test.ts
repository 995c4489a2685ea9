import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { redisStore } from 'passport-sms-otp/redis';
import type { Response } from 'supertest';

import type { SmsOtpOptions } from '../../src/options';
import { guardStore, type StoreEvent } from '../../src/stores/guarded-store';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { ALICE, startTestApp, type TestApp, type TestAppOptions } from '../support/test-app';
import { visit, type Visit } from '../support/visit';
import { makeBegin, makeFinish } from './make-stored';
import {
  MADE_AT,
  makeBrowser,
  makeDevice,
  makeLogin,
  makePendingBegin,
  makeSentOtp,
} from './make-values';
import { connectNodeRedis, type TestClient } from './redis-clients';

const quiet = { onWarning: () => undefined };
const now = (): number => MADE_AT;

describeWithService('redis')('round trips to Redis', () => {
  let server: Service;
  let connected: TestClient;
  beforeAll(async () => {
    server = await startRedis();
    connected = await connectNodeRedis(server.port);
  });
  afterAll(async () => {
    await connected.close();
    await server.close();
  });
  beforeEach(() => connected.command('FLUSHALL'));

  /** Counts the scripts that reach the server: each call of the store is one. */
  async function countTrips(work: () => Promise<unknown>): Promise<number> {
    await connected.command('CONFIG', 'RESETSTAT');
    await work();
    const stats = String(await connected.command('INFO', 'commandstats'));
    return Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
  }

  it('all that a success changes is one', async () => {
    const events: StoreEvent[] = [];
    const store = guardStore(redisStore(connected.client, quiet), now, (event) =>
      events.push(event),
    );
    const { pendingLogins, counters, devices, browsers, logins } = store;
    const finish = async (pendingId: string): Promise<unknown> => {
      const old = makeLogin(`old ${pendingId}`);
      await logins.put(old);
      await counters.charge(['failures', 'sends'].map((key) => ({ key, windowSeconds: 60 })));
      await pendingLogins.begin(makePendingBegin(pendingId), makeBegin());
      await pendingLogins.attach(pendingId, makeSentOtp('x'), false);
      events.length = 0;
      return pendingLogins.finish(pendingId, {
        ...makeFinish({ otpId: 'x', leavesMark: true, clears: ['failures', 'sends'] }),
        charges: [
          { key: 'proven', windowSeconds: null },
          { key: 'slow', windowSeconds: 60, amount: -1, lifts: 1 },
        ],
        puts: [
          logins.toPut(makeLogin(`new ${pendingId}`), { most: 100 }),
          browsers.toPut(makeBrowser('browser'), { most: 10 }),
          devices.toPut(makeDevice('device'), { most: 10 }),
        ],
        replaces: logins.toReference(old),
      });
    };
    const result = { isPut: true, gone: [], replaced: null };
    expect(await finish('a')).toEqual({
      isFinished: true,
      results: [result, result, result],
      replaced: expect.objectContaining({ id: 'old a' }),
    });
    expect(events).toEqual([
      { type: 'store-call', operation: 'finish', outcome: 'ok', durationMs: expect.any(Number) },
    ]);
    // Beside it: a login, a charge, and a pending login with its OTP, all made for it.
    expect(await countTrips(() => finish('b'))).toBe(5);
  });

  it('are three for a message and three for its code, in a new browser and in a known one', async () => {
    const { test, visitor } = await start({});
    try {
      // Once in a new browser, then in one that is known.
      for (let login = 0; login < 2; login += 1)
        expect(await countLogin(test, visitor)).toEqual([3, 3]);
      // A guard that has just seen the login asks nothing.
      const open = async () => expect((await visitor.account()).status).toBe(200);
      expect(await countTrips(open)).toBe(0);
      expect(await countLogin(test, visit(test, ALICE))).toEqual([3, 3]);
      // A step-up asks whether its login is active, before its message and before its session is
      // written, and looks at what it waits for after that.
      expect(await countStepUp(test, visitor)).toEqual([6, 4]);
    } finally {
      await test.close();
    }
  });

  it.each<[what: string, options: Partial<SmsOtpOptions>, message: number]>([
    ['one more', { recoveryCodes: {} }, 4],
    ['no more', { isRequiredFor: () => true }, 3],
  ])('are %s for a message with the options %p', async (_what, options, message) => {
    const { test, visitor } = await start({ options });
    try {
      expect(await countLogin(test, visitor)).toEqual([message, 3]);
    } finally {
      await test.close();
    }
  });

  it('are one more for a message where a device cookie came', async () => {
    const trustedDevices = { getPasswordVersion: () => 'first' };
    const { test, visitor } = await start({ options: { trustedDevices } });
    try {
      expect(await countLogin(test, visitor)).toEqual([3, 3]);
      visitor.device = 'x'.repeat(43);
      expect(await countLogin(test, visitor)).toEqual([4, 3]);
    } finally {
      await test.close();
    }
  });

  /** An app that has its token, and whose scripts the server knows. */
  async function start(given: TestAppOptions): Promise<{ test: TestApp; visitor: Visit }> {
    const test = await startTestApp({
      ...given,
      // The app of the tests has it; an app with the options' defaults has not.
      oddOptions: { isRequiredFor: given.options?.isRequiredFor },
      store: () => redisStore(connected.client, quiet),
    });
    await visit(test, ALICE).logIn();
    await test.smsOtp.unlockUser(ALICE.id);
    return { test, visitor: visit(test, ALICE) };
  }

  /** Logs in, and returns how many round trips the message and the code took. */
  async function countLogin(test: TestApp, visitor: Visit): Promise<[number, number]> {
    visitor.leave();
    return countBoth(test, visitor, visitor.login);
  }

  function countStepUp(test: TestApp, visitor: Visit): Promise<[number, number]> {
    return countBoth(test, visitor, visitor.stepUp);
  }

  async function countBoth(
    test: TestApp,
    visitor: Visit,
    send: () => Promise<Response>,
  ): Promise<[number, number]> {
    await test.smsOtp.unlockUser(ALICE.id);
    const message = await countTrips(async () => expect((await send()).body.sent).toBe(true));
    const code = await countTrips(async () =>
      expect((await visitor.enterRight()).status).toBe(200),
    );
    return [message, code];
  }
});
