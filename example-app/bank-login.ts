import type { Express, RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { createSmsOtp, type SmsOtpOptions } from 'passport-sms-otp';
import { type PageLayout, smsOtpPages } from 'passport-sms-otp/pages';
import { passkeyFactor, type PasskeyOptions } from '../docs/recipes/passkeys';
import { textOff } from '../docs/recipes/text-off';
import type { AppParts } from './app';
import type { AuthenticatorApps } from './authenticator-app';
import type { Config } from './config';
import { toFailureCode, UnavailableError } from './errors';
import { csrfProtection, fillLocals, keepName, saveToken } from './forms';
import { LOCALES, readLocale, TEXTS } from './i18n';
import { limitPasswords } from './limit-passwords';
import type { TextSwitch } from './text-switch';

/**
 * The object that `createSmsOtp` returns for the options below: with phones, recovery codes,
 * trusted devices and logins.
 */
export type BankOtp = ReturnType<typeof addLogin>;

const PAGES_WITH_FORMS = [
  /^\/(login|account|settings|transfer)$/,
  /^\/(settings|transfer|second-factor)\/[\w-]+$/,
];

/** Adds the whole login: a right password, then a code; and the pages of the second factor. */
export function addLogin(
  app: Express,
  config: Config,
  parts: AppParts &
    Required<Pick<SmsOtpOptions, 'policies' | 'onEvent'>> & {
      readonly authenticatorApps: AuthenticatorApps;
      readonly passkeyOptions: PasskeyOptions;
      readonly texts: TextSwitch;
      readonly layout: PageLayout;
    },
) {
  const { users } = parts;
  const passport = new Passport();
  passport.serializeUser((user, done) => done(null, user.id));
  passport.deserializeUser((id: string, done) => {
    users.findById(id).then((user) => done(null, user ?? false), done);
  });
  passport.use(
    new LocalStrategy({ passReqToCallback: true }, (req, username, password, done) => {
      users.checkPassword(username, password).then((user) => {
        if (user) return done(null, user);
        keepName(req, username, (error: unknown) => done(error, false));
      }, done);
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
    // A user without any second factor is logged in without a code. The only page that then opens
    // is the one to add a number.
    isRequiredFor: (user): Promise<boolean> => smsOtp.canPassSecondFactor(user),
    recoveryCodes: {},
    trustedDevices: { getPasswordVersion: () => users.getPasswordVersion() },
    // With `autofillHost: 'bank.example'`, the host name of your site, phones offer to fill in the
    // code.
    appName: 'Harbour',
    paths: { login: '/login', home: '/account' },
    getLocale: (_user, req) => readLocale(req),
    factors: [
      passkeyFactor(users.passkeys.book, parts.passkeyOptions),
      parts.authenticatorApps.factor,
    ],
    // Users without a passkey or an authenticator app get a text message.
    preferredFactor: async ({ id }) => ((await users.passkeys.hasAny(id)) ? 'passkey' : 'totp'),
    policies: [textOff(({ id }) => parts.texts.isOff(id)), ...(parts.policies ?? [])],
    onEvent: parts.onEvent,
  });
  const pages = smsOtpPages(smsOtp, {
    layout: parts.layout,
    csrf: { field: '_csrf', token: (req) => req.csrfToken?.() ?? '' },
    locale: readLocale,
    texts: Object.fromEntries(LOCALES.map((locale) => [locale, consentTexts(locale)])),
  });

  // Mount these before the session, so that error pages have their style while its store is down.
  app.get(/^\/second-factor\/\w+\.\w+$/, pages);
  app.use(openSession(config, parts.sessionStore));
  app.use(passport.session(), fillLocals, csrfProtection);
  app.get(PAGES_WITH_FORMS, saveToken);
  app.use(pages);
  app.post(
    '/login',
    ...limitPasswords(smsOtp, users),
    smsOtp.firstFactor('local'),
    smsOtp.send({ notRequiredRedirect: '/second-factor/add-number' }),
  );
  app.post('/logout', smsOtp.logout({ successRedirect: '/?logged-out' }));
  return smsOtp;
}

/** Returns the agreement that is shown next to the field for a new number. */
function consentTexts(locale: (typeof LOCALES)[number]) {
  const texts = TEXTS[locale];
  return { 'number.costs': `${texts['enroll.consent']} ${texts['enroll.costs']}` };
}

/**
 * Opens the session, and answers 503 while its store is down. express-session itself would continue
 * without a session, in which no login works.
 */
function openSession(
  { isProduction, sessionSecret }: Config,
  store: AppParts['sessionStore'],
): RequestHandler {
  const open = session({
    // Browsers accept a `__Host-` cookie only over https and only for this host.
    name: isProduction ? '__Host-harbour' : 'harbour',
    secret: sessionSecret,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: isProduction, path: '/' },
    ...(store && { store }),
  });
  return (req, res, next) =>
    open(req, res, (error?: unknown) => {
      const found: unknown = req.session; // the types promise one
      next(error || !found ? new UnavailableError(`Sessions: ${toFailureCode(error)}`) : undefined);
    });
}
