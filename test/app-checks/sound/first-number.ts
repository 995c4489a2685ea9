import express, { type RequestHandler } from 'express';
import session from 'express-session';
import { createSmsOtp } from 'passport-sms-otp';
import { memoryPhoneBook } from '../../support/memory-phone-book';
import { asTestUser, asUser } from '../../support/test-users';
import { passwordOf, serve, USERS } from '../support/base-app';
import {
  answerErrorsInJson,
  basics,
  createPassport,
  firstFactor,
  idOf,
  otpOptions,
  type SoundApp,
} from './parts';

const NEW_USER = 'nora';

/**
 * Users without a number are logged in by the password, and can open nothing but the page that adds
 * one. Other logins end when the password is set anew.
 */
export const firstNumber: SoundApp = (gateway) => ({
  ...basics(gateway),
  start: () => {
    const passport = createPassport();
    const book = memoryPhoneBook();
    for (const { name, phone } of USERS) book.seed(name, phone);
    const { getPhone: _, loadUser, ...options } = otpOptions(gateway, passport);
    const smsOtp = createSmsOtp({
      ...options,
      loadUser: (id) => (id === NEW_USER ? asUser({ id, phone: null }) : loadUser(id)),
      phoneBook: book,
      logins: {},
      isRequiredFor: (user): boolean => book.list(asTestUser(user).id).length > 0,
    });
    const answerStatus: RequestHandler = (req, res) => void res.json(smsOtp.status(req));
    const app = express();
    app.use(express.json());
    app.use(
      session({
        secret: 'a secret of the sessions',
        resave: false,
        saveUninitialized: false,
        cookie: { sameSite: 'lax' },
      }),
    );
    app.use(passport.session());
    app.post('/login', firstFactor(passport), smsOtp.send(), answerStatus);
    app.post('/login/pin', smsOtp.verify(), answerStatus);
    app.post('/login/resend', smsOtp.resend(), answerStatus);
    app.post('/phone', smsOtp.phones.enroll(), answerStatus);
    app.post('/phone/pin', smsOtp.phones.confirm(), answerStatus);
    app.post('/forgotten', async (req, res) => {
      const { mailToken } = (req.body ?? {}) as { readonly mailToken?: unknown };
      const user = USERS.find(({ name }) => mailToken === `mailed to ${name}`);
      if (user === undefined) return void res.sendStatus(403);
      await smsOtp.logins.revokeAll(user.name);
      res.sendStatus(204);
    });
    app.use(smsOtp.requireSecondFactor());
    app.get('/account', (req, res) => void res.json({ id: idOf(req) }));
    app.get('/account/numbers', async (req, res) => {
      const user = req.user;
      res.json(user ? await smsOtp.phones.list(user) : []);
    });
    app.use(answerErrorsInJson);
    return serve(app, () => smsOtp.close());
  },
  jsonForms: true,
  login: { path: '/login', password: ({ name }) => passwordOf(name) },
  code: { path: '/login/pin' },
  guarded: ['/account', '/account/numbers'],
  resend: { path: '/login/resend' },
  newNumber: { path: '/phone', phone: '+18185550142' },
  passwordReset: {
    requests: [{ path: '/forgotten', fields: ({ name }) => ({ mailToken: `mailed to ${name}` }) }],
  },
  userWithoutNumber: NEW_USER,
});
