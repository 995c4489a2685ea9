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
  /** This app's address of `/settings/link/callback`, as the provider knows it. */
  readonly linkCallbackUrl: string;
  /** Adds an identity to a user. False: it is another user's. */
  readonly linkIdentity: (userId: string, identity: Identity) => Promise<boolean>;
}

/** An account at the provider. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export function createApp({
  users,
  gateway,
  sessionSecret,
  otpSecret,
  ...openId
}: OpenIdParts): Express {
  addSessions(passport, users);
  const { config, callbackUrl, findByIdentity, linkCallbackUrl, linkIdentity } = openId;
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
  // Passes on who came back from the provider, and looks for no user.
  passport.use(
    'openid-link',
    new OpenIdStrategy(
      { config, callbackURL: linkCallbackUrl, scope: 'openid' },
      (tokens, done: Done) => {
        const claims = tokens.claims();
        if (claims === undefined) return done(null, false);
        const identity: Identity = { issuer: claims.iss, subject: claims.sub };
        done(null, identity as unknown as Express.User); // No user: it goes to `req.account`.
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

  // Links an account at the provider to the user who is logged in. There is no `send`: no one logs in.
  const mayLink = smsOtp.requireSecondFactor({ maxAgeSeconds: 300 });
  const authorize = passport.authorize('openid-link') as RequestHandler; // Typed as any.
  app.get('/settings/link', mayLink, authorize);
  app.get('/settings/link/callback', mayLink, authorize, async (req, res) => {
    const { account } = req as unknown as { readonly account: Identity }; // Where Passport puts it.
    const isLinked = await linkIdentity(req.user?.id ?? '', account);
    res.status(isLinked ? 200 : 409).json({ isLinked });
  });
  app.get(
    '/account',
    smsOtp.requireSecondFactor(),
    (req, res) => void res.json({ id: req.user?.id }),
  );
  return app;
}
