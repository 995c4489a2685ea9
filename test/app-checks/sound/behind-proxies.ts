import { csrfSync } from 'csrf-sync';
import express, { type Express, Router, type RequestHandler } from 'express';
import session from 'express-session';
import helmet from 'helmet';
import { createSmsOtp, noticeText } from 'passport-sms-otp';
import { passwordOf, readField, serve } from '../support/base-app';
import { basics, createPassport, firstFactor, idOf, otpOptions, type SoundApp } from './parts';

const { csrfSynchronisedProtection, generateToken } = csrfSync({
  getTokenFromRequest: (req) => readField(req, 'token'),
});

const toForm = (token: string, action: string, fields = ''): string =>
  `<form action=${action} method=post><input type=hidden name=token value=${token}>${fields}</form>`;

/** Two proxies and https in front, everything below /bank, and a trusted device. */
export const behindProxies: SoundApp = (gateway) => ({
  ...basics(gateway),
  start: () => {
    const passport = createPassport();
    const smsOtp = createSmsOtp({
      ...otpOptions(gateway, passport),
      trustedDevices: { getPasswordVersion: () => 'first' },
      logins: {},
    });
    const app: Express = express();
    app.set('trust proxy', 2);
    app.use(helmet(), express.urlencoded({ extended: false }));
    app.use(
      session({
        name: '__Host-bank',
        secret: 'a secret of the sessions',
        resave: false,
        saveUninitialized: false,
        cookie: { sameSite: 'lax', secure: true, httpOnly: true },
      }),
    );
    app.use(passport.session(), csrfSynchronisedProtection);
    const bank = Router({ caseSensitive: true, strict: true });
    bank.get('/login', (req, res) => {
      const { notice, retryAt } = smsOtp.status(req);
      const text = 'wrong' in req.query ? 'Not right.' : noticeText(notice, { retryAt });
      res.send(text + toForm(generateToken(req), '/bank/login', '<input name=username>'));
    });
    bank.post(
      '/login',
      firstFactor(passport, { failureRedirect: '/bank/login?wrong' }),
      smsOtp.send({
        successRedirect: '/bank/code',
        failureRedirect: '/bank/login',
        notRequiredRedirect: '/bank/account',
      }),
    );
    bank.get('/code', (req, res) => {
      const { notice, retryAt, pending } = smsOtp.status(req);
      if (pending === null) return res.redirect(303, '/bank/login');
      const forms = ['/bank/code', '/bank/resend', '/bank/cancel'];
      const token = generateToken(req);
      res.send(noticeText(notice, { retryAt }) + forms.map((to) => toForm(token, to)).join(''));
    });
    const again = { successRedirect: '/bank/code', failureRedirect: '/bank/code' };
    bank.post('/code', smsOtp.verify({ ...again, successRedirect: '/bank/account' }));
    bank.post('/resend', smsOtp.resend(again));
    bank.post('/cancel', smsOtp.cancel({ successRedirect: '/bank/login' }));
    const guard = smsOtp.requireSecondFactor({ redirect: '/bank/login' });
    const showAccount: RequestHandler = (req, res) =>
      void res.send(`${idOf(req)} ${toForm(generateToken(req), '/bank/logout')}`);
    bank.get('/account', guard, showAccount);
    bank.post('/logout', guard, smsOtp.logout({ successRedirect: '/bank/login' }));
    app.use('/bank', bank);
    return serve(app, () => smsOtp.close());
  },
  proxy: { hops: 2, https: true },
  login: { path: '/bank/login', password: ({ name }) => passwordOf(name) },
  code: { path: '/bank/code' },
  guarded: ['/bank/account'],
  resend: { path: '/bank/resend', page: '/bank/code' },
  cancel: { path: '/bank/cancel', page: '/bank/code' },
  logout: { path: '/bank/logout', page: '/bank/account' },
  trustedDevice: { fields: { trustDevice: 'yes' } },
});
