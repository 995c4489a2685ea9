import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import type { ChallengeFactor, SmsOtp } from 'passport-sms-otp';
import supertest from 'supertest';
import type { Response } from 'supertest';
import type { TestApp } from '../support/test-app';
import { passwordOf } from './support/steps';
import { useOwnApps } from '../support/use-app';
import { waitUntil } from '../support/wait-until';

const KEY: ChallengeFactor = {
  name: 'key',
  amr: 'hwk',
  field: 'response',
  isAvailable: () => true,
  createOptions: ({ challenge }) => ({ challenge }),
  checkResponse: () => false,
};

/** What a proxy writes into X-Forwarded-For of the client with that number. */
const SPELLINGS: readonly (readonly [string, (client: number) => string])[] = [
  ['an address', (client) => `203.0.113.${client}`],
  ['an address and a port', (client) => `203.0.113.${client}:${40_000 + client}`],
  ['an IPv6 address in brackets and a port', (client) => `[2001:db8:${client}::1]:443`],
  ['an IPv6 address in brackets', (client) => `[2001:db8:${client}::1]`],
  ['an IPv6 address with a zone', (client) => `[fe80:0:0:${client}::1%eth0]:443`],
];

describe('the address of a client', () => {
  const test = useOwnApps();
  let warnings: { readonly code: string; readonly message: string }[];
  beforeEach(() => {
    warnings = [];
    jest.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
      const { code = '' } = Object(options) as { code?: string };
      warnings.push({ code, message: String(message) });
    });
  });
  afterEach(() => void jest.restoreAllMocks());

  const logInFrom = (address: string, path = '/login'): supertest.Test =>
    supertest(test.server)
      .post(path)
      .set('X-Forwarded-For', address)
      .send(passwordOf(test.nextUser()));

  describe.each(SPELLINGS)('written as %s', (_title, spell) => {
    beforeEach(() =>
      test.start({
        people: 20,
        trustProxy: 1,
        options: { limits: { perAddress: { max: 4, maxUnproven: 4 } } },
      }),
    );

    it('is limited apart from all others, without a warning', async () => {
      const statuses: number[] = [];
      for (let client = 1; client <= 6; client += 1)
        statuses.push((await logInFrom(spell(client))).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
      expect(warnings).toEqual([]);
    });

    it('is limited, whatever its port is', async () => {
      const answers: Response[] = [];
      for (let login = 1; login <= 5; login += 1) {
        const address = spell(7).replace(/:4\d+$/, `:${41_000 + login}`);
        answers.push(await logInFrom(address));
      }
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
      expect(test.told('denied')).toMatchObject([{ limit: 'per-address' }]);
    });
  });

  describe('that is no IP address', () => {
    const start = (ip?: { readonly value: unknown }): Promise<TestApp> =>
      test.start({
        people: 8,
        trustProxy: 1,
        hasPhones: true,
        hasFactors: true,
        options: { factors: [KEY] },
        middleware: (app) => {
          if (ip !== undefined) app.use(withIp(ip.value));
        },
        routes: addOthers,
      });

    const withIp =
      (value: unknown): RequestHandler =>
      (req, _res, next) => {
        Object.defineProperty(req, 'ip', { value });
        next();
      };

    function addOthers(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
      const { verifyWith, optionsWith } = smsOtp;
      if (!verifyWith || !optionsWith) throw new Error('a part is missing');
      app.post('/key', verifyWith('key'));
      app.post('/key/options', optionsWith('key'));
      app.post('/strategy', passport.authenticate('sms-otp') as RequestHandler);
    }

    it.each([
      ['unknown', 'is a word'],
      ['_hidden', 'is a word'],
      ['203.000.113.007', 'is four numbers'],
      ['203.0.113.256', 'is four numbers'],
      ['203.000.113.007:443', 'is four numbers'],
      ['"[2001:db8::1]"', 'is another string'],
      ['[unknown]:443', 'is another string'],
    ])('such as %s, warns once and names its kind alone', async (address, kind) => {
      await start();
      for (const _time of [1, 2]) await logInFrom(address);
      expect(warnings.map(({ code }) => code)).toEqual(['SMS_OTP_NO_ADDRESS']);
      expect(warnings[0]?.message).toContain(`req.ip ${kind}`);
      expect(warnings[0]?.message).toContain('docs/troubleshooting.md#sms_otp_no_address');
      expect(warnings[0]?.message).not.toContain(address);
    });

    it.each([
      [undefined, 'is undefined'],
      ['', 'is an empty string'],
      [null, 'is null'],
      [7, 'is a number'],
    ])('because the app has %p, warns once', async (value, kind) => {
      await start({ value });
      for (const _time of [1, 2]) await logInFrom('203.0.113.7');
      expect(warnings.map(({ code }) => code)).toEqual(['SMS_OTP_NO_ADDRESS']);
      expect(warnings[0]?.message).toContain(`req.ip ${kind}`);
    });

    it.each([
      '/login',
      '/login/pin',
      '/login/resend',
      '/recover',
      '/key',
      '/key/options',
      '/strategy',
      '/phones/enroll',
      '/phones/confirm',
      '/phones/remove',
      '/phones/default',
    ])('warns at %s', async (path) => {
      await start();
      await logInFrom('unknown', path);
      expect(warnings.map(({ code }) => code)).toContain('SMS_OTP_NO_ADDRESS');
    });

    it('warns at a step-up', async () => {
      await start();
      const user = test.nextUser();
      test.book.seed(user.id, user.phone ?? '');
      const agent = test.agent();
      await agent.post('/login').set('X-Forwarded-For', '203.0.113.7').send(passwordOf(user));
      await agent
        .post('/login/pin')
        .set('X-Forwarded-For', '203.0.113.7')
        .send({ pin: test.code(user) });
      expect(warnings).toEqual([]);
      await agent.post('/step-up').set('X-Forwarded-For', 'unknown').send({});
      expect(warnings.map(({ code }) => code)).toEqual(['SMS_OTP_NO_ADDRESS']);
    });

    it('and whose connection has closed in the meantime, warns of nothing', async () => {
      await test.start({
        people: 1,
        middleware: (app) =>
          app.use((req, _res, next) => {
            req.socket.destroy();
            withIp(undefined)(req, _res, next);
          }),
      });
      await expect(logInFrom('203.0.113.7')).rejects.toThrow();
      await waitUntil(() => test.sim.stats().calls.generate === 1);
      expect(warnings.map(({ code }) => code)).not.toContain('SMS_OTP_NO_ADDRESS');
    });
  });
});
