import { isGiven } from './run';

/** What NestJS and others append: sees the verified user and may answer with another, or none. */
export type StrategyCallback = (user: Express.User, done: StrategyDone) => unknown;
export type StrategyDone = (error: unknown, user?: Express.User | false | null, info?: object) => void;

/** The user to go on with, and what `req.authInfo` tells. */
export interface Confirmed<Info extends object> {
  readonly user: Express.User;
  readonly info: Info;
}

/**
 * Asks the appended function; null when it answers with nobody. Its arity is never looked at: NestJS passes rest
 * parameters. It counts once, however often it answers.
 * @throws what the function throws, rejects with, or hands to `done`.
 */
export function confirmUser<Info extends object>(
  callback: StrategyCallback | undefined,
  verified: Confirmed<Info>,
): Promise<Confirmed<Info | object> | null> {
  // Frameworks append all sorts of things.
  if (typeof callback !== 'function') return Promise.resolve(verified);
  return new Promise((resolve, reject) => {
    const answered = callback(verified.user, (error, user, info) => {
      if (isGiven(error)) return reject(error);
      resolve(user ? { user, info: info ?? verified.info } : null);
    });
    Promise.resolve(answered).catch(reject);
  });
}
