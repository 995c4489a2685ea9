import { RedisStore } from 'connect-redis';
import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import passportModule from 'passport';
import type { RedisClientType } from 'redis';
import { createSmsOtp } from 'passport-sms-otp';
import { GatewayClient, type GatewayClientOptions } from 'passport-sms-otp/client';
import { redisStore } from 'passport-sms-otp/redis';
import { addFirstFactor } from './first-factor';
import type { Users } from './parts';

/** One gateway account for all apps: they share its token. */
export function createGateway(
  redis: RedisClientType,
  account: GatewayClientOptions,
): GatewayClient {
  return new GatewayClient({
    ...account,
    tokenStore: redisStore(redis, { prefix: 'gateway' }).tokens,
  });
}

export interface AppParts {
  /** Such as `shop` or `bank`: prefixes the keys in Redis and names the cookie. */
  readonly name: string;
  readonly users: Users;
  readonly redis: RedisClientType;
  readonly gateway: GatewayClient;
  /** Of this app alone. */
  readonly sessionSecret: string;
  /** Of this app alone: the two apps share no counters. */
  readonly otpSecret: string;
}

export function createApp({
  name,
  users,
  redis,
  gateway,
  sessionSecret,
  otpSecret,
}: AppParts): Express {
  const passport = new passportModule.Passport();
  addFirstFactor(passport, users);
  const smsOtp = createSmsOtp({
    passport,
    gateway,
    store: redisStore(redis, { prefix: `${name}:sms-otp` }),
    secret: otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
  });
  const store = new RedisStore({ client: redis, prefix: `${name}:session:` });

  const app = express();
  app.use(express.json());
  // Browsers send cookies to every port of a host, so each app needs its own name.
  app.use(
    session({
      name,
      store,
      secret: sessionSecret,
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'lax' }, // Browsers send it with no form of another site.
    }),
  );
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
