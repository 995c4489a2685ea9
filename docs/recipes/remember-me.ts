import { IncomingMessage } from 'node:http';
import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy as RememberMeStrategy } from 'passport-remember-me';
import { createSmsOtp } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import type { RecipeParts } from './parts';
import { readCookies, type RememberTokens } from './remember-tokens';

type Parts = RecipeParts & { readonly tokens: RememberTokens; readonly isHttps: boolean };

export function createApp({
  users,
  gateway,
  sessionSecret,
  otpSecret,
  tokens,
  isHttps,
}: Parts): Express {
  if ('logIn' in IncomingMessage.prototype)
    throw new Error('An old Passport is loaded: see the second trap');
  addFirstFactor(passport, users);
  const cookie = {
    httpOnly: true,
    secure: isHttps,
    sameSite: 'lax',
    maxAge: 30 * 86_400_000,
  } as const;
  const findOwner = async (token: string) => {
    const id = await tokens.take(token);
    return id === null ? false : ((await users.findById(id)) ?? false);
  };
  passport.use(
    new RememberMeStrategy(
      { cookie },
      (token, done) => void findOwner(token).then((user) => done(null, user), done),
      ({ id }, done) => void tokens.give(id).then((token) => done(null, token), done),
    ),
  );
  const smsOtp = createSmsOtp({
    gateway,
    secret: otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
  });

  const app = express();
  app.use(express.urlencoded({ extended: false }), readCookies);
  app.use(
    session({
      secret: sessionSecret,
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'lax' }, // Browsers send it with no form of another site.
    }),
  );
  app.use(passport.session());

  const authenticate = (name: string) =>
    passport.authenticate(name, { session: false }) as RequestHandler;
  const send = smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' });
  app.post('/login', authenticate('local'), send);
  // Replaces the password, never the code. Without a valid cookie Passport continues without a
  // user.
  const needsUser: RequestHandler = (req, res, next) =>
    req.user ? next() : res.redirect(303, '/login');
  app.post('/login/remembered', authenticate('remember-me'), needsUser, send);

  app.post('/login/pin', smsOtp.verify({ failureRedirect: '/login/pin' }), async (req, res) => {
    // The only place that issues the cookie: the second factor was passed.
    const { remember } = req.body as { readonly remember?: unknown };
    if (remember === 'on' && req.user)
      res.cookie('remember_me', await tokens.give(req.user.id), cookie);
    res.redirect(303, '/account');
  });
  app.post(
    '/logout',
    async (req, res, next) => {
      if (req.user) await tokens.forget(req.user.id);
      res.clearCookie('remember_me');
      next();
    },
    smsOtp.logout({ successRedirect: '/' }),
  );
  app.get(
    '/account',
    smsOtp.requireSecondFactor(),
    (req, res) => void res.json({ id: req.user?.id }),
  );
  return app;
}
