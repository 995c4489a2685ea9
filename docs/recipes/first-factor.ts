import type { Authenticator, Strategy } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import type { Users } from './parts';

/** `import passport from 'passport'`, or an instance of your own. */
type Passport = Pick<Authenticator, 'serializeUser' | 'deserializeUser'> & {
  use(strategy: Strategy): unknown;
};

/** What every app with Passport and passwords already has. */
export function addFirstFactor(passport: Passport, users: Users): void {
  passport.use(
    new LocalStrategy((username, password, done) => {
      users.checkPassword(username, password).then((user) => done(null, user ?? false), done);
    }),
  );
  addSessions(passport, users);
}

/** Stores the user's id in the session. */
export function addSessions(passport: Passport, users: Users): void {
  passport.serializeUser((user, done) => done(null, user.id));
  passport.deserializeUser((id: string, done) => {
    users.findById(id).then((user) => done(null, user ?? false), done);
  });
}
