import type { Express, RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { createSmsOtp } from 'passport-sms-otp';
import type { LoginParts } from './app-parts';
import { csrfProtection } from './csrf';
import type { Config } from './config';
import { readLocale } from './i18n/language';
import { requireSession, sessionOptions } from './session';

/** How long a device is trusted, as the code page says. */
export const TRUSTED_DAYS = 30;

/** What the options below return: with phones, recovery codes and trusted devices. */
export type BankOtp = ReturnType<typeof addLogin>;

/** The whole login: a right password, then a texted code. This is the file to copy. */
export function addLogin(app: Express, config: Config, parts: LoginParts) {
  const { users, phoneBook } = parts.userData;
  const passport = new Passport();
  app.use(session(sessionOptions(config, parts.sessionStore)), requireSession);
  app.use(passport.session());
  app.use(csrfProtection);

  passport.serializeUser((user, done) => done(null, user.id));
  passport.deserializeUser((id: string, done) => {
    users.findById(id).then((user) => done(null, user ?? false), done);
  });
  passport.use(
    new LocalStrategy((username, password, done) => {
      users.checkPassword(username, password).then((user) => done(null, user ?? false), done);
    }),
  );

  const smsOtp = createSmsOtp({
    passport,
    gateway: parts.gateway,
    store: parts.smsOtpStore,
    secret: config.smsOtpSecret,
    now: parts.now,
    phoneBook,
    loadUser: (id) => users.findById(String(id)),
    allowedCountries: config.allowedCountries,
    // A user without a number is logged in without a code, and can then open no page but the one that adds it.
    isRequiredFor: async ({ id }) => (await phoneBook.list(id)).some(({ isConfirmed }) => isConfirmed),
    // A login can be ended from the settings, and ends when numbers or recovery codes change elsewhere.
    logins: {},
    recoveryCodes: {},
    trustedDevices: { maxAgeDays: TRUSTED_DAYS, getPasswordVersion: (user) => users.getPasswordVersion(user) },
    // With `autofillHost: 'bank.example'`, your site's host name, phones offer to fill the code in.
    messages: { appName: 'Harbour' },
    getLocale: (_user, req) => readLocale(req),
    policies: parts.policies,
    onEvent: parts.onEvent,
  });

  const wrongPassword = '/login?wrong-password';
  app.post(
    '/login',
    // Passport types it as any.
    passport.authenticate('local', { session: false, failureRedirect: wrongPassword }) as RequestHandler,
    smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login', notRequiredRedirect: '/account' }),
  );
  app.post('/login/pin', smsOtp.verify({ successRedirect: '/account', failureRedirect: '/login/pin' }));
  app.post('/login/pin/resend', smsOtp.resend({ successRedirect: '/login/pin', failureRedirect: '/login/pin' }));
  app.post('/login/recover', smsOtp.recover({ successRedirect: '/account', failureRedirect: '/login/pin' }));
  app.post('/login/cancel', smsOtp.cancel({ successRedirect: '/' }));
  app.post('/step-up', smsOtp.stepUp({ successRedirect: '/login/pin', failureRedirect: '/step-up' }));
  app.post('/logout', smsOtp.logout({ successRedirect: '/' }));
  // Guards refuse a login that was ended from elsewhere. The pages without a guard, to which they send it, log it out.
  const logOutEnded = smsOtp.logout({ successRedirect: '/login?ended' });
  app.get(['/login', '/login/pin', '/step-up', '/enroll'], async (req, res, next) => {
    if (await smsOtp.logins.isLive(req)) next();
    else logOutEnded(req, res, next);
  });
  return smsOtp;
}
