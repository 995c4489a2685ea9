import { join } from 'node:path';
import { csrfSync } from 'csrf-sync';
import type { RequestHandler } from 'express';
import express from 'express416';
import session from 'express-session';
import passport from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { createSmsOtp, noticeText } from 'passport-sms-otp';
import { asUser, bodyOf, cartOf, hashOf, SECRET } from './support/parts';
import type { Parts, RunningApp } from './support/parts';

interface Row {
  readonly id: string;
  readonly username: string;
  readonly phone: string | null;
  readonly hashedPassword: string;
}

/** As passport/todos-express-password: express-generator 4.16 with EJS and CSRF tokens. */
export function createApp({ people, gateway, sessions, now }: Parts): RunningApp {
  const rows: Row[] = [];
  const insert = (username: string, password: string, phone: string | null): Row => {
    const row = { id: `id-${rows.length}`, username, phone, hashedPassword: hashOf(password) };
    rows.push(row);
    return row;
  };
  for (const { name, password, phone } of people) insert(name, password, phone);

  passport.use(
    new LocalStrategy((username, password, done) => {
      const row = rows.find((one) => one.username === username);
      done(null, row?.hashedPassword === hashOf(password) ? asUser(row) : false);
    }),
  );
  passport.serializeUser((user, done) => {
    const { id, username } = user as unknown as Row;
    done(null, { id, username });
  });
  passport.deserializeUser((user: object, done) => done(null, asUser(user)));

  const smsOtp = createSmsOtp({
    gateway,
    now,
    secret: SECRET,
    allowedCountries: ['US'],
    getPhone: (user) => (user as unknown as Row).phone,
    loadUser: (userId) => {
      const row = rows.find(({ id }) => id === userId);
      return row !== undefined && asUser({ ...row, hashedPassword: undefined });
    },
    logins: {}, // Without it the type says that there may be no `logins`.
    keepSessionKeys: ['cart'],
  });

  const app = express();
  app.set('views', join(__dirname, 'views'));
  app.set('view engine', 'ejs');
  app.use(express.urlencoded({ extended: false }));
  const cookie = { sameSite: 'lax' } as const;
  app.use(
    session({ secret: SECRET, store: sessions, resave: false, saveUninitialized: false, cookie }),
  );
  app.use(passport.session());
  const guarded = ['/account', '/statements', '/payment'];
  app.use(guarded, smsOtp.requireSecondFactor({ redirect: '/login' }));
  // A page of the bank posts this form, without a token.
  app.post('/payment', (_req, res) => res.redirect(303, '/account'));
  const { csrfSynchronisedProtection, generateToken } = csrfSync({
    getTokenFromRequest: (req) => bodyOf(req, '_csrf'),
  });
  app.use(csrfSynchronisedProtection);
  app.use((req, res, next) => {
    const { pending, notice, retryAt } = smsOtp.status(req);
    const refusal = noticeText(notice, { retryAt });
    const { user } = req;
    Object.assign(res.locals, { csrfToken: generateToken(req), user, pending, notice, refusal });
    next();
  });

  app.get('/about', (_req, res) => res.render('index'));
  app.get('/account', (_req, res) => res.render('index'));
  app.get('/statements', (_req, res) => res.render('index'));
  app.get('/cart', (req, res) => void res.json(cartOf(req)));
  app.get('/login', (_req, res) => res.render('login', { action: '/login' }));
  app.get('/sign-up', (_req, res) => res.render('login', { action: '/sign-up' }));
  app.get('/login/pin', (_req, res) =>
    res.locals.pending === null ? res.redirect(303, '/login') : res.render('pin'),
  );

  const signUp: RequestHandler = (req, _res, next) => {
    const { username, password, phone } = req.body as Readonly<Record<string, string>>;
    req.user = asUser(insert(String(username), String(password), phone ?? null));
    req.authInfo = {};
    next();
  };
  const send = smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' });
  const options = { session: false, failureRedirect: '/login' };
  app.post('/login', passport.authenticate('local', options) as RequestHandler, send); // Typed as any.
  app.post('/sign-up', signUp, send);
  const toPin = { successRedirect: '/login/pin', failureRedirect: '/login/pin' };
  app.post('/login/pin', smsOtp.verify({ ...toPin, successRedirect: '/account' }));
  app.post('/login/resend', smsOtp.resend(toPin));
  app.all('/login/cancel', smsOtp.cancel({ successRedirect: '/login' }));
  app.post('/step-up', smsOtp.stepUp(toPin));
  app.post('/logout', smsOtp.logout({ successRedirect: '/about' }));

  return {
    handler: app,
    revokeAll: (name) =>
      smsOtp.logins.revokeAll(rows.find(({ username }) => username === name)?.id ?? ''),
    close: () => smsOtp.close(),
  };
}
