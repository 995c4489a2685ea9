import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express, type Request, type RequestHandler } from 'express';
import session from 'express-session';
import helmet from 'helmet';
import { Passport, type PassportStatic } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { createSmsOtp, noticeText, type SmsOtp, type SmsOtpOptions } from 'passport-sms-otp';
import { smsOtpPages } from 'passport-sms-otp/pages';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { CountingSessionStore } from '../../support/counting-session-store';
import { memoryPhoneBook } from '../../support/memory-phone-book';
import { asTestUser, asUser, HOME, type TestUser } from '../../support/test-users';
import { ownFactors } from './pages-app';

export const PASSWORD = 'demo-password';
export const BOB_PHONE = '+13125550177';

/** An app for browsers that is made of the ready-made pages: the login page and one guarded page. */
export interface SmallApp {
  readonly app: Express;
  readonly server: Server;
  readonly port: number;
  readonly simulator: GatewaySimulator;
  readonly sessions: CountingSessionStore;
  readonly smsOtp: SmsOtp;
  close(): Promise<void>;
}

/** Starts the app by the real clock, as the complete quick start would be in production. */
export async function startSmallApp(options: Partial<SmsOtpOptions> = {}): Promise<SmallApp> {
  const simulator = await GatewaySimulator.start({ variant: 'A' });
  const passport = makePassport();
  const sessions = new CountingSessionStore();
  const smsOtp = createOtp(simulator, passport, options);
  const app = express();
  app.set('trust proxy', 1);
  app.use(helmet());
  const cookie = { sameSite: 'lax', secure: 'auto' } as const;
  app.use(
    session({ secret: 's', store: sessions, resave: false, saveUninitialized: false, cookie }),
    passport.session() as RequestHandler,
    express.urlencoded({ extended: false }),
  );
  addPages(app, smsOtp);
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await smsOtp.close();
    await simulator.close();
  };
  return { app, server, port, simulator, sessions, smsOtp, close };
}

const USERS = new Map<string, TestUser>(
  ['alice', 'bob'].map((id) => [id, { id, phone: null }] as const),
);

function makePassport(): PassportStatic {
  const passport = new (Passport as unknown as new () => PassportStatic)();
  passport.use(
    new LocalStrategy((username, password, done) =>
      done(null, password === PASSWORD && asUser(USERS.get(username))),
    ),
  );
  passport.serializeUser((user, done) => done(null, asTestUser(user).id));
  passport.deserializeUser((id: string, done) => done(null, asUser(USERS.get(id))));
  return passport;
}

function createOtp(
  { baseUrl, username, password }: GatewaySimulator,
  passport: PassportStatic,
  options: Partial<SmsOtpOptions>,
): SmsOtp {
  const book = memoryPhoneBook();
  book.seed('alice', HOME);
  book.seed('bob', BOB_PHONE);
  return createSmsOtp({
    gateway: { baseUrl, variant: 'A', username, password },
    passport,
    appName: 'Harbour',
    secret: 'a secret of the tests, long enough to be one',
    allowedCountries: ['US'],
    phoneBook: book,
    loadUser: (id) => asUser(USERS.get(id)),
    recoveryCodes: {},
    trustedDevices: { getPasswordVersion: () => 'first' },
    factors: ownFactors(new Set()),
    paths: { login: '/login', home: '/account' },
    ...options,
  });
}

function addPages(app: Express, smsOtp: SmsOtp): void {
  const notice = (req: Request): string => {
    const { notice: reason } = smsOtp.status(req);
    return reason === null ? '' : `<p role="alert">${noticeText(reason)}</p>`;
  };
  const page = (title: string, body: string): string =>
    `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1>${body}</main>`;

  app.use(smsOtpPages(smsOtp));
  app.get('/login', (req, res) => {
    const fields =
      '<label>User name <input name="username"></label>' +
      '<label>Password <input name="password" type="password"></label><button>Log in</button>';
    res.send(page('Log in', `${notice(req)}<form method="post" action="/login">${fields}</form>`));
  });
  app.post('/login', smsOtp.firstFactor('local'), smsOtp.send());
  app.get('/account', smsOtp.requireSecondFactor(), (_req, res) => {
    const logOut = '<form method="post" action="/logout"><button>Log out</button></form>';
    res.send(page('Your account', logOut));
  });
  app.all('/transfer', smsOtp.requireSecondFactor({ maxAgeSeconds: 300 }), (_req, res) => {
    res.send(page('Send money', '<form method="post"><button>Send</button></form>'));
  });
  app.post('/logout', smsOtp.logout());
}
