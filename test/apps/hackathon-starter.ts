import express, { type NextFunction, type Request, type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy as CustomStrategy } from 'passport-custom';
import { Strategy as LocalStrategy } from 'passport-local';
import { createSmsOtp } from 'passport-sms-otp';
import { renderPage, type Forms } from './support/page';
import { asUser, bodyOf, cartOf, hashOf, queryOf, SECRET } from './support/parts';
import type { Parts, Person, RunningApp } from './support/parts';

/** A lean document of mongoose: its `_id` is an object, and it has no `id`. */
interface Doc {
  readonly _id: { toString(): string };
  readonly email: string;
  readonly phone: string | null;
  readonly isOptional: boolean;
  password: string;
  google: string;
}

const docOf = (user: Express.User | undefined): Doc => user as unknown as Doc;

/**
 * Keeps a message for the next page, or takes all messages. These lines stand in for connect-flash,
 * which has no types and keeps its messages under the same key.
 */
function flash(req: Request, message?: string): readonly string[] {
  const kept = req.session as unknown as { flash?: string[] };
  const { flash: messages = [] } = kept;
  if (message !== undefined) kept.flash = [...messages, message];
  else if (messages.length > 0) kept.flash = [];
  return messages;
}

/** As sahat/hackathon-starter: a custom callback with flash, six ways in, a linked account. */
export function createApp({ people, gateway, sessions, now }: Parts): RunningApp {
  const docs: Doc[] = [];
  const create = ({ name, password, phone, isOptional = false }: Person): Doc => {
    const id = docs.length.toString(16).padStart(24, '0');
    const doc = { email: name, password: hashOf(password), phone, isOptional, google: `g-${name}` };
    const created = { _id: { toString: () => id }, ...doc };
    docs.push(created);
    return created;
  };
  people.forEach(create);
  const findBy = (key: 'email' | 'google', value: string) => docs.find((doc) => doc[key] === value);
  const findDoc = (userId: string) => docs.find((doc) => String(doc._id) === userId);
  const findById = (userId: string): Express.User | false => {
    const doc = findDoc(userId);
    return doc !== undefined && asUser({ ...doc, password: undefined }); // .select('-password').lean()
  };

  passport.use(
    new LocalStrategy((email, password, done) => {
      const doc = findBy('email', email);
      const isRight = doc?.password === hashOf(password);
      done(null, isRight && asUser(doc), { message: 'Invalid email or password.' });
    }),
  );
  // Stands for OAuth: the callback brings the name of an account. A user who is in links it.
  passport.use(
    'google',
    new CustomStrategy((req, done) => {
      const account = bodyOf(req, 'account') || queryOf(req, 'account');
      const linking = smsOtp.hasSecondFactor(req) && findDoc(String(docOf(req.user)._id));
      if (linking) linking.google = account;
      done(null, asUser(findBy('google', account)));
    }),
  );
  passport.serializeUser((user, done) => done(null, String(docOf(user)._id)));
  passport.deserializeUser((id: string, done) => done(null, findById(id)));

  const smsOtp = createSmsOtp({
    gateway,
    now,
    secret: SECRET,
    allowedCountries: ['US'],
    getUserId: (user) => String(docOf(user)._id),
    getPhone: (user) => docOf(user).phone,
    loadUser: (userId) => findById(userId),
    isRequiredFor: (user) => !docOf(user).isOptional,
    trustedDevices: { getPasswordVersion: () => '1' },
    keepSessionKeys: ['cart', 'flash'],
  });

  const app = express();
  app.use(express.urlencoded({ extended: true }));
  const cookie = { sameSite: 'lax' } as const;
  app.use(
    session({ secret: SECRET, store: sessions, resave: false, saveUninitialized: false, cookie }),
  );
  app.use(passport.session());
  const guarded = ['/account', '/statements', '/payment'];
  app.use(guarded, smsOtp.requireSecondFactor({ redirect: '/login' }));

  const show =
    (title: string, forms?: Forms): RequestHandler =>
    (req, res) => {
      const { email: name } = (req.user ?? {}) as Partial<Doc>;
      res.send(renderPage({ title, name, status: smsOtp.status(req), flash: flash(req), forms }));
    };
  app.get(['/about', '/welcome', '/account', '/statements'], show('Hackathon starter'));
  app.get('/cart', (req, res) => void res.json(cartOf(req)));
  app.get('/login', (req, res, next) => (req.user ? res.redirect('/about') : next()));
  app.get('/login', show('Login', { '/login': ['username', 'password'] }));
  app.get('/sign-up', show('Create account', { '/sign-up': ['username', 'password', 'phone'] }));
  const pin = { '/login/pin': ['pin', 'trustDevice'], '/login/resend': [], '/login/cancel': [] };
  app.get('/login/pin', show('Your code', pin));

  const checkPassword: RequestHandler = (req, res, next) => {
    const done = (error: unknown, user: Express.User | false, info?: { message: string }): void => {
      if (error) return next(error);
      if (user) return goOn(req, user, next);
      flash(req, info?.message);
      res.redirect('/login');
    };
    (passport.authenticate('local', { session: false }, done) as RequestHandler)(req, res, next);
  };
  const createAccount: RequestHandler = (req, _res, next) => {
    const [name, password, phone] = [
      bodyOf(req, 'username'),
      bodyOf(req, 'password'),
      bodyOf(req, 'phone'),
    ];
    flash(req, 'Your account has been created.');
    goOn(req, create({ name, password, phone }), next);
  };
  // An e-mail holds the token. Here it is the address.
  const takeLink: RequestHandler = (req, res, next) => {
    const doc = findBy('email', queryOf(req, 'token'));
    if (doc === undefined) return res.redirect('/login');
    goOn(req, doc, next);
  };
  const resetPassword: RequestHandler = (req, res, next) => {
    const doc = findBy('email', queryOf(req, 'token'));
    if (doc === undefined) return res.redirect('/login');
    doc.password = hashOf(bodyOf(req, 'password'));
    goOn(req, doc, next);
  };
  const social = passport.authenticate('google', { session: false, failureRedirect: '/login' });
  const rememberLinking: RequestHandler = (req, res, next) => {
    const remember = (): void => {
      res.locals.isLinking = smsOtp.hasSecondFactor(req); // The strategy sets another `req.user`.
      next();
    };
    smsOtp.checkSecondFactor(req).then(remember, next);
  };
  const endLinking: RequestHandler = (_req, res, next) =>
    res.locals.isLinking === true ? res.redirect('/account') : next();

  const toPin = { successRedirect: '/login/pin', failureRedirect: '/login/pin' };
  const targets = { notRequiredRedirect: '/welcome', trustedDeviceRedirect: '/about' };
  const send = smsOtp.send({ ...toPin, failureRedirect: '/login', ...targets });
  app.post('/login', checkPassword, send);
  app.post('/sign-up', createAccount, send);
  app.get('/login/link', takeLink, send);
  app.post('/reset', resetPassword, send);
  app.all('/auth/google/callback', rememberLinking, social as RequestHandler, endLinking, send); // Typed as any.
  app.post('/login/pin', smsOtp.verify({ ...toPin, successRedirect: '/account' }));
  app.post('/login/resend', smsOtp.resend(toPin));
  app.all('/login/cancel', smsOtp.cancel({ successRedirect: '/login' }));
  app.post('/step-up', smsOtp.stepUp(toPin));
  app.get('/logout', smsOtp.logout({ successRedirect: '/about' }));

  return {
    handler: app,
    revokeAll: (name) => smsOtp.logins.revokeAll(String(findBy('email', name)?._id)),
    close: () => smsOtp.close(),
  };
}

/** Leads to `send`, as a first factor of Passport does. */
function goOn(req: Request, doc: object, next: NextFunction): void {
  req.user = asUser(doc);
  req.authInfo = {};
  next();
}
