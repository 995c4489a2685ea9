import { csrfSync } from 'csrf-sync';
import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import type { RecipeParts } from './parts';

export function createApp({ users, gateway, sessionSecret, otpSecret }: RecipeParts): Express {
  addFirstFactor(passport, users);
  const smsOtp = createSmsOtp({
    gateway,
    secret: otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
    // No `keepSessionKeys: ['csrfToken']` here: see the trap.
  });
  const { csrfSynchronisedProtection, generateToken } = csrfSync(); // Reads the header x-csrf-token.

  const app = express();
  app.use(express.json());
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(session({ secret: sessionSecret, resave: false, saveUninitialized: false, cookie }));
  app.use(passport.session());
  app.use('/api', csrfSynchronisedProtection);

  app.get('/api/csrf-token', (req, res) => void res.json({ token: generateToken(req) }));
  app.get('/api/login', async (req, res) => {
    await smsOtp.checkSecondFactor(req);
    res.json(smsOtp.status(req));
  });
  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  app.post(
    '/api/login',
    firstFactor,
    smsOtp.send(),
    (req, res) => void res.json(smsOtp.status(req)),
  );
  app.post('/api/login/pin', smsOtp.verify(), (req, res) => void res.json(smsOtp.status(req)));
  app.post('/api/login/resend', smsOtp.resend(), (req, res) => void res.json(smsOtp.status(req)));
  app.get(
    '/api/account',
    smsOtp.requireSecondFactor(),
    (req, res) => void res.json({ id: req.user?.id }),
  );
  return app;
}
