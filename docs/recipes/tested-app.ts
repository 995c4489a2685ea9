import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp } from 'passport-sms-otp';
import { numberCheck } from 'passport-sms-otp/policies';
import { addFirstFactor } from './first-factor';
import type { RecipeParts } from './parts';

/** The app of docs/testing.md: its dependencies, the gateway included, are passed in. */
export function createApp({ users, gateway, sessionSecret, otpSecret }: RecipeParts): Express {
  addFirstFactor(passport, users);
  const smsOtp = createSmsOtp({
    gateway,
    secret: otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
    policies: [numberCheck({ stage: 'send', mode: 'enforce' })],
  });

  const app = express();
  app.use(express.json());
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(session({ secret: sessionSecret, resave: false, saveUninitialized: false, cookie }));
  app.use(passport.session());

  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  app.post('/login', firstFactor, smsOtp.send(), (req, res) => void res.json(smsOtp.status(req)));
  app.post('/login/pin', smsOtp.verify(), (req, res) => void res.json(smsOtp.status(req)));
  app.get(
    '/account',
    smsOtp.requireSecondFactor(),
    (req, res) => void res.json({ id: req.user?.id }),
  );
  return app;
}
