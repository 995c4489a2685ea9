import express, { type RequestHandler } from 'express';
import session from 'express-session';
import jwt from 'jsonwebtoken';
import { createSmsOtp } from 'passport-sms-otp';
import { passwordOf, PRIVATE_KEY, serve } from '../support/base-app';
import {
  answerErrorsInJson,
  basics,
  createPassport,
  findUser,
  firstFactor,
  idOf,
  otpOptions,
  type SoundApp,
} from './parts';

/** Accepts tokens that say that a code was given. */
const requireToken: RequestHandler = (req, res, next) => {
  const [, token = ''] = /^Bearer (.+)$/.exec(req.get('authorization') ?? '') ?? [];
  try {
    const claims = jwt.verify(token, PRIVATE_KEY, { algorithms: ['HS256'], audience: 'shop' });
    const { sub, amr } = claims as { readonly sub?: string; readonly amr?: unknown };
    const user = findUser(sub ?? '');
    if (user === false || !Array.isArray(amr) || !amr.includes('sms')) throw new Error('no code');
    req.user = user;
    next();
  } catch {
    // Whatever is wrong with it: it is no token of ours.
    res.status(401).json({ error: 'unauthorized' });
  }
};

/** A token after the code; the session lives from the password to the code alone. */
export const tokenApi: SoundApp = (gateway) => ({
  ...basics(gateway),
  start: () => {
    const passport = createPassport();
    const smsOtp = createSmsOtp(otpOptions(gateway, passport));
    const app = express();
    app.use(express.json());
    app.use(
      '/auth',
      session({
        secret: 'a secret of the sessions',
        resave: false,
        saveUninitialized: false,
        cookie: { sameSite: 'strict', path: '/auth' },
      }),
    );
    app.post('/auth/password', firstFactor(passport), smsOtp.send(), (req, res) => {
      res.json(smsOtp.status(req));
    });
    app.post('/auth/resend', smsOtp.resend(), (req, res) => void res.json(smsOtp.status(req)));
    app.post('/auth/code', smsOtp.verify({ session: false }), (req, res) => {
      const { amr } = req.authInfo as { readonly amr: readonly string[] };
      const options = { subject: idOf(req), audience: 'shop', expiresIn: 300 } as const;
      res.json({ accessToken: jwt.sign({ amr }, PRIVATE_KEY, options) });
    });
    app.get('/v1/orders', requireToken, (req, res) => void res.json({ of: idOf(req) }));
    app.delete('/v1/orders', requireToken, (_req, res) => void res.sendStatus(204));
    app.use(answerErrorsInJson);
    return serve(app, () => smsOtp.close());
  },
  jsonForms: true,
  token: { field: 'accessToken' },
  secrets: [PRIVATE_KEY],
  login: { path: '/auth/password', password: ({ name }) => passwordOf(name) },
  code: { path: '/auth/code' },
  guarded: ['/v1/orders'],
  resend: { path: '/auth/resend' },
});
