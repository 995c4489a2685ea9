import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { csrfSync } from 'csrf-sync';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import session, { type CookieOptions } from 'express-session';
import { Passport, type PassportStatic } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { createSmsOtp, noticeText, SmsOtpError, type SmsOtpOptions } from 'passport-sms-otp';
import type { AppDescription, AppUser, RunningApp } from 'passport-sms-otp/testing';
import type { GatewayClient } from 'passport-sms-otp/client';
import type { GatewaySimulator } from 'passport-sms-otp/simulator';
import { memoryPhoneBook, type MemoryPhoneBook } from '../../support/memory-phone-book';

/** A user of the app as its database has it. */
export interface Account {
  readonly id: string;
  readonly isAdmin: boolean;
  password: string;
  /** The code of a password reset, as a mail would bring it. */
  resetToken?: string;
}

/** The gateway behind the apps of a test. */
export interface Gateway {
  readonly simulator: GatewaySimulator;
  readonly client: GatewayClient;
}

/** What a mistake can change before the app listens. */
export interface Kit extends Gateway {
  readonly app: Express;
  readonly passport: PassportStatic;
  readonly accounts: Map<string, Account>;
  readonly book: MemoryPhoneBook;
  readonly smsOtp: BaseOtp;
  /** The handlers of each route, such as `POST /login`; the newest of a name counts. */
  readonly routes: Map<string, readonly RequestHandler[]>;
  /** How far the clock of the app is ahead. */
  readonly clock: { aheadMs: number };
  /** Run before every route, after sessions and CSRF tokens. */
  readonly before: RequestHandler[];
  /** Returns a page with forms. */
  readonly page: (req: Request, ...parts: readonly string[]) => string;
  readonly form: (req: Request, action: string, ...fields: readonly string[]) => string;
}

/** A mistake in the app; without one it is sound. */
export interface Mistake {
  readonly options?: (kit: Omit<Kit, 'smsOtp'>) => Partial<SmsOtpOptions>;
  readonly session?: CookieOptions;
  readonly trustProxy?: number | boolean;
  readonly hasNoCsrf?: boolean;
  /** The proxy in front of the app takes http. Default: https. */
  readonly isOverHttp?: boolean;
  readonly change?: (kit: Kit) => void;
  /** In place of three users. */
  readonly users?: readonly AppUser[];
  /** What the app has not. */
  readonly lacks?: readonly (keyof AppDescription)[];
}

type BaseOtp = ReturnType<typeof createOtp>;

export const USERS: readonly AppUser[] = [
  { name: 'alice', phone: '+12025550123' },
  { name: 'bob', phone: '+13125550177' },
  { name: 'carol', phone: '+14155550188' },
];
const ADMIN: AppUser = { name: 'root', phone: '+16175550199' };
const WITHOUT_NUMBER = 'nina';
export const SESSION_COOKIE = 'bank.sid';
export const PRIVATE_KEY = 'the private key of the bank';

export const passwordOf = (name: string): string => `the password of ${name}`;

/** Express.User has other members in this compilation. */
export const toUser = (account: Account): Express.User => account as unknown as Express.User;
export const toAccount = (user: Express.User | undefined): Account => user as unknown as Account;

export function readField(req: Request, name: string): string {
  const value = (req.body as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

/** Returns a cookie of a request; an empty string without it. */
export function readCookie(req: Request, name: string): string {
  const pairs = (req.headers.cookie ?? '').split('; ').map((pair) => pair.split('='));
  return pairs.find(([key]) => key === name)?.[1] ?? '';
}

function createOtp(kit: Omit<Kit, 'smsOtp'>, changed: object) {
  const { client, passport, book, accounts, clock } = kit;
  return createSmsOtp({
    now: () => Date.now() + clock.aheadMs,
    gateway: client,
    passport,
    secret: 'a secret of the tests, long enough to be one',
    allowedCountries: ['US'],
    phoneBook: book,
    loadUser: (id) => {
      const account = accounts.get(id);
      return account === undefined ? null : toUser(account);
    },
    recoveryCodes: {},
    trustedDevices: { getPasswordVersion: (user) => toAccount(user).password },
    logins: {},
    ...changed,
  });
}

function makeAccounts(users: readonly AppUser[]): Map<string, Account> {
  const names = [...users.map(({ name }) => name), ADMIN.name, WITHOUT_NUMBER];
  return new Map(
    names.map((id) => [id, { id, password: passwordOf(id), isAdmin: id === ADMIN.name }]),
  );
}

function makeBook(users: readonly AppUser[]): MemoryPhoneBook {
  const book = memoryPhoneBook();
  for (const { name, phone } of [...users, ADMIN]) book.seed(name, phone);
  return book;
}

function makePassport(accounts: Kit['accounts']): PassportStatic {
  const passport = new (Passport as unknown as new () => PassportStatic)();
  passport.use(
    new LocalStrategy((username, password, done) => {
      const account = accounts.get(username);
      done(null, account?.password === password ? toUser(account) : false);
    }),
  );
  passport.serializeUser((user, done) => done(null, toAccount(user).id));
  passport.deserializeUser((id: string, done) => {
    const account = accounts.get(id);
    done(null, account === undefined ? false : toUser(account));
  });
  return passport;
}

/**
 * A bank with every feature that a description can name: pages with forms, a step-up, a password
 * reset, remember-me, "log in as", trusted devices and a phone book.
 */
function createKit(gateway: Gateway, mistake: Mistake): Kit {
  const { users = USERS } = mistake;
  const accounts = makeAccounts(users);
  const passport = makePassport(accounts);
  const app = express();
  const book = makeBook(users);
  const { simulator, client } = gateway;
  const early = { simulator, client, app, passport, accounts, book, ...makePages() };
  const kit = { ...early, before: [], routes: new Map(), clock: { aheadMs: 0 } };
  const smsOtp = createOtp(kit, mistake.options?.(kit) ?? {});
  return { ...kit, smsOtp };
}

const { csrfSynchronisedProtection, generateToken } = csrfSync({
  getTokenFromRequest: (req) => readField(req, '_csrf'),
});

function makePages(): Pick<Kit, 'page' | 'form'> {
  return {
    page: (_req, ...parts) => `<!doctype html><title>Bank</title><main>${parts.join('\n')}</main>`,
    form: (req, action, ...fields) =>
      `<form method="post" action="${action}"><input type="hidden" name="_csrf" value="${generateToken(req)}">${fields.join('')}<button>Go on</button></form>`,
  };
}

export const input = (name: string, value = ''): string =>
  `<input name="${name}" value="${value}">`;

/** The sentence that explains the last refusal. */
export function readNotice({ smsOtp }: Pick<Kit, 'smsOtp'>, req: Request): string {
  const { notice, retryAt } = smsOtp.status(req);
  return notice === null ? '' : `<p role="alert">${noticeText(notice, { retryAt })}</p>`;
}

/** Logs a user in by Passport alone, as apps without a second factor do. */
export function logInByPassport(req: Request, res: Response, account: Account, to: string): void {
  req.logIn(toUser(account), (error: unknown) => {
    if (error) res.sendStatus(500);
    else res.redirect(303, to);
  });
}

function addLogin(kit: Kit): void {
  const { smsOtp, passport, routes, page, form } = kit;
  routes.set('GET /login', [
    (req, res) => {
      const wrong = 'wrong' in req.query ? '<p>Wrong user name or password.</p>' : '';
      const fields = [input('username'), input('password'), input('remember', 'on')];
      const others = ['/login/remembered', '/reset', '/reset/confirm'].map((to) => form(req, to));
      res.send(page(req, wrong, readNotice(kit, req), form(req, '/login', ...fields), ...others));
    },
  ]);
  routes.set('POST /login', [
    passport.authenticate('local', {
      session: false,
      failureRedirect: '/login?wrong',
    }) as RequestHandler,
    smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' }),
  ]);
  routes.set('GET /login/pin', [
    (req, res) => {
      const notice = readNotice(kit, req);
      const { pending } = smsOtp.status(req);
      if (pending === null) return res.redirect('/login');
      const lead = pending.isSent ? `We texted ${pending.maskedPhone}.` : 'No text is out.';
      const fields = [input('pin'), input('remember', 'on'), input('trustDevice', 'on')];
      const others = [form(req, '/login/pin/resend'), form(req, '/login/cancel')];
      res.send(page(req, notice, lead, form(req, '/login/pin', ...fields), ...others));
    },
  ]);
  routes.set('POST /login/pin', [
    smsOtp.verify({ failureRedirect: '/login/pin' }),
    (req, res) => {
      if (readField(req, 'remember') === 'on') giveRememberCookie(res, toAccount(req.user));
      res.redirect(303, '/account');
    },
  ]);
  const back = { successRedirect: '/login/pin', failureRedirect: '/login/pin' };
  routes.set('POST /login/pin/resend', [smsOtp.resend(back)]);
  routes.set('POST /login/cancel', [smsOtp.cancel({ successRedirect: '/login' })]);
  routes.set('POST /logout', [smsOtp.logout({ successRedirect: '/login' })]);
}

const remembered = new Map<string, string>();

export function giveRememberCookie(res: Response, { id }: Account): void {
  const token = randomUUID();
  remembered.set(token, id);
  res.cookie('remember', token, { httpOnly: true, sameSite: 'lax' });
}

/** Returns whom the remember-me cookie of a request names. */
export function findRemembered({ accounts }: Pick<Kit, 'accounts'>, req: Request) {
  return accounts.get(remembered.get(readCookie(req, 'remember')) ?? '');
}

function addOtherWays(kit: Kit): void {
  const { smsOtp, routes, accounts } = kit;
  routes.set('POST /login/remembered', [
    (req, res, next) => {
      const account = findRemembered(kit, req);
      if (account === undefined) return res.redirect(303, '/login');
      [req.user, req.authInfo] = [toUser(account), {}];
      next();
    },
    smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' }),
  ]);
  routes.set('POST /reset', [
    (req, res) => {
      const account = accounts.get(readField(req, 'username'));
      if (account !== undefined) account.resetToken = randomUUID();
      res.send('If there is such a user, a mail is on its way.');
    },
  ]);
  routes.set('POST /reset/confirm', [
    async (req, res) => {
      const account = takeReset(kit, req);
      if (account === undefined) return void res.sendStatus(400);
      await smsOtp.logins.revokeAll(account.id);
      res.redirect(303, '/login');
    },
  ]);
  routes.set('POST /mail', [
    (req, res, next) => {
      const account = accounts.get(readField(req, 'token').replace('mailed to ', ''));
      if (account === undefined) return res.redirect(303, '/login');
      [req.user, req.authInfo] = [toUser(account), {}];
      next();
    },
    smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' }),
  ]);
  routes.set('POST /sign-up', [
    (req, res) => void res.sendStatus(accounts.has(readField(req, 'username')) ? 409 : 201),
  ]);
  routes.set('POST /log-in-as', [
    smsOtp.requireSecondFactor({ redirect: '/login' }),
    (req, res) => {
      const target = accounts.get(readField(req, 'username'));
      if (!toAccount(req.user).isAdmin || target === undefined) return void res.sendStatus(403);
      logInByPassport(req, res, target, '/account');
    },
  ]);
}

/** Sets the password that a reset brings. */
export function takeReset({ accounts }: Pick<Kit, 'accounts'>, req: Request): Account | undefined {
  const token = readField(req, 'token');
  const account = Array.from(accounts.values()).find(({ resetToken }) => resetToken === token);
  if (token === '' || account === undefined) return undefined;
  delete account.resetToken;
  account.password = readField(req, 'password');
  return account;
}

function addPages(kit: Kit): void {
  const { smsOtp, routes, page, form } = kit;
  const guard = smsOtp.requireSecondFactor({ redirect: '/login' });
  routes.set('GET /account', [
    guard,
    (req, res) => {
      const forms = ['/transfer', '/step-up', '/logout', '/log-in-as'].map((to) => form(req, to));
      res.send(page(req, `Hello, ${toAccount(req.user).id}.`, readNotice(kit, req), ...forms));
    },
  ]);
  routes.set('GET /settings', [
    guard,
    (req, res) =>
      void res.send(page(req, 'Settings', form(req, '/settings/phone', input('phone')))),
  ]);
  routes.set('POST /transfer', [guard, (req, res) => void res.send(page(req, 'It is done.'))]);
  const fresh = smsOtp.requireSecondFactor({ maxAgeSeconds: 300, redirect: '/step-up/pin' });
  routes.set('POST /transfer/large', [fresh, (req, res) => void res.send(page(req, 'Done.'))]);
  const failed = { failureRedirect: '/account' };
  routes.set('POST /step-up', [smsOtp.stepUp({ successRedirect: '/step-up/pin', ...failed })]);
  routes.set('GET /step-up/pin', [
    (req, res) => {
      const notice = readNotice(kit, req);
      res.send(page(req, notice, form(req, '/step-up/pin', input('pin'))));
    },
  ]);
  const again = { successRedirect: '/account', failureRedirect: '/step-up/pin' };
  routes.set('POST /step-up/pin', [smsOtp.verify({ purpose: 'step-up', ...again })]);
  const sent = { successRedirect: '/settings/phone/pin', failureRedirect: '/settings' };
  routes.set('POST /settings/phone', [smsOtp.phones.enroll(sent)]);
}

function assemble(kit: Kit, mistake: Mistake): Express {
  const { app, passport, before, routes } = kit;
  app.set('trust proxy', mistake.trustProxy ?? 1);
  app.use(express.urlencoded({ extended: false }));
  app.use(
    session({
      name: SESSION_COOKIE,
      secret: 'a secret of the sessions',
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'lax', secure: 'auto', ...mistake.session },
    }),
  );
  app.use(passport.session());
  if (mistake.hasNoCsrf !== true) app.use(csrfSynchronisedProtection);
  addLogin(kit);
  addOtherWays(kit);
  addPages(kit);
  mistake.change?.(kit);
  if (before.length > 0) app.use(...before);
  for (const [name, handlers] of routes) {
    const [method, path = ''] = name.split(' ');
    if (method === 'GET') app.get(path, ...handlers);
    else app.post(path, ...handlers);
  }
  app.use(answerErrors);
  return app;
}

/** Answers with the status of our errors and of those that middleware makes, 500 otherwise. */
const answerErrors: express.ErrorRequestHandler = (error: unknown, _req, res, _next) => {
  const status = error instanceof SmsOtpError ? error.status : readStatus(error);
  res.status(status).send('<p>That did not work.</p>');
};

function readStatus(error: unknown): number {
  const { status } = error as { readonly status?: unknown };
  return typeof status === 'number' ? status : 500;
}

/** Serves an app on a loopback port. */
export async function serve(
  listener: RequestListener,
  close: () => unknown = () => undefined,
): Promise<RunningApp> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await close();
    },
  };
}

/** The base app with a mistake, as a developer would describe it. */
export function describeBaseApp(gateway: Gateway, mistake: Mistake = {}): AppDescription {
  let kit: Kit | undefined;
  const lacks = Object.fromEntries((mistake.lacks ?? []).map((name) => [name, undefined]));
  return {
    start: () => {
      const started = createKit(gateway, mistake);
      kit = started;
      return serve(assemble(started, mistake), () => started.smsOtp.close());
    },
    simulator: () => gateway.simulator,
    users: mistake.users ?? USERS,
    login: { path: '/login', password: ({ name }) => passwordOf(name) },
    code: { path: '/login/pin' },
    guarded: ['/account', '/settings', { path: '/transfer', method: 'POST', page: '/account' }],
    sessionCookie: SESSION_COOKIE,
    proxy: { hops: 1, https: mistake.isOverHttp !== true },
    secrets: [PRIVATE_KEY],
    logout: { path: '/logout', page: '/account' },
    resend: { path: '/login/pin/resend', page: '/login/pin' },
    cancel: { path: '/login/cancel', page: '/login/pin' },
    stepUp: {
      path: '/step-up',
      page: '/account',
      code: { path: '/step-up/pin' },
      protects: [{ path: '/transfer/large', method: 'POST', page: '/account' }],
      passTime: () => {
        if (kit !== undefined) kit.clock.aheadMs += 600_000;
      },
    },
    otherWaysIn: [
      {
        requests: [
          { path: '/mail', page: '/login', fields: ({ name }) => ({ token: `mailed to ${name}` }) },
        ],
      },
      {
        requests: [
          { path: '/sign-up', page: '/login', fields: ({ name }) => ({ username: name }) },
        ],
      },
    ],
    passwordReset: {
      requests: [
        { path: '/reset', page: '/login', fields: ({ name }) => ({ username: name }) },
        {
          path: '/reset/confirm',
          page: '/login',
          fields: ({ name }) => ({
            token: kit?.accounts.get(name)?.resetToken ?? '',
            password: passwordOf(name),
          }),
        },
      ],
    },
    rememberMe: {
      fields: { remember: 'on' },
      request: { path: '/login/remembered', page: '/login' },
    },
    logInAs: {
      by: ADMIN,
      request: {
        path: '/log-in-as',
        page: '/account',
        fields: ({ name }) => ({ username: name }),
      },
    },
    trustedDevice: { fields: { trustDevice: 'on' } },
    newNumber: { path: '/settings/phone', page: '/settings', phone: '+18185550142' },
    userWithoutNumber: WITHOUT_NUMBER,
    ...lacks,
  };
}
