import type { Express, RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { createSmsOtp, type SmsOtp } from 'passport-sms-otp';
import type { AppParts } from './app-parts';
import { csrfProtection } from './csrf';
import type { Config } from './config';
import { requireSession, sessionOptions } from './session';
import type { Users } from './users';

/** The whole login: a right password, then a texted code. This is the file to copy. */
export function addLogin(app: Express, config: Config, users: Users, parts: AppParts): SmsOtp {
  const passport = new Passport();
  app.use(session(sessionOptions(config, parts.sessionStore)), requireSession);
  app.use(passport.session());
  app.use(csrfProtection);

  passport.serializeUser((user, done) => done(null, user.id));
  passport.deserializeUser((id: string, done) => done(null, users.findById(id) ?? false));
  passport.use(
    new LocalStrategy((username, password, done) => {
      users.checkPassword(username, password).then((user) => done(null, user ?? false), done);
    }),
  );

  const smsOtp = createSmsOtp({
    passport,
    gateway: parts.gateway,
    store: parts.smsOtpStore,
    now: parts.now,
    getPhone: (user) => user.phone,
    loadUser: (id) => users.findById(String(id)),
    allowedCountries: config.allowedCountries,
    appName: 'Harbour',
    // With `autofillHost: 'bank.example'`, your site's host name, phones offer to fill the code in.
  });

  const wrongPassword = '/login?wrong-password';
  app.post(
    '/login',
    // Passport's types say any.
    passport.authenticate('local', { session: false, failureRedirect: wrongPassword }) as RequestHandler,
    smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' }),
  );
  app.post('/login/pin', smsOtp.verify({ successRedirect: '/account', failureRedirect: '/login/pin' }));
  app.post(
    '/login/pin/resend',
    smsOtp.resend({ successRedirect: '/login/pin', failureRedirect: '/login/pin' }),
  );
  app.post('/login/cancel', smsOtp.cancel({ successRedirect: '/' }));
  app.post('/step-up', smsOtp.stepUp({ successRedirect: '/login/pin', failureRedirect: '/step-up' }));
  app.post('/logout', (req, res, next) => {
    req.logout((error?: Error) => (error ? next(error) : res.redirect(303, '/')));
  });
  return smsOtp;
}
