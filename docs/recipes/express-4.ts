import type { Express, RequestHandler } from 'express';
import session from 'express-session';
import express from 'express4'; // Express 4 under another name; yours is called 'express'.
import passport from 'passport';
import { createSmsOtp } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import type { RecipeParts } from './parts';

/** Hands what an async handler throws to Express, as Express 5 does by itself. */
function forwarding(
  handler: (...given: Parameters<RequestHandler>) => Promise<unknown>,
): RequestHandler {
  return (req, res, next) => void handler(req, res, next).catch(next);
}

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
  app.use(express.urlencoded({ extended: false }));
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(session({ secret: sessionSecret, resave: false, saveUninitialized: false, cookie }));
  app.use(passport.session());

  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  app.post(
    '/login',
    firstFactor,
    smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' }),
  );
  app.post(
    '/login/pin',
    smsOtp.verify({ successRedirect: '/account', failureRedirect: '/login/pin' }),
  );
  app.get(
    '/account',
    smsOtp.requireSecondFactor(),
    forwarding(async (req, res) => {
      const phone = await users.findPhone(String(req.user?.id));
      res.json({ phone });
    }),
  );
  return app;
}
