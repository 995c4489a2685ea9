import { randomUUID } from 'node:crypto';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import { createSmsOtp } from 'passport-sms-otp';
import { passwordOf, readCookie, serve } from '../support/base-app';
import {
  answerErrorsInJson,
  basics,
  createPassport,
  firstFactor,
  idOf,
  otpOptions,
  type SoundApp,
} from './parts';

/** A token in a cookie that scripts read, to be sent back in a header. */
const doubleSubmit: RequestHandler = (req, res, next) => {
  const token = readCookie(req, 'XSRF-TOKEN');
  if (token === '') res.cookie('XSRF-TOKEN', randomUUID(), { sameSite: 'lax' });
  const isSafe = ['GET', 'HEAD'].includes(req.method);
  if (isSafe || (token !== '' && req.get('x-xsrf-token') === token)) return next();
  res.status(403).json({ error: 'forbidden' });
};

/** JSON in both directions, with a CSRF token from a cookie. */
export const jsonApi: SoundApp = (gateway) => ({
  ...basics(gateway),
  start: () => {
    const passport = createPassport();
    const smsOtp = createSmsOtp(otpOptions(gateway, passport));
    const answerStatus: RequestHandler = (req, res) => void res.json(smsOtp.status(req));
    const guard = smsOtp.requireSecondFactor();
    const app = express();
    app.use(express.json(), doubleSubmit);
    app.use(
      session({
        secret: 'a secret of the sessions',
        resave: false,
        saveUninitialized: false,
        cookie: { sameSite: 'strict' },
      }),
    );
    app.use(passport.session());
    app.get('/api/me', answerStatus);
    app.post('/api/login', firstFactor(passport), smsOtp.send(), answerStatus);
    app.post('/api/login/code', smsOtp.verify(), answerStatus);
    app.post('/api/login/resend', smsOtp.resend(), answerStatus);
    app.post('/api/login/cancel', smsOtp.cancel(), answerStatus);
    app.post('/api/logout', smsOtp.logout(), (_req, res) => void res.sendStatus(204));
    app.get('/api/orders', guard, (req, res) => void res.json({ of: idOf(req), orders: [] }));
    app.post('/api/orders', guard, (_req, res) => void res.status(201).json({ id: 1 }));
    app.use(answerErrorsInJson);
    return serve(app, () => smsOtp.close());
  },
  jsonForms: true,
  csrf: { cookie: 'XSRF-TOKEN', header: 'X-XSRF-TOKEN' },
  login: { path: '/api/login', page: '/api/me', password: ({ name }) => passwordOf(name) },
  code: { path: '/api/login/code', page: '/api/me' },
  guarded: ['/api/orders', { path: '/api/orders', method: 'POST' }],
  resend: { path: '/api/login/resend', page: '/api/me' },
  cancel: { path: '/api/login/cancel', page: '/api/me' },
  logout: { path: '/api/logout', page: '/api/me' },
});
