import type { RequestHandler } from 'express';
import session from 'express-session';
import express from 'express4';
import { createSmsOtp, noticeText } from 'passport-sms-otp';
import { passwordOf, serve } from '../support/base-app';
import { basics, createPassport, firstFactor, idOf, otpOptions, type SoundApp } from './parts';

/**
 * Express 4 and forms without tokens, which SameSite protects; plain `passport.authenticate` takes
 * the code.
 */
export const express4App: SoundApp = (gateway) => ({
  ...basics(gateway),
  start: () => {
    const passport = createPassport();
    const smsOtp = createSmsOtp(otpOptions(gateway, passport));
    const app = express();
    app.use(express.urlencoded({ extended: true }));
    app.use(
      session({
        name: 'sid',
        secret: ['a newer secret', 'an older secret'],
        resave: false,
        saveUninitialized: false,
        cookie: { sameSite: 'strict' },
      }),
    );
    app.use(passport.initialize(), passport.session());
    app.get('/', (_req, res) => {
      res.send(
        '<form method="post" action="/enter"><input name="username"><input name="password"></form>',
      );
    });
    app.post(
      '/enter',
      firstFactor(passport, { failureRedirect: '/' }),
      smsOtp.send({ successRedirect: '/code', failureRedirect: '/' }),
    );
    app.get('/code', (req, res) => {
      const { notice, retryAt, pending } = smsOtp.status(req);
      // Plain `authenticate` keeps no notice.
      const wrong = 'wrong' in req.query ? 'Der Code ist nicht richtig.' : '';
      const text = wrong || noticeText(notice, { retryAt, locale: 'de' });
      if (pending === null) return res.redirect('/');
      res.send(`<p>${text}</p><form method="post"><input name="pin"></form>`);
    });
    app.post(
      '/code',
      passport.authenticate('sms-otp', {
        successRedirect: '/inside',
        failureRedirect: '/code?wrong',
      }) as RequestHandler,
    );
    app.get('/inside', smsOtp.requireSecondFactor({ redirect: '/' }), (req, res) => {
      res.send(`<h1>${idOf(req)}</h1><form method="post" action="/leave"></form>`);
    });
    app.post('/leave', smsOtp.logout({ successRedirect: '/' }));
    return serve(app, () => smsOtp.close());
  },
  login: { path: '/enter', page: '/', password: ({ name }) => passwordOf(name) },
  code: { path: '/code' },
  guarded: ['/inside'],
  logout: { path: '/leave', page: '/inside' },
});
