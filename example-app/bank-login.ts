import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { createSmsOtp, type SmsOtpOptions } from 'passport-sms-otp';
import { passkeyFactor, type PasskeyOptions } from '../docs/recipes/passkeys';
import { textOff } from '../docs/recipes/text-off';
import type { AppParts } from './app';
import type { AuthenticatorApps } from './authenticator-app';
import type { Config } from './config';
import { toFailureCode, UnavailableError } from './errors';
import { csrfProtection, fillLocals, keepForm } from './forms';
import { readLocale } from './i18n';
import { limitPasswords } from './limit-passwords';
import type { TextSwitch } from './text-switch';

declare module 'express-session' {
  interface SessionData {
    /** Whether the user who is logging in has switched texts off. */
    isTextOff?: true;
  }
}

/** How long a device is trusted, as the code page says. */
export const TRUSTED_DAYS = 30;

/** What the options below return: with phones, recovery codes, trusted devices and logins. */
export type BankOtp = ReturnType<typeof addLogin>;

/** The whole login: a right password, then a texted code; then step-up, recovery and logout. */
export function addLogin(
  app: Express,
  config: Config,
  parts: AppParts &
    Required<Pick<SmsOtpOptions, 'policies' | 'onEvent'>> & {
      readonly authenticatorApps: AuthenticatorApps;
      readonly passkeyOptions: PasskeyOptions;
      readonly texts: TextSwitch;
    },
) {
  const { users } = parts;
  const passport = new Passport();
  const { isProduction, sessionSecret } = config;
  const openSession = session({
    // Browsers accept a `__Host-` cookie over https only, for this host only.
    name: isProduction ? '__Host-harbour' : 'harbour',
    secret: sessionSecret,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: isProduction, path: '/' },
    ...(parts.sessionStore && { store: parts.sessionStore }),
  });
  app.use(requireSession(openSession));
  app.use(passport.session(), fillLocals, csrfProtection);

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
    phoneBook: users.phoneBook,
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
    allowedCountries: config.allowedCountries,
    // A user who has nothing to pass a second factor with is logged in without a code, and can then
    // open no page but the one that adds a number.
    isRequiredFor: (user): Promise<boolean> => smsOtp.canPassSecondFactor(user),
    // A login can be ended from the settings, and ends when numbers or recovery codes change
    // elsewhere.
    recoveryCodes: {},
    trustedDevices: {
      maxAgeDays: TRUSTED_DAYS,
      getPasswordVersion: () => users.getPasswordVersion(),
    },
    // With `autofillHost: 'bank.example'`, your site's host name, phones offer to fill the code in.
    appName: 'Harbour',
    getLocale: (_user, req) => readLocale(req),
    factors: [
      passkeyFactor(users.passkeys.book, parts.passkeyOptions),
      parts.authenticatorApps.factor,
    ],
    // Users who have neither are texted.
    preferredFactor: async ({ id }) => ((await users.passkeys.hasAny(id)) ? 'passkey' : 'totp'),
    policies: [textOff(({ id }) => parts.texts.isOff(id)), ...(parts.policies ?? [])],
    keepSessionKeys: ['isTextOff'],
    onEvent: parts.onEvent,
  });

  app.post(
    '/login',
    ...limitPasswords(smsOtp, users),
    // Passport types it as any.
    passport.authenticate('local', { session: false, failWithError: true }) as RequestHandler,
    noteTextOff(parts.texts),
    smsOtp.send({
      successRedirect: '/login/pin',
      failureRedirect: '/login',
      notRequiredRedirect: '/enroll',
      trustedDeviceRedirect: '/account',
    }),
    answerWrongPassword,
  );
  app.post(
    '/login/pin',
    smsOtp.verify({ successRedirect: '/account', failureRedirect: '/login/pin' }),
  );
  app.post(
    '/login/pin/resend',
    smsOtp.resend({ successRedirect: '/login/pin', failureRedirect: '/login/pin' }),
  );
  app.post(
    '/login/recover',
    smsOtp.recover({ successRedirect: '/account', failureRedirect: '/login/pin?recovery' }),
  );
  app.post(
    '/login/app',
    smsOtp.verifyWith('totp', { successRedirect: '/account', failureRedirect: '/login/pin?app' }),
  );
  // For a login and for a step-up.
  app.post('/login/passkey/options', smsOtp.optionsWith('passkey'));
  const toPasskey = { successRedirect: '/account', failureRedirect: '/login/pin?passkey' };
  app.post('/login/passkey', smsOtp.verifyWith('passkey', toPasskey));
  app.post('/login/cancel', smsOtp.cancel({ successRedirect: '/login' }));
  app.post(
    '/step-up',
    smsOtp.stepUp({ successRedirect: '/login/pin', failureRedirect: '/step-up' }),
  );
  app.post('/logout', smsOtp.logout({ successRedirect: '/?logged-out' }));
  return smsOtp;
}

/** Notes for the page of the code that it need not offer a text. */
function noteTextOff(texts: TextSwitch): RequestHandler {
  return async ({ session, user }, _res, next) => {
    if (user && (await texts.isOff(user.id))) session.isTextOff = true;
    else delete session.isTextOff;
    next();
  };
}

/**
 * Answers 503 while the store is down. express-session would continue without a session; a login
 * cannot.
 */
function requireSession(open: RequestHandler): RequestHandler {
  return (req, res, next) =>
    open(req, res, (error?: unknown) => {
      const found: unknown = req.session; // the types promise one
      next(error || !found ? new UnavailableError(`Sessions: ${toFailureCode(error)}`) : undefined);
    });
}

const answerWrongPassword: ErrorRequestHandler = (error: unknown, req, res, next) => {
  if (!(error instanceof Error && error.name === 'AuthenticationError')) return next(error);
  res.locals.isWrongPassword = true;
  keepForm(req, res, () => res.redirect(303, '/login?wrong-password'));
};
