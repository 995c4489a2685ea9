import express, { type Express, type Request, type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import type { RecipeParts } from './parts';

declare module 'express-session' {
  interface SessionData {
    /** What the next page says, as connect-flash keeps it. */
    flash: string[];
    /** The page to go back to after the login. */
    returnTo: string;
  }
}

function flash({ session: kept }: Request, sentence: string): void {
  kept.flash = [...(kept.flash ?? []), sentence];
}

/** Answers a wrong password with a redirect, and hands the right one on to `send`. */
const checkPassword: RequestHandler = (req, res, next) => {
  const done = (error: unknown, user: Express.User | false | null, info?: object): void => {
    if (error) return next(error);
    if (!user) {
      flash(req, 'Wrong user name or password.');
      return res.redirect(303, '/login');
    }
    req.user = user;
    req.authInfo = info ?? {};
    next(); // To `send`: neither req.logIn nor a redirect comes before the code.
  };
  const middleware = passport.authenticate('local', { session: false }, done) as RequestHandler; // Typed as any.
  middleware(req, res, next);
};

export function createApp({ users, gateway, sessionSecret, otpSecret }: RecipeParts): Express {
  addFirstFactor(passport, users);
  const smsOtp = createSmsOtp({
    gateway,
    secret: otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
    // The password and the code each begin a new session. These two keys go along.
    keepSessionKeys: ['flash', 'returnTo'],
  });

  const app = express();
  app.use(express.urlencoded({ extended: false }));
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(session({ secret: sessionSecret, resave: false, saveUninitialized: false, cookie }));
  app.use(passport.session());

  // Shows the sentences once.
  const showPage: RequestHandler = (req, res) => {
    const sentences = req.session.flash ?? [];
    delete req.session.flash;
    res.json({ page: req.path, sentences, ...smsOtp.status(req) });
  };
  // A page for everybody: who logs in here comes back here. A path of this app, never a URL.
  app.get('/articles/:name', (req, _res, next) => {
    req.session.returnTo = req.path;
    next();
  });
  app.get(['/articles/:name', '/login', '/login/pin'], showPage);

  app.post(
    '/login',
    checkPassword,
    smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' }),
  );
  // Without `successRedirect` the app decides where to go.
  app.post('/login/pin', smsOtp.verify({ failureRedirect: '/login/pin' }), (req, res) => {
    const { returnTo = '/account' } = req.session;
    delete req.session.returnTo;
    flash(req, 'You are logged in.');
    res.redirect(303, returnTo);
  });
  app.get('/account', smsOtp.requireSecondFactor({ redirect: '/login' }), showPage);
  return app;
}
