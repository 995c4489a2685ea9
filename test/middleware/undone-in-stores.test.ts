import { afterEach, expect, it } from '@jest/globals';
import type { SmsOtpStore } from 'passport-sms-otp';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import { describeWithService } from '../services/describe-with-service';
import { usePostgres, useRedis } from '../services/use-service';
import { ALICE, type TestApp } from '../support/test-app';
import { useOwnApps } from '../support/use-app';
import type { Visit } from '../support/visit';

// What a success wrote is undone in the stores of servers as in memory: see undone-successes.

const apps = useOwnApps({ hasFactors: true });

describeWithService('redis')('a success without its session, in Redis', () => {
  const redis = useRedis();
  afterEach(() => redis.client.flushAll());
  describeUndo(() => redisStore(redis.client, { onWarning: () => undefined }));
});

describeWithService('postgres')('a success without its session, in PostgreSQL', () => {
  const postgres = usePostgres((pool) => postgresStore(pool).migrate());
  afterEach(() =>
    postgres.pool.query('TRUNCATE sms_otp_counter, sms_otp_pending_login, sms_otp_record'),
  );
  describeUndo(() => postgresStore(postgres.pool));
});

/** Everything that the store has of Alice and that lets her in. */
async function records({ smsOtp }: TestApp) {
  const { knownBrowsers, trustedDevices } = await smsOtp.exportUser(ALICE.id);
  const logins = (await smsOtp.logins?.list(ALICE.id)) ?? [];
  return { logins, knownBrowsers, trustedDevices };
}

/** Enters the right code while no session can be saved. */
async function enterUnsaved(test: TestApp, alice: Visit, more = {}): Promise<void> {
  test.sessions.failSets = true;
  const answer = await alice.enterRight(more);
  test.sessions.failSets = false;
  expect(answer.status).toBeGreaterThanOrEqual(500);
  expect(answer.setCookies.filter((line) => line.startsWith('__Host-'))).toEqual([]);
}

function describeUndo(openStore: () => SmsOtpStore): void {
  const start = (): Promise<TestApp> => apps.start({ options: { store: openStore() } });

  it.each([{}, { trustDevice: 'on' }])('leaves no new record: %j', async (more) => {
    const test = await start();
    const alice = test.browser();
    await alice.login();
    await enterUnsaved(test, alice, more);
    expect(await records(test)).toEqual({ logins: [], knownBrowsers: [], trustedDevices: [] });
    expect(test.told('verified')).toEqual([]);
    expect((await alice.account()).status).toBe(403);
  });

  it('brings back the records that were replaced', async () => {
    const test = await start();
    const alice = test.browser();
    await alice.trust();
    const { device } = alice;
    const before = await records(test);
    alice.leave();
    alice.device = undefined;
    test.clock.advanceSeconds(2 * 86_400);
    // The counters live by the clock of the server.
    await test.smsOtp.unlockUser(ALICE.id);
    expect((await alice.login()).body).toMatchObject({ sent: true });
    alice.device = device;
    await enterUnsaved(test, alice, { trustDevice: 'on' });
    expect(await records(test)).toEqual(before);
  });

  it('brings back the login that a step-up replaced', async () => {
    const test = await start();
    const alice = test.browser();
    await alice.logIn();
    const before = await records(test);
    await test.smsOtp.unlockUser(ALICE.id);
    expect((await alice.stepUp()).body).toMatchObject({ sent: true });
    await enterUnsaved(test, alice);
    expect(await records(test)).toEqual(before);
  });
}
