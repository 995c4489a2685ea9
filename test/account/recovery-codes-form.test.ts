import { afterEach, describe, expect, it } from '@jest/globals';
import { memoryStore, RecoveryCodesError, type SmsOtpStore } from 'passport-sms-otp';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import { describeWithService } from '../services/describe-with-service';
import { usePostgres, useRedis } from '../services/use-service';
import { ALICE, type TestApp } from '../support/test-app';
import { type StoreCall, throwing } from '../support/tampered-store';
import { useOwnApps } from '../support/use-app';
import type { Visit } from '../support/visit';

const CAROL = { id: 'carol', phone: null };
const FORM = 'the form of a page';
const MADE = { status: 409, body: { code: 'ERR_CODES_ALREADY_MADE' } };

const apps = useOwnApps({ hasFactors: true, users: [ALICE, CAROL] });

/** A browser right after a second factor, and a waiting login elsewhere that new codes would end. */
async function freshLogin(test: TestApp): Promise<Visit> {
  const browser = test.browser();
  await browser.login();
  await browser.enterRight();
  return browser;
}

const press = (browser: Visit, form: string | undefined = FORM) => browser.post('/codes', { form });

/** What the logins of other browsers have come to: how often they were ended. */
const ends = ({ ended }: TestApp): number => ended.length;

/** Whether a code lets in, from another browser. */
async function letsIn(test: TestApp, code: unknown): Promise<boolean> {
  test.clock.advanceSeconds(31);
  const browser = test.browser();
  await browser.login();
  return (await browser.recover(String(code))).status === 200;
}

describe('recoveryCodes.generate of one form in memory', () => {
  describeForms(() => memoryStore());
});

describeWithService('redis')('recoveryCodes.generate of one form in Redis', () => {
  const redis = useRedis();
  afterEach(() => redis.client.flushAll());
  describeForms(() => redisStore(redis.client, { onWarning: () => undefined }));
});

describeWithService('postgres')('recoveryCodes.generate of one form in PostgreSQL', () => {
  const postgres = usePostgres((pool) => postgresStore(pool).migrate());
  afterEach(() =>
    postgres.pool.query('TRUNCATE sms_otp_counter, sms_otp_pending_login, sms_otp_record'),
  );
  describeForms(() => postgresStore(postgres.pool));
});

function describeForms(openStore: () => SmsOtpStore): void {
  const start = (): Promise<TestApp> => apps.start({ options: { store: openStore() } });

  it('makes codes once, and shows the same ones again for a minute', async () => {
    const test = await start();
    const alice = await freshLogin(test);
    const first = await press(alice);
    expect(first.body.codes).toHaveLength(10);
    expect((await press(alice)).body).toEqual(first.body);
    test.clock.advanceSeconds(59);
    expect((await press(alice)).body).toEqual(first.body);
    test.clock.advanceSeconds(2);
    await expect(press(alice)).resolves.toMatchObject(MADE);
    expect(ends(test)).toBe(1);
    expect(test.told('recovery-codes-generated')).toHaveLength(1);
    const [code] = first.body.codes as string[];
    expect(await letsIn(test, code)).toBe(true);
  });

  it('makes first codes once, and says after a minute why there are none', async () => {
    const test = await start();
    const generate = () => test.recoveryCodes.generate('carol', undefined, { form: FORM });
    const first = await generate();
    expect(first).toHaveLength(10);
    expect(await generate()).toEqual(first);
    test.clock.advanceSeconds(61);
    await expect(generate()).rejects.toThrow(RecoveryCodesError);
    await expect(test.recoveryCodes.count('carol')).resolves.toBe(10);
  });

  it.each(['first codes', 'codes in place of others'])(
    'makes %s once for five calls at once, and gives all of them the same',
    async (which) => {
      const test = await start();
      const alice = which === 'first codes' ? null : await freshLogin(test);
      if (alice !== null) await press(alice, 'an earlier form');
      const five = await Promise.all(
        Array.from({ length: 5 }, async () =>
          alice === null
            ? test.recoveryCodes.generate('carol', undefined, { form: FORM })
            : readCodes(await press(alice)),
        ),
      );
      expect(new Set(five.map((codes) => codes.join())).size).toBe(1);
      const [[code] = []] = five;
      expect(alice === null || (await letsIn(test, code))).toBe(true);
    },
  );

  it('makes new codes for another form, and for a call without one', async () => {
    const test = await start();
    const alice = await freshLogin(test);
    await press(alice);
    const second = await press(alice, 'the form of the page after a reload');
    const third = await alice.post('/codes');
    expect([second.status, third.status]).toEqual([200, 200]);
    expect(await letsIn(test, (third.body.codes as string[])[0])).toBe(true);
  });

  it('is remembered after a code was used, and is one user’s own', async () => {
    const test = await start();
    const alice = await freshLogin(test);
    const { body } = await press(alice);
    expect(await letsIn(test, (body.codes as string[])[0])).toBe(true);
    await expect(press(alice)).resolves.toMatchObject(MADE);
    await expect(test.recoveryCodes.count('alice')).resolves.toBe(9);
    await expect(
      test.recoveryCodes.generate('carol', undefined, { form: FORM }),
    ).resolves.toHaveLength(10);
  });
}

/** Holds the first of some calls until `release`. `isHeld` resolves once it has come. */
function holdFirst({ tampered }: TestApp, call: StoreCall) {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const isHeld = new Promise<void>((resolve) => {
    let calls = 0;
    tampered.tamper(call, (work) => {
      calls += 1;
      if (calls > 1) return undefined;
      resolve();
      return released.then(work);
    });
  });
  return { isHeld, release };
}

/** Rejects with the code of a refusal. */
function readCodes({ status, body }: Awaited<ReturnType<Visit['post']>>): string[] {
  if (status !== 200) throw Object.assign(new Error(`refused: ${status}`), body);
  return body.codes as string[];
}

describe('recoveryCodes.generate of one form', () => {
  const start = (): Promise<TestApp> => apps.start({ isTampered: true });

  it.each(['records.put', 'records.swap'] as const)(
    'has its codes on the screen, also when the request that came first is the slower one at %s',
    async (call) => {
      const test = await start();
      const alice = await freshLogin(test);
      if (call === 'records.swap') await press(alice, 'an earlier form');
      const hold = holdFirst(test, call);
      const first = press(alice);
      await hold.isHeld;
      const second = await press(alice);
      hold.release();
      const answers = [await first, second];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(answers[0]?.body).toEqual(second.body);
      expect(await letsIn(test, (second.body.codes as string[])[0])).toBe(true);
    },
  );

  it.each(['records.removeAll', 'endAll'] as const)(
    'makes codes again after a failure of %s, and completes what the first has not ended',
    async (call) => {
      const test = await start();
      const alice = await freshLogin(test);
      let failures = 0;
      test.tampered.tamper(call, () => {
        const isWritten = test.tampered.calls.some((one) => one.call === 'records.put');
        if (!isWritten || failures > 0) return undefined;
        failures += 1;
        return throwing();
      });
      const first = await press(alice);
      expect([first.status, failures]).toEqual([503, 1]);
      const second = await press(alice);
      expect(second.status).toBe(200);
      expect(ends(test)).toBe(1);
      expect((await press(alice)).body).toEqual(second.body);
      expect(await letsIn(test, (second.body.codes as string[])[0])).toBe(true);
    },
  );

  it('ends what is left before it shows the codes, where the first call could not take its codes back', async () => {
    const test = await start();
    const alice = await freshLogin(test);
    const isWritten = (): boolean => test.tampered.calls.some((one) => one.call === 'records.put');
    test.tampered.tamper('endAll', () => (isWritten() ? throwing() : undefined));
    test.tampered.tamper('records.swap', throwing);
    expect((await press(alice)).status).toBe(503);
    expect(ends(test)).toBe(0);
    test.tampered.heal();
    const shown = await press(alice);
    expect([shown.status, ends(test)]).toEqual([200, 1]);
    expect((await press(alice)).body).toEqual(shown.body);
    expect(ends(test)).toBe(1);
    expect((await press(alice, 'after a reload')).status).toBe(200);
  });

  it('keeps no name of a form, and none of a call without one', async () => {
    const test = await start();
    const alice = await freshLogin(test);
    await press(alice);
    expect(JSON.stringify(test.tampered.calls)).not.toContain(FORM);
    const before = test.tampered.calls.length;
    await alice.post('/codes');
    const puts = test.tampered.calls.slice(before).filter(({ call }) => call === 'records.put');
    expect(puts).toHaveLength(1);
    expect(JSON.stringify(puts)).not.toContain('madeFor');
  });

  it.each([[''], ['x'.repeat(101)], [7], [null]])(
    'takes no %p for the name of one',
    async (form) => {
      const test = await start();
      const made = test.recoveryCodes.generate('carol', undefined, { form: form as string });
      await expect(made).rejects.toThrow(
        new TypeError('recoveryCodes.generate: form must be a string of 1 to 100 characters'),
      );
      await expect(test.recoveryCodes.count('carol')).resolves.toBe(0);
    },
  );
});
