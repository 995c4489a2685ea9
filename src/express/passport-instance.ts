import passport, { type Strategy } from 'passport';

/** What this library uses of a Passport instance, of `require('passport')` as of `new Passport()`. */
export interface PassportInstance {
  use(name: string, strategy: Strategy): unknown;
  authenticate(strategyName: string, options: object, callback: PassportCallback): unknown;
}

/** The callback form of `passport.authenticate`. */
export type PassportCallback = (
  error: unknown,
  user?: Express.User | false | null,
  info?: object,
  status?: number,
) => void;

/** The instance that `require('passport')` gives to everybody. */
export const defaultPassport: PassportInstance = passport;
