import { describe, expect, it } from '@jest/globals';
import {
  createSmsOtp,
  type RecordPut,
  type RecoveryCodeSet,
  SecondFactorError,
} from 'passport-sms-otp';
import { ALICE, asUser, BOB, type TestApp } from '../support/test-app';
import { useApp, useOwnApps } from '../support/use-app';
import { visitOverTls } from '../support/visit';

const apps = useOwnApps();

const NEEDED = { status: 403, body: { code: 'ERR_SECOND_FACTOR_NEEDED' } };

/** The records that were written. */
const puts = ({ tampered }: TestApp): RecordPut[] =>
  tampered.calls.flatMap(({ call, given }) =>
    call === 'records.put' ? (given as [RecordPut]) : [],
  );

const toSet = ({ record }: RecordPut): RecoveryCodeSet =>
  JSON.parse(record.value) as RecoveryCodeSet;

const hashesOf = (put: RecordPut): readonly string[] => toSet(put).hashes;

describe('recoveryCodes.generate', () => {
  const test = useApp({ hasFactors: true });
  const alice = visitOverTls(test);

  async function logIn(browser = alice): Promise<void> {
    await browser.login();
    await browser.enterRight();
  }

  it('gives ten different codes of 120 bits, in groups that people can read', async () => {
    const codes = await test.firstCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes)
      expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
    await expect(test.recoveryCodes.count('alice')).resolves.toBe(10);
    await expect(test.recoveryCodes.count('bob')).resolves.toBe(0);
  });

  it('gives as many as the option says', async () => {
    const smsOtp = createSmsOtp({
      gateway: { baseUrl: 'http://127.0.0.1:9', variant: 'A', username: 'u', password: 'p' },
      getPhone: () => null,
      secret: 'a secret of the tests, long enough to be one',
      loadUser: (id) => asUser({ id, phone: null }),
      allowedCountries: 'any',
      recoveryCodes: { count: 5 },
    });
    await expect(smsOtp.recoveryCodes.generate(12)).resolves.toHaveLength(5);
    await expect(smsOtp.recoveryCodes.count('12')).resolves.toBe(5);
    await smsOtp.close();
  });

  it('keeps no code and no word of one: digests that differ from user to user', async () => {
    const own = await apps.start({ hasFactors: true, isTampered: true });
    const codes = await own.firstCodes();
    const kept = puts(own);
    expect(kept).toMatchObject([{ kind: 'recovery-codes', owner: 'alice', ifNone: true }]);
    expect(kept.flatMap(hashesOf)).toHaveLength(10);
    for (const code of codes) {
      expect(JSON.stringify(kept)).not.toContain(code);
      expect(JSON.stringify(kept)).not.toContain(code.replaceAll('-', ''));
    }
  });

  it('makes codes that fit their user alone, also when somebody moves the digests', async () => {
    const own = await apps.start({ hasFactors: true, isTampered: true });
    const [code] = await own.firstCodes(BOB);
    const [put] = puts(own);
    if (put === undefined) throw new Error('nothing was kept');
    const moved: RecoveryCodeSet = { ...toSet(put), userId: 'alice' };
    const record = { ...put.record, value: JSON.stringify(moved) };
    await own.store.records.put({ ...put, owner: 'alice', record });
    const browser = own.browser();
    await browser.login();
    expect((await browser.recover(code)).status).toBe(401);
    await expect(own.recoveryCodes.count('alice')).resolves.toBe(10);
  });

  it('is told by an event, ends the other sessions and revokes the devices', async () => {
    await alice.trust();
    await test.firstCodes();
    expect(test.told('recovery-codes-generated')).toEqual([
      { type: 'recovery-codes-generated', userId: 'alice', address: undefined, count: 10 },
    ]);
    expect(test.ended).toEqual([{ userId: 'alice', sessionId: undefined }]);
    expect(test.told('device-revoked')).toMatchObject([{ userId: 'alice', reason: 'changed' }]);
    await expect(test.trustedDevices.list('alice')).resolves.toEqual([]);
  });

  it('makes new ones right after a second factor, in place of the old ones', async () => {
    const old = await test.firstCodes();
    await logIn();
    const answer = await alice.post('/codes');
    expect(answer.status).toBe(200);
    expect(test.ended).toHaveLength(2);
    expect(test.ended[1]?.sessionId).toEqual(expect.any(String));
    test.clock.advanceSeconds(31);
    alice.leave();
    await alice.login();
    expect((await alice.recover(old[0])).status).toBe(401);
    const [code] = answer.body.codes as string[];
    expect((await alice.recover(code)).status).toBe(200);
  });

  it('refuses to make new ones without a request, and says what to do', async () => {
    await test.firstCodes();
    const refused = test.recoveryCodes.generate('alice');
    await expect(refused).rejects.toBeInstanceOf(SecondFactorError);
    await expect(refused).rejects.toThrow('recoveryCodes.generate(userId, req)');
    expect(test.ended).toHaveLength(1);
  });

  it.each([
    ['of nobody', () => Promise.resolve()],
    ['that waits for the code still', () => alice.login()],
    [
      'of a second factor that is 301 s old',
      () => logIn().then(() => test.clock.advanceSeconds(301)),
    ],
  ])('refuses a request %s', async (_what, prepare) => {
    await test.firstCodes();
    await prepare();
    await expect(alice.post('/codes', { of: 'alice' })).resolves.toMatchObject(NEEDED);
    await expect(test.recoveryCodes.count('alice')).resolves.toBe(10);
  });

  it('takes a second factor that is 300 s old', async () => {
    await test.firstCodes();
    await logIn();
    test.clock.advanceSeconds(300);
    expect((await alice.post('/codes')).status).toBe(200);
  });

  it('tells the loser of two first calls at once, and the winner has ten', async () => {
    const ends = await Promise.allSettled([test.firstCodes(), test.firstCodes()]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(test.recoveryCodes.count('alice')).resolves.toBe(10);
  });

  it('needs a second factor for the first codes, too, of a user who has a number', async () => {
    await expect(test.recoveryCodes.generate('alice')).rejects.toBeInstanceOf(SecondFactorError);
    await alice.login();
    await expect(alice.post('/codes', { of: 'alice' })).resolves.toMatchObject(NEEDED);
    await alice.enterRight();
    expect((await alice.post('/codes')).body.codes).toHaveLength(10);
  });

  it('makes the first codes at the moment of a sign-up: right after the number was confirmed by its code', async () => {
    test.users.set('alice', { ...ALICE, phone: null });
    await expect(test.firstCodes()).resolves.toHaveLength(10);
    await logIn();
    expect((await alice.post('/codes')).body.codes).toHaveLength(10);
  });

  it('gives no first codes to a session of a trusted device, nor to one that needed no second factor', async () => {
    await alice.trust();
    alice.leave();
    expect((await alice.login()).body).toMatchObject({ method: 'trusted-device' });
    await expect(alice.post('/codes')).resolves.toMatchObject(NEEDED);
    test.users.set('bob', { ...BOB, isOptional: true });
    const bob = test.browser(BOB);
    await bob.login();
    await expect(bob.post('/codes')).resolves.toMatchObject(NEEDED);
  });

  it('needs a second factor, too, of a user who has another factor of the app', async () => {
    const carol = { id: 'carol', phone: null };
    const factor = { name: 'totp', check: () => true };
    for (const [answer, settled] of [
      [true, 'rejected'],
      [false, 'fulfilled'],
      ['yes', 'fulfilled'],
    ] as const) {
      // Factors without types may answer anything.
      const isAvailable = (): boolean => answer as boolean;
      const own = await apps.start({
        hasFactors: true,
        users: [carol],
        options: { factors: [{ ...factor, isAvailable }] },
      });
      const [end] = await Promise.allSettled([own.recoveryCodes.generate('carol')]);
      expect([answer, end.status]).toEqual([answer, settled]);
    }
  });

  it('makes the first codes of a user who has no number, and none of one who is not saved yet: a sign-up makes them after the first text', async () => {
    const own = await apps.start({ hasFactors: true, users: [{ id: 'carol', phone: null }] });
    await expect(own.recoveryCodes.generate('carol')).resolves.toHaveLength(10);
    await expect(own.recoveryCodes.generate('carol')).rejects.toBeInstanceOf(SecondFactorError);
    await expect(own.recoveryCodes.generate('bob')).rejects.toBeInstanceOf(SecondFactorError);
    own.users.set('bob', { ...BOB });
    const bob = own.browser(BOB);
    await bob.login();
    await bob.enterRight();
    expect((await bob.post('/codes')).body.codes).toHaveLength(10);
  });

  it('makes none for an id of another type, nor for one with which another user is loaded', async () => {
    const carol = { id: 12, phone: null };
    const own = await apps.start({
      hasFactors: true,
      options: {
        getPhone: () => null,
        loadUser: (id: unknown) => (id === 12 || id === 13 ? (carol as never) : null),
      },
    });
    for (const id of ['12', 13, 12n]) {
      await expect(own.recoveryCodes.generate(id)).rejects.toBeInstanceOf(SecondFactorError);
    }
    await expect(own.recoveryCodes.generate(12)).resolves.toHaveLength(10);
  });

  it('needs a second factor once all are used up, too: the last code is one', async () => {
    const codes = await test.firstCodes();
    for (const code of codes.slice(0, -1)) {
      await alice.login();
      expect((await alice.recover(code)).status).toBe(200);
      test.clock.advanceSeconds(3_600);
    }
    test.users.set('alice', { ...ALICE, phone: null });
    await alice.login();
    expect((await alice.recover(codes.at(-1))).status).toBe(200);
    await expect(test.recoveryCodes.count('alice')).resolves.toBe(0);
    await expect(test.recoveryCodes.generate('alice')).rejects.toBeInstanceOf(SecondFactorError);
    expect((await alice.post('/codes')).body.codes).toHaveLength(10);
  });

  it('is as free as the first time once the user was forgotten', async () => {
    const [code] = await test.firstCodes();
    await test.smsOtp.forgetUser('alice');
    await expect(test.firstCodes()).resolves.toHaveLength(10);
    await alice.login();
    expect((await alice.recover(code)).status).toBe(401);
  });

  it.each([[''], [null], [1.5]])('takes no %p for a user', async (id) => {
    await expect(test.recoveryCodes.generate(id as string)).rejects.toBeInstanceOf(TypeError);
  });
});
