import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import type { RecipeParts } from './parts';
import { sessionInHeader } from './session-header';

export function createApp({ users, gateway, ...secrets }: RecipeParts): Express {
  addFirstFactor(passport, users);
  const smsOtp = createSmsOtp({
    gateway,
    secret: secrets.otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
  });

  const app = express();
  app.use(express.json());
  app.use(sessionInHeader());
  app.use(
    session({
      secret: secrets.sessionSecret,
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'lax' }, // Browsers send it with no form of another site.
    }),
  );
  app.use(passport.session());
  const answerStatus: RequestHandler = (req, res) => void res.json(smsOtp.status(req));

  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  app.post('/login', firstFactor, smsOtp.send(), answerStatus);
  app.post('/login/pin', smsOtp.verify(), answerStatus);
  app.post('/logout', smsOtp.logout(), (_req, res) => void res.sendStatus(204));

  app.use('/api', smsOtp.requireSecondFactor());
  app.get('/api/account', (req, res) => void res.json({ id: req.user?.id }));
  // "Log out everywhere else": the phone that was lost. A copied session must not end the others.
  const recently = smsOtp.requireSecondFactor({ maxAgeSeconds: 300 });
  app.post('/step-up', smsOtp.stepUp(), answerStatus);
  app.post('/api/logins/end', recently, async (req, res) => {
    res.json({ ended: await smsOtp.logins.revokeAll(req.user?.id ?? '', req) });
  });
  return app;
}
