import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import type { Configuration } from 'openid-client';
import { Strategy as OpenIdStrategy } from 'openid-client/passport';
import passport from 'passport';
import { createSmsOtp } from 'passport-sms-otp';
import { addSessions } from './first-factor';
import type { RecipeParts } from './parts';

type Done = (error: unknown, user?: Express.User | false, info?: object) => void;

interface OpenIdParts extends RecipeParts {
  /** From openid-client's `discovery(new URL(issuer), clientId, clientSecret)`. */
  readonly config: Configuration;
  /** This app's address of `/login/callback`, as the provider knows it. */
  readonly callbackUrl: string;
  /** Your mapping from the provider's identities to your users. */
  readonly findByIdentity: (issuer: string, subject: string) => Promise<Express.User | null>;
}

export function createApp({
  users,
  gateway,
  sessionSecret,
  otpSecret,
  ...openId
}: OpenIdParts): Express {
  addSessions(passport, users);
  const { config, callbackUrl, findByIdentity } = openId;
  passport.use(
    'openid',
    new OpenIdStrategy(
      { config, callbackURL: callbackUrl, scope: 'openid' },
      (tokens, done: Done) => {
        const claims = tokens.claims();
        if (claims === undefined) return done(null, false);
        // Issuer and subject together identify a person. An e-mail address does not: it may have a
        // new owner.
        findByIdentity(claims.iss, claims.sub).then(
          (user) => done(null, user ?? false, { amr: claims.amr }),
          done,
        );
      },
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
  app.use(express.json());
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(session({ secret: sessionSecret, resave: false, saveUninitialized: false, cookie }));
  app.use(passport.session());

  const openIdLogin = passport.authenticate('openid', { session: false }) as RequestHandler; // Typed as any.
  app.get('/login/openid', openIdLogin);
  app.get('/login/callback', openIdLogin, smsOtp.send({ successRedirect: '/login/pin' }));
  app.get('/login/pin', (req, res) => void res.json(smsOtp.status(req)));
  app.post('/login/pin', smsOtp.verify(), (req, res) => void res.json(smsOtp.status(req)));
  app.get(
    '/account',
    smsOtp.requireSecondFactor(),
    (req, res) => void res.json({ id: req.user?.id }),
  );
  return app;
}
