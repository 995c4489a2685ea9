import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import type { Factor, SmsOtpOutcome } from 'passport-sms-otp';
import { memoryPhoneBook, type MemoryPhoneBook } from '../support/memory-phone-book';
import { ALICE, asTestUser, type TestAppOptions } from '../support/test-app';
import { type Answer, visitOverTls } from '../support/visit';
import { useApp } from '../support/use-app';

const CANARY = 'canary-of-the-password-hash';
/** What has a user. */
const SUCCESSES = [
  'send, from a trusted device',
  'verify, after the right code',
  'recover',
  'verifyWith',
  'phones.confirm',
];

/** A record of a database, as apps pass it around. */
const RECORD = { ...ALICE, passwordHash: CANARY };
const NEW = '+14155550188';

const riddle: Factor = {
  name: 'riddle',
  check: ({ code }) => code === 'the answer',
};

describe('the outcome of', () => {
  let book: MemoryPhoneBook;
  let outcomes: (SmsOtpOutcome | undefined)[];

  const test = useApp(() => {
    outcomes = [];
    book = memoryPhoneBook();
    book.seed(ALICE.id, ALICE.phone ?? '');
    return {
      hasFactors: true,
      users: [RECORD],
      options: {
        phoneBook: book,
        factors: [{ ...riddle, isAvailable: () => book.list(ALICE.id).length > 0 }],
        isRequiredFor: (user) => asTestUser(user).isOptional !== true,
      },
      middleware: recordOutcomes,
      routes: addRoutes,
    };
  });
  const alice = visitOverTls(test);

  function recordOutcomes(app: Express): void {
    app.use((req, res, next) => {
      res.on('finish', () => outcomes.push(req.smsOtp));
      next();
    });
  }

  const addRoutes: NonNullable<TestAppOptions['routes']> = (app, { phones, verifyWith }) => {
    if (phones === undefined || verifyWith === undefined)
      throw new Error('a part is not configured');
    const whole = {
      enroll: phones.enroll(),
      confirm: phones.confirm(),
      remove: phones.remove(),
      set: phones.setDefault(),
    };
    for (const [name, handler] of Object.entries(whole)) {
      app.post(`/phones/${name}`, handler, (req, res) => void res.json(req.smsOtp));
    }
    app.post('/riddle', verifyWith('riddle'), (req, res) => void res.json(req.smsOtp));
  };

  async function idOf(mobile: string): Promise<string | undefined> {
    const all = await test.smsOtp.phones?.list({ ...RECORD } as unknown as Express.User);
    return all?.find(({ maskedPhone }) => maskedPhone.endsWith(mobile.slice(-2)))?.phoneId;
  }

  const cases: Readonly<Record<string, () => Promise<Answer>>> = {
    'send, when a text went out': () => alice.login(),
    'send, when none is required': async () => {
      test.users.set(ALICE.id, { ...RECORD, isOptional: true });
      return alice.login();
    },
    'send, from a trusted device': async () => {
      await alice.trust();
      alice.leave();
      return alice.login();
    },
    resend: async () => {
      await alice.login();
      test.clock.advanceSeconds(60);
      return alice.post('/login/resend');
    },
    'verify, after the right code': async () => {
      await alice.login();
      return alice.enterRight();
    },
    'verify, after a wrong code': async () => {
      await alice.login();
      return alice.enterWrong();
    },
    cancel: async () => {
      await alice.login();
      return alice.post('/login/cancel');
    },
    stepUp: async () => {
      await alice.trust();
      test.clock.advanceSeconds(60);
      return alice.post('/step-up');
    },
    recover: async () => {
      await book.remove(ALICE.id, ALICE.phone ?? '', { keepsLast: false });
      const [code] = await test.recoveryCodes
        .generate(ALICE.id)
        .finally(() => book.seed(ALICE.id, ALICE.phone ?? ''));
      await alice.login();
      return alice.recover(code);
    },
    verifyWith: async () => {
      await alice.login();
      return alice.post('/riddle', { pin: 'the answer' });
    },
    'phones.confirm': async () => {
      await alice.trust();
      await alice.post('/phones/enroll', { phone: NEW });
      return alice.post('/phones/confirm', { pin: test.sim.lastPin(NEW) });
    },
    'phones.setDefault': async () => {
      await alice.trust();
      return alice.post('/phones/set', { phoneId: await idOf(ALICE.phone ?? '') });
    },
  };

  it.each(Object.entries(cases))(
    '%s shows no user in JSON, in a log or in a copy',
    async (title, act) => {
      expect((await act()).status).toBeLessThan(402);
      const outcome = outcomes.at(-1);
      expect(outcome).toBeDefined();
      const shown = [JSON.stringify(outcome), inspect(outcome), JSON.stringify({ ...outcome })];
      expect(shown.filter((text) => /canary|passwordHash|"user"/.test(text))).toEqual([]);
      // The handler itself still has it.
      const user: unknown = outcome?.user;
      expect(user === undefined ? null : user).toEqual(
        SUCCESSES.includes(title) ? test.users.get(ALICE.id) : null,
      );
    },
  );
});
