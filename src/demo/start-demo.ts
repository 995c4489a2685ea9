import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import { Strategy as CustomStrategy } from 'passport-custom';
import { createSmsOtp, noticeText, type SmsOtp } from '../index';
import { smsOtpPages } from '../pages';
import { ownForms } from '../pages/own-forms';
import { GatewaySimulator } from '../simulator';
import { form, html, page } from './html';
import { memoryPhoneBook } from './memory-phone-book';

const USERS: ReadonlyMap<string, DemoUser> = new Map([
  ['alice', { id: 'alice', name: 'Alice', phone: '+12025550123', password: 'demo-password' }],
]);

type PassportOfApp = InstanceType<typeof Passport>;

interface DemoUser {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly password: string;
}

export interface RunningDemo {
  readonly appUrl: string;
  readonly inboxUrl: string;
  readonly username: string;
  readonly password: string;
  close(): Promise<void>;
}

/**
 * Starts an app with a password and a code by text message, with the simulator as its gateway. Both
 * listen on loopback only and keep everything in memory.
 * @param port The port. 0: any free one.
 * @throws the error of the server or the simulator, such as `EADDRINUSE`.
 */
export async function startDemo(port: number): Promise<RunningDemo> {
  const simulator = await GatewaySimulator.start();
  const passport = new Passport();
  const smsOtp = createSecondFactor(simulator, passport);
  const server = createServer(createApp(smsOtp, passport));

  const close = async (): Promise<void> => {
    server.close();
    // Close connections too, because browsers keep them open.
    server.closeAllConnections();
    await smsOtp.close();
    await simulator.close();
  };

  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    await close();
    throw error;
  }

  const [{ id: username, password } = { id: '', password: '' }] = USERS.values();
  // A server that listens on a port has this type of address.
  const appUrl = `http://localhost:${(server.address() as AddressInfo).port}/`;
  return { appUrl, inboxUrl: simulator.inboxUrl, username, password, close };
}

function createSecondFactor(simulator: GatewaySimulator, passport: PassportOfApp): SmsOtp {
  const { baseUrl, variant, username, password } = simulator;
  return createSmsOtp({
    gateway: { baseUrl, variant, username, password },
    passport,
    // Use a new secret at each start: nothing is stored.
    secret: randomBytes(32).toString('hex'),
    allowedCountries: 'any',
    loadUser: findUser,
    phoneBook: memoryPhoneBook(new Map(Array.from(USERS, ([id, { phone }]) => [id, phone]))),
    recoveryCodes: {},
    trustedDevices: { getPasswordVersion: () => '1' },
    appName: 'Demo',
    paths: { login: '/login', home: '/account' },
  });
}

function createApp(smsOtp: SmsOtp, passport: PassportOfApp): Express {
  addFirstFactor(passport);
  const app = express();
  app.use(express.urlencoded({ extended: false }));
  app.use(
    session({
      name: 'demo',
      secret: randomBytes(32).toString('hex'),
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'lax' },
    }),
  );

  // Passport types its middlewares as any.
  app.use(passport.session() as RequestHandler, ownForms([], refuseForm));
  app.use(smsOtpPages(smsOtp));
  addPages(app, smsOtp);
  app.use(showError);
  return app;
}

function addFirstFactor(passport: PassportOfApp): void {
  passport.serializeUser((user, done) => done(null, asDemoUser(user).id));
  passport.deserializeUser((id: string, done) => done(null, findUser(id) ?? false));

  passport.use(
    'password',
    new CustomStrategy((req, done) => {
      const { username, password } = readBody(req.body);
      const isRight = USERS.get(String(username))?.password === password;
      done(null, isRight ? findUser(username) : false);
    }),
  );
}

function addPages(app: Express, smsOtp: SmsOtp): void {
  app.get('/', (_req, res) => res.redirect(303, '/account'));

  app.get('/login', (req, res) => {
    const { notice, retryAt } = smsOtp.status(req);
    const kind = notice === 'second-factor-required' ? 'info' : 'error';
    res.send(page('Log in', loginForm(), noticeText(notice, { retryAt }), kind));
  });
  app.post('/login', smsOtp.firstFactor('password'), smsOtp.send());

  app.get('/account', smsOtp.requireSecondFactor(), (req, res) => {
    const { name } = asDemoUser(req.user);
    res.send(
      page(
        'Your account',
        html`<p>Hello, ${name}.</p>
          <p><a href="/second-factor/settings">Sign-in security</a></p>
          ${form('/logout', 'Log out')}`,
      ),
    );
  });

  app.post('/logout', smsOtp.logout());
}

function loginForm() {
  const fields = html`<div class="field">
      <label for="username">User name</label>
      <input id="username" name="username" autocomplete="username" required />
    </div>
    <div class="field">
      <label for="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
      />
    </div>`;

  return form('/login', 'Continue', fields);
}

/** Loads a user without the password. */
function findUser(id: unknown): Omit<DemoUser, 'password'> | null {
  const user = USERS.get(String(id));
  if (user === undefined) return null;
  const { password: _, ...known } = user;
  return known;
}

/** Returns the user as one of `USERS`, which all users of this app are. */
function asDemoUser(user: unknown): DemoUser {
  return user as DemoUser;
}

function readBody(body: unknown): Readonly<Record<string, unknown>> {
  return Object(body) as Readonly<Record<string, unknown>>;
}

const refuseForm: RequestHandler = (_req, res) =>
  void res.status(403).send(page('Refused', html`<p>This form is from another site.</p>`));

const showError: ErrorRequestHandler = (error: { readonly status?: number }, _req, res, _next) => {
  const again = html`<p><a href="/login">Try again</a></p>`;
  res.status(error.status ?? 500).send(page('That did not work', again));
};
