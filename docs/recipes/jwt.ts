import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import jwt from 'jsonwebtoken';
import passport from 'passport';
import { ExtractJwt, Strategy as JwtStrategy } from 'passport-jwt';
import { createSmsOtp } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import type { RecipeParts } from './parts';

const ISSUED = { issuer: 'https://bank.example', audience: 'https://api.bank.example' };
const LIFE_SECONDS = 300;

interface Claims {
  readonly sub: string;
  readonly amr?: unknown;
}

export function createApp({
  users,
  gateway,
  ...secrets
}: RecipeParts & { tokenSecret: string }): Express {
  addFirstFactor(passport, users);
  const smsOtp = createSmsOtp({
    gateway,
    secret: secrets.otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
  });
  const fromHeader = ExtractJwt.fromAuthHeaderAsBearerToken();
  const checks = { ...ISSUED, secretOrKey: secrets.tokenSecret, algorithms: ['HS256' as const] };
  passport.use(
    new JwtStrategy({ ...checks, jwtFromRequest: fromHeader }, ({ sub, amr }: Claims, done) => {
      // The signature proves that we issued the token. Only `amr` proves that it was issued after
      // the second factor.
      if (!Array.isArray(amr) || !amr.includes('sms')) return done(null, false);
      users.findById(sub).then((user) => done(null, user ?? false), done);
    }),
  );

  const app = express();
  app.use(express.json());
  // The session lives from the password to the code. The API below has none.
  const loginSession = session({
    secret: secrets.sessionSecret,
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'lax' }, // Browsers send it with no form of another site.
  });
  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  app.use('/login', loginSession);
  app.post('/login', firstFactor, smsOtp.send(), (req, res) => void res.json(smsOtp.status(req)));
  app.post('/login/pin', smsOtp.verify({ session: false }), (req, res) => {
    const { amr } = req.authInfo as { amr: readonly string[] }; // Set by `verify`.
    const subject = String(req.user?.id);
    const token = jwt.sign({ amr }, secrets.tokenSecret, {
      ...ISSUED,
      subject,
      expiresIn: LIFE_SECONDS,
    });
    res.json({ token, expiresInSeconds: LIFE_SECONDS });
  });

  app.use('/api', passport.authenticate('jwt', { session: false }) as RequestHandler); // Typed as any.
  app.get('/api/account', (req, res) => void res.json({ id: req.user?.id }));
  return app;
}
