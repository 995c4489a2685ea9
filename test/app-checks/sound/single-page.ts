import { csrfSync } from 'csrf-sync';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import { createSmsOtp } from 'passport-sms-otp';
import { passwordOf, serve } from '../support/base-app';
import {
  answerErrorsInJson,
  basics,
  createPassport,
  firstFactor,
  idOf,
  otpOptions,
  type SoundApp,
} from './parts';

const SHELL =
  '<!doctype html><title>Shop</title><div id="root"></div><script src="/app.js"></script>';
const LOGIN_FIRST = '<!doctype html><title>Shop</title><p>Log in first.</p>';

/**
 * One page for every address, an API behind it with a token in a header, and a report that answers
 * 200 with a page of the login to whoever may not see it.
 */
export const singlePage: SoundApp = (gateway) => ({
  ...basics(gateway),
  start: () => {
    const passport = createPassport();
    const smsOtp = createSmsOtp({ ...otpOptions(gateway, passport), codeField: 'code' });
    const { csrfSynchronisedProtection, generateToken } = csrfSync();
    const answerStatus: RequestHandler = (req, res) => void res.json(smsOtp.status(req));
    const app = express();
    app.use(express.json());
    app.use(
      session({
        name: '__Host-shop',
        secret: 'a secret of the sessions',
        resave: false,
        saveUninitialized: false,
        cookie: { sameSite: 'lax', secure: 'auto', path: '/' },
      }),
    );
    app.use(passport.session());
    app.use('/api', csrfSynchronisedProtection);
    app.get('/api/token', (req, res) => void res.json({ csrf: generateToken(req) }));
    app.post('/api/session', firstFactor(passport), smsOtp.send(), answerStatus);
    app.post('/api/session/code', smsOtp.verify(), answerStatus);
    app.post('/api/session/resend', smsOtp.resend(), answerStatus);
    app.post('/api/session/end', smsOtp.logout(), (_req, res) => void res.json({}));
    app.post('/api/step-up', smsOtp.stepUp(), answerStatus);
    app.post('/api/step-up/code', smsOtp.verify({ purpose: 'step-up' }), answerStatus);
    app.get(
      '/api/profile',
      smsOtp.requireSecondFactor(),
      (req, res) => void res.json({ id: idOf(req) }),
    );
    app.get('/reports/:year', async (req, res) => {
      await smsOtp.checkSecondFactor(req);
      res.send(smsOtp.hasSecondFactor(req) ? '<h1>Report of the year</h1>' : LOGIN_FIRST);
    });
    app.use('/api', (_req, res) => void res.status(404).json({ error: 'not-found' }));
    app.use((req, res, next) => (req.method === 'GET' ? void res.send(SHELL) : next()));
    app.use(answerErrorsInJson);
    return serve(app, () => smsOtp.close());
  },
  jsonForms: true,
  csrf: { path: '/api/token', field: 'csrf', header: 'x-csrf-token' },
  login: { path: '/api/session', page: '/login', password: ({ name }) => passwordOf(name) },
  code: { path: '/api/session/code', page: '/login/code', field: 'code' },
  guarded: ['/api/profile', { path: '/reports/2026', shows: 'Report of the year' }],
  resend: { path: '/api/session/resend' },
  logout: { path: '/api/session/end' },
  stepUp: { path: '/api/step-up', code: { path: '/api/step-up/code' } },
});
