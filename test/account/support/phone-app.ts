import { afterEach } from '@jest/globals';
import type { Express } from 'express';
import type { SmsOtp, UserId } from 'passport-sms-otp';
import type { Response } from 'supertest';
import { memoryPhoneBook, type MemoryPhoneBook } from '../../support/memory-phone-book';
import {
  ALICE,
  asTestUser,
  asUser,
  BOB,
  startTestApp,
  type TestApp,
  type TestAppOptions,
} from '../../support/test-app';
import type { TestUser } from '../../support/test-users';
import { visit, type Visit } from '../../support/visit';

/** Numbers that libphonenumber knows as valid, each of a prefix of its own. */
export const [HOME, WORK, NEW, OTHER] = [
  '+12025550123',
  '+13125550177',
  '+14155550188',
  '+16175550199',
] as const;

/** A test app with a phone book: Alice has the number HOME, Bob has none. */
export interface PhoneApp extends TestApp {
  readonly book: MemoryPhoneBook;
  /** Calls of `endOtherSessions`: the user, and the session that stays. */
  readonly ended: { userId: UserId; sid: string | undefined }[];
}

const open: TestApp[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((test) => test.close()));
});

/** Closed after the test. Who has no number needs no second factor. */
export async function openPhoneApp(given: TestAppOptions = {}): Promise<PhoneApp> {
  const book = memoryPhoneBook();
  const ended: PhoneApp['ended'] = [];
  book.seed(ALICE.id, HOME);
  const options: TestAppOptions['options'] = {
    phoneBook: book,
    isRequiredFor: (user) =>
      asTestUser(user).isOptional !== true && book.list(asTestUser(user).id).length > 0,
    endOtherSessions: (userId, req) => void ended.push({ userId, sid: req?.sessionID }),
    ...given.options,
  };
  const users = [ALICE, { ...BOB, phone: null }];
  const test = await startTestApp({ users, routes: addPhoneRoutes, ...given, options });
  open.push(test);
  return { ...test, book, ended };
}

/** Every route answers JSON, those under /site send the browser on. */
export function addPhoneRoutes(app: Express, smsOtp: SmsOtp): void {
  const { phones } = smsOtp;
  if (phones === undefined) throw new Error('the app has no phone book');
  const tell = (path: string, handler: ReturnType<typeof phones.enroll>): void => {
    app.post(path, handler, (req, res) => void res.json(req.smsOtp));
  };
  tell('/phones/enroll', phones.enroll());
  tell('/phones/national', phones.enroll({ defaultCountry: 'US' }));
  tell('/phones/replace', phones.enroll({ replaces: true }));
  tell('/phones/confirm', phones.confirm());
  tell('/phones/remove', phones.remove());
  tell('/phones/remove-any', phones.remove({ keepsLast: false }));
  tell('/phones/default', phones.setDefault());
  app.get('/phones', (req, res, next) => {
    phones.list(asUser(asTestUser(req.user))).then((list) => res.json(list), next);
  });
  const failureRedirect = '/site/settings';
  app.post('/site/enroll', phones.enroll({ successRedirect: '/site/code', failureRedirect }));
  app.post('/site/confirm', phones.confirm({ successRedirect: '/site/done', failureRedirect }));
  app.post('/site/remove', phones.remove({ successRedirect: '/site/done', failureRedirect }));
  app.get('/site/settings', smsOtp.requireSecondFactor({ redirect: '/site/enroll' }));
}

type Listed = { phoneId: string; maskedPhone: string; isConfirmed: boolean }[];

/** A person with a browser of their own, who changes numbers. */
export interface PhoneVisit extends Visit {
  readonly post: (path: string, body?: object) => Promise<Response>;
  /** Logged in with both factors, or with the password alone where that is enough. */
  readonly logIn: () => Promise<void>;
  readonly enroll: (phone: unknown, more?: object) => Promise<Response>;
  readonly replace: (phone: unknown, more?: object) => Promise<Response>;
  /** Enters the newest code of a number, or this code. */
  readonly confirm: (mobile: string) => Promise<Response>;
  readonly confirmWith: (pin: unknown) => Promise<Response>;
  readonly list: () => Promise<Listed>;
  /** The id of a number by its last two digits. */
  readonly idOf: (mobile: string) => Promise<string>;
  readonly agent: ReturnType<TestApp['agent']>;
}

export function phoneVisit(test: PhoneApp, user: TestUser = ALICE): PhoneVisit {
  const agent = test.agent();
  const visitor = visit({ ...test, agent: () => agent }, user);
  const post = async (path: string, body: object = {}): Promise<Response> =>
    agent.post(path).send(body);
  const list: PhoneVisit['list'] = async () => (await agent.get('/phones')).body as Listed;
  return {
    ...visitor,
    agent,
    post,
    list,
    logIn: async () => {
      const { body } = await visitor.login();
      if (body.sent !== true) return;
      await visitor.enter(test.sim.outbox.at(-1)?.pin);
    },
    enroll: (phone, more) => post('/phones/enroll', { phone, ...more }),
    replace: (phone, more) => post('/phones/replace', { phone, ...more }),
    confirm: (mobile) => post('/phones/confirm', { pin: test.sim.lastPin(mobile) }),
    confirmWith: (pin) => post('/phones/confirm', { pin }),
    idOf: async (mobile) =>
      (await list()).find(({ maskedPhone }) => maskedPhone.endsWith(mobile.slice(-2)))?.phoneId ??
      'none',
  };
}

/** The numbers of a user as the book has them, the unconfirmed one with a question mark. */
export function numbersOf({ book }: PhoneApp, { id }: TestUser = ALICE): string[] {
  return book.list(id).map(({ mobile, isConfirmed }) => (isConfirmed ? mobile : `${mobile}?`));
}
