import { createHash } from 'node:crypto';
import express, { type Request, type RequestHandler } from 'express';
import session from 'express-session';
import { createSmsOtp, noticeText } from 'passport-sms-otp';
import { passwordOf, readField, serve, USERS } from '../support/base-app';
import { basics, createPassport, findUser, idOf, otpOptions, type SoundApp } from './parts';

const toMail = (name: string): string => `${name}@example.com`;
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const HASHES = new Map(
  USERS.map(({ name }) => [toMail(name), { id: name, hash: hash(passwordOf(name)) }]),
);

/**
 * A password check of its own by mail address, other names of fields, sessions in a store of its
 * own, and answers that are pages or JSON as the client asks.
 */
export const ownPassword: SoundApp = (gateway) => ({
  ...basics(gateway),
  start: () => {
    const passport = createPassport();
    const smsOtp = createSmsOtp({
      ...otpOptions(gateway, passport),
      codeField: 'oneTimeCode',
      strategyName: 'text-message',
    });
    const checkPassword: RequestHandler = (req, res, next) => {
      const account = HASHES.get(readField(req, 'mail'));
      const isRight = account?.hash === hash(readField(req, 'passphrase'));
      const user = account !== undefined && isRight && findUser(account.id);
      if (user === false) return void res.status(401).format(explain('Not right.'));
      [req.user, req.authInfo] = [user, {}];
      next();
    };
    const explain = (text: string) => ({
      html: (_req: Request, res: express.Response) => void res.send(`<p role=alert>${text}</p>`),
      json: (_req: Request, res: express.Response) => void res.json({ error: text }),
    });
    const refuse: RequestHandler = (req, res) => {
      const { notice, retryAt } = smsOtp.status(req);
      res.status(notice === null ? 401 : 403).format(explain(noticeText(notice, { retryAt })));
    };
    const app = express();
    app.disable('x-powered-by');
    app.use(express.urlencoded({ extended: false }), express.json());
    app.use(
      session({
        name: 'visit',
        secret: 'a secret of the sessions',
        resave: true,
        saveUninitialized: false,
        rolling: true,
        cookie: { sameSite: 'lax', maxAge: 3_600_000 },
      }),
    );
    app.use(passport.session());
    app.post(
      '/in',
      checkPassword,
      smsOtp.send({ successRedirect: '/refused', failureRedirect: '/refused' }),
    );
    app.post('/in/code', smsOtp.verify({ successRedirect: '/me', failureRedirect: '/refused' }));
    app.post(
      '/in/again',
      smsOtp.resend({ successRedirect: '/refused', failureRedirect: '/refused' }),
    );
    app.get('/refused', refuse);
    app.post('/out', smsOtp.logout({ successRedirect: '/' }));
    app.get('/me', smsOtp.requireSecondFactor(), (req, res) => void res.json({ id: idOf(req) }));
    return serve(app, () => smsOtp.close());
  },
  users: USERS.map(({ name, phone }) => ({ name: toMail(name), phone })),
  login: {
    path: '/in',
    fields: { username: 'mail', password: 'passphrase' },
    password: ({ name }) => passwordOf(name.replace('@example.com', '')),
  },
  code: { path: '/in/code', field: 'oneTimeCode' },
  guarded: ['/me'],
  resend: { path: '/in/again' },
  logout: { path: '/out' },
});
