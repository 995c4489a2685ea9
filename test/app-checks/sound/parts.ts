import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import { Passport, type PassportStatic } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { SmsOtpError, type SmsOtpOptions } from 'passport-sms-otp';
import type { AppDescription } from 'passport-sms-otp/testing';
import { asTestUser, asUser } from '../../support/test-users';
import { passwordOf, USERS, type Gateway } from '../support/base-app';

/** A sound app: how it is started, and how its developer would describe it. */
export type SoundApp = (gateway: Gateway) => AppDescription;

/** What every description has. */
export function basics(gateway: Gateway): Pick<AppDescription, 'simulator' | 'users'> {
  return { simulator: () => gateway.simulator, users: USERS };
}

/** Returns the user with this name and password; false without one. */
export function checkPassword(name: string, password: string): Express.User | false {
  return password === passwordOf(name) && findUser(name);
}

export function findUser(id: string): Express.User | false {
  const user = USERS.find(({ name }) => name === id);
  return user === undefined ? false : asUser({ id: user.name, phone: user.phone });
}

export const idOf = (req: Request): string => asTestUser(req.user).id;

/** A Passport of this app alone, with a password check. */
export function createPassport(fields?: {
  readonly usernameField: string;
  readonly passwordField: string;
}): PassportStatic {
  const passport = new (Passport as unknown as new () => PassportStatic)();
  passport.use(
    new LocalStrategy({ ...fields }, (name, password, done) =>
      done(null, checkPassword(name, password)),
    ),
  );
  passport.serializeUser((user, done) => done(null, asTestUser(user).id));
  passport.deserializeUser((id: string, done) => done(null, findUser(id)));
  return passport;
}

/** The first factor. Passport types it as any. */
export function firstFactor(passport: PassportStatic, options: object = {}): RequestHandler {
  return passport.authenticate('local', { session: false, ...options }) as RequestHandler;
}

/** The options that every app needs. */
export function otpOptions({ client }: Gateway, passport: PassportStatic) {
  return {
    gateway: client,
    passport,
    secret: 'a secret of the tests, long enough to be one',
    allowedCountries: ['US'],
    getPhone: (user) => asTestUser(user).phone,
    loadUser: (id) => findUser(id),
  } satisfies SmsOtpOptions;
}

/** Answers errors in JSON, as an API does. */
export const answerErrorsInJson: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
  const { status = 500 } = error as { readonly status?: number };
  const code = error instanceof SmsOtpError ? error.code : 'error';
  res.status(status).json({ error: code });
};
