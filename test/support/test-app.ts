import express, { type ErrorRequestHandler, type Express, type Request } from 'express';
import session from 'express-session';
import { Passport, type PassportStatic } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import {
  createSmsOtp,
  SmsOtpError,
  type SmsOtp,
  type SmsOtpEvent,
  type SmsOtpOptions,
} from 'passport-sms-otp';
import { GatewaySimulator, type SimulatorOptions } from 'passport-sms-otp/simulator';
import supertest from 'supertest';
import { CountingSessionStore } from './counting-session-store';
import { testClock, type TestClock } from './clock';

export interface TestUser {
  id: string;
  phone: string | null;
  isOptional?: boolean;
}

export const ALICE: TestUser = { id: 'alice', phone: '+12025550123' };
export const BOB: TestUser = { id: 'bob', phone: '+12025550124' };

/** The example app gives Express.User its own shape in this compilation; a test's user is another one. */
export function asUser(user: TestUser): Express.User;
export function asUser(user: TestUser | undefined): Express.User | false;
export function asUser(user: TestUser | undefined): Express.User | false {
  return user === undefined ? false : (user as unknown as Express.User);
}

/** The way back. */
export function asTestUser(user: Express.User | undefined): TestUser {
  return user as unknown as TestUser;
}

/** The parts of a test app that a test may want to replace. */
export interface TestAppOptions {
  variant?: 'A' | 'B';
  simulator?: SimulatorOptions;
  options?: Partial<SmsOtpOptions>;
  /** Options of the gateway's client. */
  gateway?: object;
  users?: TestUser[];
  /** Express and Passport, to try other versions. */
  createApp?: typeof express;
  PassportClass?: new () => PassportStatic;
  cookie?: session.CookieOptions;
  /** More routes, before the error handler. */
  routes?(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void;
  /** Before the session middleware. */
  middleware?(app: Express): void;
}

export interface TestApp {
  app: Express;
  sim: GatewaySimulator;
  smsOtp: SmsOtp;
  clock: TestClock;
  sessions: CountingSessionStore;
  events: SmsOtpEvent[];
  users: Map<string, TestUser>;
  /** What reached the app's error handler. */
  errors: unknown[];
  agent(): ReturnType<typeof supertest.agent>;
  /** The newest code on a user's phone. */
  code(user?: TestUser): string;
  close(): Promise<void>;
}

/** A small app with a password, a texted code and two guarded pages. Every answer is JSON. */
export async function startTestApp(given: TestAppOptions = {}): Promise<TestApp> {
  const variant = given.variant ?? 'A';
  const sim = await GatewaySimulator.start({ variant, ...given.simulator });
  const clock = testClock();
  const sessions = new CountingSessionStore();
  const events: SmsOtpEvent[] = [];
  const errors: unknown[] = [];
  const users = new Map((given.users ?? [ALICE, BOB]).map((user) => [user.id, { ...user }]));
  const createApp = given.createApp ?? express;
  const passport = new (given.PassportClass ?? (Passport as unknown as new () => PassportStatic))();
  passport.use(
    new LocalStrategy((username, password, done) => {
      const user = users.get(username);
      done(null, password === 'right' && asUser(user));
    }),
  );
  passport.serializeUser((user, done) => done(null, asTestUser(user).id));
  passport.deserializeUser((id: string, done) => done(null, asUser(users.get(id))));

  const smsOtp = createSmsOtp({
    gateway: {
      baseUrl: sim.baseUrl,
      variant,
      username: sim.username,
      password: sim.password,
      ...given.gateway,
    },
    passport,
    allowedCountries: ['US'],
    getPhone: (user) => asTestUser(user).phone,
    loadUser: (id: string) => asUser(users.get(id)),
    isRequiredFor: (user) => asTestUser(user).isOptional !== true,
    onEvent: (event) => events.push(event),
    now: () => clock.now(),
    ...given.options,
  });

  const app = createApp();
  app.use(express.json({ limit: '2mb' }), express.urlencoded({ extended: true, limit: '2mb' }));
  given.middleware?.(app);
  app.use(
    session({
      secret: 'a test secret',
      resave: false,
      saveUninitialized: false,
      store: sessions,
      ...(given.cookie && { cookie: given.cookie }),
    }),
    passport.session(),
  );
  addRoutes(app, smsOtp, passport);
  given.routes?.(app, smsOtp, passport);
  app.use(collectErrors(errors));

  return {
    app,
    sim,
    smsOtp,
    clock,
    sessions,
    events,
    users,
    errors,
    agent: () => supertest.agent(app),
    code: (user = ALICE) => sim.lastPin(user.phone ?? '') ?? 'none',
    close: async () => {
      await smsOtp.close();
      await sim.close();
    },
  };
}

function addRoutes(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
  const firstFactor = passport.authenticate('local', { session: false });
  app.post('/login', firstFactor, smsOtp.send(), (req, res) => void res.json(req.smsOtp));
  app.post('/login/pin', smsOtp.verify(), (req, res) => {
    res.json({ ...req.smsOtp, authInfo: req.authInfo, isAuthenticated: req.isAuthenticated() });
  });
  app.post('/login/resend', smsOtp.resend(), (req, res) => void res.json(req.smsOtp));
  app.post('/login/cancel', smsOtp.cancel(), (req, res) => void res.json(req.smsOtp));
  app.post('/step-up', smsOtp.stepUp(), (req, res) => void res.json(req.smsOtp));
  app.post('/logout', (req, res, next) =>
    req.logout((error) => (error ? next(error) : res.json({ out: true }))),
  );
  app.get(
    '/account',
    smsOtp.requireSecondFactor(),
    (req, res) => void res.json({ id: asTestUser(req.user).id }),
  );
  app.get(
    '/fresh',
    smsOtp.requireSecondFactor({ maxAgeSeconds: 300 }),
    (_req, res) => void res.json({ ok: true }),
  );
  app.get('/status', (req, res) => void res.json(describe(req, smsOtp)));
}

function describe(req: Request, smsOtp: SmsOtp): object {
  return {
    ...smsOtp.status(req),
    isAuthenticated: req.isAuthenticated(),
    hasSecondFactor: smsOtp.hasSecondFactor(req),
    session: req.session.smsOtp,
    sessionKeys: Object.keys(req.session),
  };
}

function collectErrors(errors: unknown[]): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => {
    errors.push(error);
    const isOurs = error instanceof SmsOtpError;
    res.status(isOurs ? error.status : 500).json({ code: isOurs ? error.code : null });
  };
}
