import express, { type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { createSmsOtp } from 'passport-sms-otp';
import { asUser, bodyOf, cartOf, hashOf, SECRET } from './support/parts';
import type { Parts, RunningApp } from './support/parts';

interface UserRow {
  readonly id: number;
  readonly username: string;
  readonly phone: string | null;
  readonly password: string;
}

type User = Omit<UserRow, 'password'>;

/** As passport-local-prisma-express-typescript: strict types, a JSON API, integer ids. */
export function createApp({ people, gateway, sessions, now }: Parts): RunningApp {
  const table = new Map<number, UserRow>();
  const insert = (username: string, password: string, phone: string | null): UserRow => {
    const id = table.size + 1;
    const row = { id, username, phone, password: hashOf(password) };
    table.set(id, row);
    return row;
  };
  for (const { name, password, phone } of people) insert(name, password, phone);
  const findByName = (name: string): UserRow | undefined =>
    [...table.values()].find(({ username }) => username === name);
  const findById = (id: number): Express.User | false => {
    const row = table.get(id);
    if (row === undefined) return false;
    const { password: _hash, ...user } = row;
    return asUser(user);
  };

  passport.use(
    new LocalStrategy((username, password, done) => {
      const row = findByName(username);
      done(null, row?.password === hashOf(password) ? findById(row.id) : false);
    }),
  );
  passport.serializeUser((user, done) => done(null, userOf(user).id));
  passport.deserializeUser((id: number, done) => done(null, findById(id)));

  const smsOtp = createSmsOtp({
    gateway,
    now,
    secret: SECRET,
    allowedCountries: ['US'],
    getPhone: (user) => userOf(user).phone,
    // This compilation declares the ids of other apps. `Map.get` finds an integer alone.
    loadUser: (id: unknown) => findById(id as number),
    logins: {}, // Without it the type says that there may be no `logins`.
    keepSessionKeys: ['cart'],
  });

  const app = express();
  app.set('trust proxy', 1);
  app.use(express.json());
  const cookie = { sameSite: 'lax' } as const;
  app.use(
    session({ secret: SECRET, store: sessions, resave: false, saveUninitialized: false, cookie }),
  );
  app.use(passport.session());

  const signUp: RequestHandler = (req, _res, next) => {
    req.user = asUser(
      insert(bodyOf(req, 'username'), bodyOf(req, 'password'), bodyOf(req, 'phone')),
    );
    req.authInfo = {};
    next();
  };
  const answerStatus: RequestHandler = (req, res) => void res.json(smsOtp.status(req));
  const answerUser: RequestHandler = (req, res) => void res.json({ user: req.user ?? null });
  const checkPassword = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  const api = express.Router();
  api.post('/login', checkPassword, smsOtp.send(), answerStatus);
  api.post('/sign-up', signUp, smsOtp.send(), answerStatus);
  api.post('/login/pin', smsOtp.verify(), answerUser);
  api.post('/login/resend', smsOtp.resend(), answerStatus);
  api.use('/login/cancel', smsOtp.cancel(), answerStatus);
  api.post('/step-up', smsOtp.stepUp(), answerStatus);
  api.post('/logout', smsOtp.logout(), answerUser);
  api.get('/about', answerUser);
  api.get('/cart', (req, res) => void res.json(cartOf(req)));
  api.use(smsOtp.requireSecondFactor());
  api.get('/account', answerUser);
  api.post('/payment', answerUser);
  app.use('/api', api);

  return {
    handler: app,
    revokeAll: (name) => smsOtp.logins.revokeAll(findByName(name)?.id ?? 0),
    close: () => smsOtp.close(),
  };
}

const userOf = (user: Express.User | undefined): User => user as unknown as User;
