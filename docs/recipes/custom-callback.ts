import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import type { RecipeParts } from './parts';

/** Answers a wrong password in JSON, and hands the right one on to `send`. */
const checkPassword: RequestHandler = (req, res, next) => {
  const done = (error: unknown, user: Express.User | false | null, info?: object): void => {
    if (error) return next(error);
    if (!user) return void res.status(401).json({ error: 'wrong-password' });
    req.user = user;
    req.authInfo = info ?? {}; // Passport sets both only without a callback. `send` needs both.
    next();
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
  });

  const app = express();
  app.use(express.json());
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(session({ secret: sessionSecret, resave: false, saveUninitialized: false, cookie }));
  app.use(passport.session());

  app.post(
    '/api/login',
    checkPassword,
    smsOtp.send(),
    (req, res) => void res.json(smsOtp.status(req)),
  );
  app.post('/api/login/pin', smsOtp.verify(), (req, res) => void res.json(smsOtp.status(req)));
  app.get(
    '/api/account',
    smsOtp.requireSecondFactor(),
    (req, res) => void res.json({ id: req.user?.id }),
  );
  return app;
}
