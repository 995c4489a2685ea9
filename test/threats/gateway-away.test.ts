import { describe, expect, it } from '@jest/globals';
import {
  generateRegistrationOptions,
  verifyRegistrationResponse,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { totpFactor } from 'passport-sms-otp/totp';
import { memoryPasskeyBook, type PasskeyBook } from '../../docs/recipes/passkey-book';
import { passkeyFactor } from '../../docs/recipes/passkeys';
import { Authenticator } from '../support/authenticator';
import { testClock } from '../support/clock';
import { ALICE, BOB } from '../support/test-app';
import { show, TotpBook } from '../totp/authenticator';
import { useOwnApps } from '../support/use-app';

const ORIGIN = 'https://bank.example';
const RP_ID = 'bank.example';

const CAROL = { id: 'carol', phone: '+12025550125' };
const DAVE = { id: 'dave', phone: '+12025550126' };

/** Gives a user a passkey, as the recipe's settings do. */
async function addPasskey(book: PasskeyBook, userId: string): Promise<Authenticator> {
  const device = new Authenticator(ORIGIN);
  const options = await generateRegistrationOptions({
    rpName: 'Bank',
    rpID: RP_ID,
    userName: userId,
  });
  const { registrationInfo } = await verifyRegistrationResponse({
    response: device.create(options),
    expectedChallenge: options.challenge,
    expectedOrigin: ORIGIN,
    expectedRPID: RP_ID,
  });
  if (registrationInfo === undefined) throw new Error('no passkey was made');
  const { id, publicKey, counter } = registrationInfo.credential;
  const facts = { transports: [], name: 'Passkey', createdAt: 0 };
  await book.add(userId, { id, publicKey, counter, userHandle: options.user.id, ...facts });
  return device;
}

describe.each(['A', 'B'] as const)(
  'while the gateway of variant %s is away from the first login on',
  (variant) => {
    const test = useOwnApps();
    it('users of a passkey, an authenticator app and a recovery code log in and step up, and nobody else does', async () => {
      const clock = testClock();
      const passkeys = memoryPasskeyBook();
      const apps = new TotpBook();
      const settings = { rpId: RP_ID, origin: ORIGIN, requireUserVerification: true };
      await test.start({
        hasFactors: true,
        variant,
        clock,
        users: [ALICE, BOB, CAROL, DAVE],
        options: {
          factors: [
            passkeyFactor(passkeys, settings),
            totpFactor({ ...apps.options, now: () => clock.now() }),
          ],
        },
        routes: (app, smsOtp) => {
          const [options, passkey, totp] = [
            smsOtp.optionsWith?.('passkey'),
            smsOtp.verifyWith?.('passkey'),
            smsOtp.verifyWith?.('totp'),
          ];
          if (options === undefined || passkey === undefined || totp === undefined)
            throw new Error('no factors');
          app.post('/passkey/options', options);
          app.post('/passkey', passkey, (req, res) => void res.json(req.smsOtp));
          app.post('/totp', totp, (req, res) => void res.json(req.smsOtp));
        },
      });
      const device = await addPasskey(passkeys, 'alice');
      const key = await apps.add('bob');
      const codes = await test.firstCodes(CAROL);
      await test.sim.close();

      const alice = test.browser(ALICE);
      const usePasskey = async (): Promise<unknown> => {
        const options: unknown = (await alice.post('/passkey/options')).body;
        const credential = device.get(options as PublicKeyCredentialRequestOptionsJSON);
        return (await alice.post('/passkey', { credential })).body;
      };
      const bob = test.browser(BOB);
      const useApp = async (): Promise<unknown> =>
        (await bob.post('/totp', { pin: show(key, clock.now()) })).body;
      const carol = test.browser(CAROL);
      const useCode = async (): Promise<unknown> => (await carol.recover(codes.at(-1))).body;

      const people = [
        { browser: alice, pass: usePasskey, method: 'passkey', factor: 'passkey' },
        { browser: bob, pass: useApp, method: 'totp', factor: 'totp' },
        { browser: carol, pass: useCode, method: 'recovery-code', factor: 'recovery-code' },
      ];
      for (const { browser, pass, method, factor } of people) {
        expect(await browser.login()).toMatchObject({
          status: 503,
          body: { error: 'not-sent', pending: true },
        });
        const { body } = await browser.get('/status');
        expect(body).toMatchObject({
          pending: { isSent: false, factors: expect.arrayContaining([factor]) },
        });
        expect(await pass()).toMatchObject({ verified: true, method });
        expect((await browser.get('/account')).status).toBe(200);
      }
      clock.advanceSeconds(3_600);
      for (const { browser, pass, method } of people.slice(0, 2)) {
        expect(await browser.post('/step-up')).toMatchObject({
          status: 503,
          body: { pending: true },
        });
        expect(await pass()).toMatchObject({ verified: true, method });
      }
      const dave = test.browser(DAVE);
      expect((await dave.login()).status).toBe(503);
      expect((await dave.get('/account')).status).toBe(403);
      expect([test.told('sent'), test.told('locked'), test.told('disabled')]).toEqual([[], [], []]);
    });
  },
);
