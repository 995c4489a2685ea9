import type { RequestListener } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { createSmsOtp } from 'passport-sms-otp';
import { renderPage, type Forms } from './support/page';
import { asUser, bodyOf, cartOf, hashOf, SECRET } from './support/parts';
import type { Parts, RunningApp } from './support/parts';

interface Customer {
  readonly id: string;
  readonly username: string;
  readonly phone: string | null;
  readonly hash: string;
}

const THIRTY_DAYS_MS = 30 * 86_400_000;
/** The site as browsers see it, where one part of the app has another host. */
export const ORIGIN = 'https://bank.example';

/** Stands for a proxy that takes the prefix off, as nginx does with `proxy_pass` and a slash. */
function stripPrefix(app: RequestListener): RequestListener {
  return (req, res) => {
    req.url = req.url?.replace(/^\/bank(?=\/)/, '');
    app(req, res);
  };
}

/** A part of a site, under a prefix that its proxy takes off, with a box "stay logged in". */
export function createApp({ people, gateway, sessions, now }: Parts): RunningApp {
  const customers = people.map(({ name: username, password, phone }, index) => {
    return { id: `id-${index}`, username, phone, hash: hashOf(password) };
  });
  const findByName = (name: string): Customer | undefined =>
    customers.find(({ username }) => username === name);
  const findById = (userId: string): Express.User | false => {
    const customer = customers.find(({ id }) => id === userId);
    return customer !== undefined && asUser({ ...customer, hash: undefined });
  };

  passport.use(
    new LocalStrategy((username, password, done) => {
      const customer = findByName(username);
      done(null, customer?.hash === hashOf(password) && asUser(customer));
    }),
  );
  passport.serializeUser((user, done) => done(null, customerOf(user).id));
  passport.deserializeUser((id: string, done) => done(null, findById(id)));

  const hosts: object = { returnToOrigins: [ORIGIN] };
  const smsOtp = createSmsOtp({
    gateway,
    now,
    secret: SECRET,
    allowedCountries: ['US'],
    getPhone: (user) => customerOf(user).phone,
    loadUser: (userId) => findById(userId),
    logins: {}, // Without it the type says that there may be no `logins`.
    keepSessionKeys: ['cart'],
    ...hosts,
  });

  const app = express();
  app.use(express.urlencoded({ extended: false }));
  const cookie = { sameSite: 'lax' } as const;
  app.use(
    session({ secret: SECRET, store: sessions, resave: false, saveUninitialized: false, cookie }),
  );
  app.use(passport.session());
  const toLogin = {
    redirect: '/bank/login',
    returnTo: (req: Request) => `/bank${req.originalUrl}`,
  };
  app.use(['/account', '/statements', '/payment'], smsOtp.requireSecondFactor(toLogin));
  const ofReports = { ...toLogin, returnTo: (req: Request) => `${ORIGIN}${req.originalUrl}` };
  app.use('/reports', smsOtp.requireSecondFactor(ofReports));

  const show =
    (title: string, forms?: Forms): RequestHandler =>
    (req, res) => {
      const { username: name } = (req.user ?? {}) as Partial<Customer>;
      res.send(renderPage({ title, name, status: smsOtp.status(req), forms }));
    };
  app.get(['/about', '/reports'], show('Bank'));
  app.get(['/account', '/statements'], show('Account', { '/bank/logout': [] }));
  app.get('/cart', (req, res) => void res.json(cartOf(req)));
  // Leads those who are in to their account, as many apps do.
  app.get('/login', (req, res, next) => (req.user ? res.redirect('/bank/account') : next()));
  app.get('/login', show('Log in', { '/bank/login': ['username', 'password', 'stay'] }));
  app.get('/sign-up', show('Join', { '/bank/sign-up': ['username', 'password', 'phone'] }));
  app.get('/login/pin', show('Your code', { '/bank/login/pin': ['pin'] }));

  const stay: RequestHandler = (req, _res, next) => {
    if (bodyOf(req, 'stay') === 'on') req.session.cookie.maxAge = THIRTY_DAYS_MS;
    next();
  };
  const join: RequestHandler = (req, _res, next) => {
    const [username, phone] = [bodyOf(req, 'username'), bodyOf(req, 'phone')];
    const hash = hashOf(bodyOf(req, 'password'));
    const customer = { id: `id-${customers.length}`, username, phone, hash };
    customers.push(customer);
    req.user = asUser(customer);
    req.authInfo = {};
    next();
  };
  const failed = { session: false, failureRedirect: '/bank/login' };
  const checkPassword = passport.authenticate('local', failed) as RequestHandler; // Typed as any.
  const send = smsOtp.send({ successRedirect: '/bank/login/pin', failureRedirect: '/bank/login' });
  const toPin = { successRedirect: '/bank/login/pin', failureRedirect: '/bank/login/pin' };
  app.post('/login', checkPassword, stay, send);
  app.post('/sign-up', join, send);
  app.post('/login/pin', smsOtp.verify({ ...toPin, successRedirect: '/bank/account' }));
  app.post('/login/resend', smsOtp.resend(toPin));
  app.all('/login/cancel', smsOtp.cancel({ successRedirect: '/bank/login' }));
  app.post('/step-up', smsOtp.stepUp(toPin));
  app.post('/logout', smsOtp.logout({ successRedirect: '/bank/about' }));

  return {
    handler: stripPrefix(app),
    revokeAll: (name) => smsOtp.logins.revokeAll(findByName(name)?.id ?? ''),
    close: () => smsOtp.close(),
  };
}

const customerOf = (user: Express.User | undefined): Customer => user as unknown as Customer;
