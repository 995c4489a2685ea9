import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp } from 'passport-sms-otp';
import { addSessions } from './first-factor';
import type { RecipeParts } from './parts';

export function createApp({ users, gateway, sessionSecret, otpSecret }: RecipeParts): Express {
  addSessions(passport, users); // No strategy but ours: Passport only keeps the session.
  const smsOtp = createSmsOtp({
    gateway,
    secret: otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
  });

  async function checkPassword(req: Request, res: Response, next: NextFunction): Promise<void> {
    const { username, password } = (req.body ?? {}) as Readonly<Record<string, unknown>>;
    const user = await users.checkPassword(asString(username), asString(password));
    if (user === null) return res.redirect(303, '/login');
    req.user = user;
    req.authInfo = {}; // Says that this request has passed a first factor.
    next();
  }

  const app = express();
  app.use(express.urlencoded({ extended: false }));
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(session({ secret: sessionSecret, resave: false, saveUninitialized: false, cookie }));
  app.use(passport.session());

  app.post(
    '/login',
    checkPassword, // Express 5 passes its rejections on; in Express 4 catch them.
    smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' }),
  );
  app.post(
    '/login/pin',
    smsOtp.verify({ successRedirect: '/account', failureRedirect: '/login/pin' }),
  );
  app.get(
    '/account',
    smsOtp.requireSecondFactor(),
    (req, res) => void res.json({ id: req.user?.id }),
  );
  return app;
}

/** A field may be a list or an object: to turn one into a string can throw. */
function asString(field: unknown): string {
  return typeof field === 'string' ? field : '';
}
