/** The package has no types of its own. */
declare module 'passport-remember-me' {
  import type { CookieOptions } from 'express';
  import { Strategy as PassportStrategy } from 'passport';

  type Verify = (
    token: string,
    done: (error: unknown, user?: Express.User | false) => void,
  ) => void;
  type Issue = (user: Express.User, done: (error: unknown, token?: string) => void) => void;

  export class Strategy extends PassportStrategy {
    constructor(
      options: { readonly key?: string; readonly cookie?: CookieOptions },
      verify: Verify,
      issue: Issue,
    );
  }
}
