import { createServer } from 'node:http';
import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import { Passport, type PassportStatic } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { createSmsOtp, type SmsOtp, type SmsOtpEvent, type SmsOtpOptions } from 'passport-sms-otp';
import { GatewaySimulator, type SimulatorOptions } from 'passport-sms-otp/simulator';
import supertest from 'supertest';
import { CountingSessionStore } from './counting-session-store';
import { testClock, type TestClock } from './clock';
import { addErrorHandler, addRoutes } from './test-routes';
import { ALICE, asTestUser, asUser, BOB, type TestUser } from './test-users';

export { ALICE, asTestUser, asUser, BOB, type TestUser } from './test-users';

/** The parts of a test app that a test may want to replace. */
export interface TestAppOptions {
  variant?: 'A' | 'B';
  simulator?: SimulatorOptions;
  options?: Partial<SmsOtpOptions>;
  /** Options of the gateway's client. */
  gateway?: object;
  users?: TestUser[];
  /** A clock that the test made, to share it with the simulator or a store. */
  clock?: TestClock;
  /** Express and Passport, to try other versions. */
  createApp?: typeof express;
  PassportClass?: new () => PassportStatic;
  cookie?: session.CookieOptions;
  /** In place of express-session and `passport.session()`. */
  sessionMiddleware?: RequestHandler[];
  /** More routes, before the error handler. `options` made `smsOtp`, and can make another one. */
  routes?(app: Express, smsOtp: SmsOtp, passport: PassportStatic, options: SmsOtpOptions): void;
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
  /** The id of every user Passport has logged in to a session. */
  logins: string[];
  agent(): ReturnType<typeof supertest.agent>;
  /** The newest code on a user's phone. */
  code(user?: TestUser): string;
  close(): Promise<void>;
}

/** A small app with a password, a texted code and two guarded pages. Every answer is JSON. */
export async function startTestApp(given: TestAppOptions = {}): Promise<TestApp> {
  const variant = given.variant ?? 'A';
  const sim = await GatewaySimulator.start({ variant, ...given.simulator });
  const clock = given.clock ?? testClock();
  const sessions = new CountingSessionStore();
  const events: SmsOtpEvent[] = [];
  const errors: unknown[] = [];
  const logins: string[] = [];
  const users = new Map((given.users ?? [ALICE, BOB]).map((user) => [user.id, { ...user }]));
  const createApp = given.createApp ?? express;
  const passport = new (given.PassportClass ?? (Passport as unknown as new () => PassportStatic))();
  passport.use(
    new LocalStrategy((username, password, done) => {
      const user = users.get(username);
      done(null, password === 'right' && asUser(user));
    }),
  );
  passport.serializeUser((user, done) => {
    logins.push(asTestUser(user).id);
    done(null, asTestUser(user).id);
  });
  passport.deserializeUser((id: string, done) => done(null, asUser(users.get(id))));

  const options: SmsOtpOptions = {
    gateway: {
      baseUrl: sim.baseUrl,
      variant,
      username: sim.username,
      password: sim.password,
      ...given.gateway,
    },
    passport,
    allowedCountries: ['US'],
    // With a phone book the numbers are in there.
    ...(given.options?.phoneBook === undefined && {
      getPhone: (user: Express.User) => asTestUser(user).phone,
    }),
    secret: 'a secret of the tests, long enough to be one',
    loadUser: (id: string) => asUser(users.get(id)),
    isRequiredFor: (user) => asTestUser(user).isOptional !== true,
    onEvent: (event) => events.push(event),
    now: () => clock.now(),
    ...given.options,
  };
  const smsOtp = await createBeside(sim, options);

  const app = createApp();
  const bodies = { limit: '2mb', extended: true };
  app.use(createApp.json(bodies), createApp.urlencoded(bodies));
  given.middleware?.(app);
  const sessionMiddleware = given.sessionMiddleware ?? [
    session({
      secret: 'a test secret',
      resave: false,
      saveUninitialized: false,
      store: sessions,
      ...(given.cookie && { cookie: given.cookie }),
    }),
    passport.session(),
  ];
  if (sessionMiddleware.length > 0) app.use(...sessionMiddleware);
  addRoutes(app, smsOtp, passport);
  given.routes?.(app, smsOtp, passport, options);
  addErrorHandler(app, errors);
  // One server that stays: requests of one agent may run side by side.
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    app,
    sim,
    smsOtp,
    clock,
    sessions,
    events,
    users,
    errors,
    logins,
    agent: () => supertest.agent(server),
    code: (user = ALICE) => sim.lastPin(user.phone ?? '') ?? 'none',
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await smsOtp.close();
      await sim.close();
    },
  };
}

/** Where the options are wrong on purpose, the simulator does not stay behind. */
async function createBeside(sim: GatewaySimulator, options: SmsOtpOptions): Promise<SmsOtp> {
  try {
    return createSmsOtp(options);
  } catch (error) {
    await sim.close();
    throw error;
  }
}
