import type { Request } from 'express';
import passport from 'passport';
import type { Strategy } from 'passport';
import { readFields } from '../errors';
import { callAsync, isGiven } from './handler';
import type { PassportOptions } from './options';

/**
 * What this library uses of a Passport instance, either `require('passport')` or `new Passport()`.
 */
export interface PassportInstance {
  use(name: string, strategy: Strategy): unknown;
  authenticate(
    strategy: Strategy | string | string[],
    options: object,
    callback?: PassportCallback,
  ): unknown;
}

/** The callback form of `passport.authenticate`. */
export type PassportCallback = (
  error: unknown,
  user?: Express.User | false | null,
  info?: object,
  status?: number,
) => void;

/** The instance that `require('passport')` returns. */
export const defaultPassport: PassportInstance = passport;

/**
 * Returns whether a Passport is older than 0.6: its `req.logIn` renews no session, so the right
 * code would lead back to the login page. In 0.4 and 0.5 the session manager takes no options.
 * Before that there is none, and the instance has `_userProperty`.
 */
export function isOldPassport(instance: PassportInstance): boolean {
  // Missing in the types.
  const { _sm: sessionManager, _userProperty: userProperty } = readFields(instance);
  if (sessionManager === undefined) return userProperty !== undefined;
  const { logIn } = readFields(sessionManager);
  // A wrapper may have any other number of parameters.
  return typeof logIn === 'function' && logIn.length === 3;
}

/** Calls Passport's own `req.logIn`, which renews the session and puts the user into it. */
export function logIn(
  req: Request,
  user: Express.User,
  { session, keepSessionInfo }: PassportOptions,
): Promise<void> {
  const options = { session: session !== false, keepSessionInfo: keepSessionInfo === true };
  return callAsync((done) => req.logIn(user, options, done));
}

/** Calls Passport's own `req.logout`, which renews the session and takes the user out of it. */
export function logOut(req: Request): Promise<void> {
  return callAsync((done) => req.logout(done));
}

/** Sets `req.authInfo` the way Passport does after a success. */
export function setAuthInfo(passport: PassportInstance, req: Request, info: object): Promise<void> {
  // Missing in the types, but part of Passport since 0.2: its own success action calls it.
  const transformer = passport as unknown as TransformsAuthInfo;
  return new Promise((resolve, reject) => {
    transformer.transformAuthInfo(info, req, (error, transformed) => {
      if (isGiven(error)) return reject(error);
      req.authInfo = transformed;
      resolve();
    });
  });
}

interface TransformsAuthInfo {
  transformAuthInfo(
    info: object,
    req: Request,
    done: (error: unknown, info: Express.AuthInfo) => void,
  ): void;
}
