import { createServer, type Server } from 'node:http';
import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import { Passport, type PassportStatic } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import {
  createSmsOtp,
  type OtpGateway,
  type SmsOtp,
  type SmsOtpEvent,
  type SmsOtpOptions,
  type SmsOtpStore,
  type UserId,
} from 'passport-sms-otp';
import { GatewaySimulator, type SimulatorOptions } from 'passport-sms-otp/simulator';
import supertest from 'supertest';
import { CountingSessionStore } from './counting-session-store';
import { testClock, type TestClock } from './clock';
import { memoryPhoneBook, type MemoryPhoneBook } from './memory-phone-book';
import { people } from './people';
import { createSmsProvider, isSmsGatewayChosen } from './sms-provider';
import { tamperedStore, type TamperedStore } from './tampered-store';
import { addErrorHandler, addFactors, addPhones, addRoutes } from './test-routes';
import { ALICE, asTestUser, asUser, BOB, HOME, type TestUser } from './test-users';
import { visitOverTls, type Visit } from './visit';

export { ALICE, asTestUser, asUser, BOB, type TestUser } from './test-users';

/** The parts of a test app that a test may want to replace. */
export interface TestAppOptions {
  variant?: 'A' | 'B';
  simulator?: SimulatorOptions;
  options?: Partial<SmsOtpOptions>;
  /** Options that the types refuse, as an app without types may give them. */
  oddOptions?: object;
  /** Options of the gateway's client. */
  gateway?: object;
  /** Makes the store on the app's clock. Default: the memory store of the package. */
  store?: (clock: TestClock) => SmsOtpStore;
  /** Makes the store one that can be tampered with. */
  isTampered?: boolean;
  users?: TestUser[];
  /** In place of `users`: so many with a number of the Philippines each, whom `nextUser` hands out. */
  people?: number;
  /** A phone book in which Alice has the number HOME and Bob has none, with its routes. */
  hasPhones?: boolean;
  /** In place of that phone book, where `options` wraps one. */
  book?: MemoryPhoneBook;
  /** Recovery codes and trusted devices, with their routes. */
  hasFactors?: boolean;
  /** Whose word for the visitor's address counts, as Express takes it. */
  trustProxy?: boolean | number | string;
  /** A clock that the test made, to share it with the simulator or a store. */
  clock?: TestClock;
  /** Express and Passport, to try other versions. */
  createApp?: typeof express;
  PassportClass?: new () => PassportStatic;
  cookie?: session.CookieOptions;
  /** Whether every answer brings the session's cookie again. */
  rolling?: boolean;
  /** In place of express-session and `passport.session()`. */
  sessionMiddleware?: RequestHandler[];
  /** More routes, before the error handler. `options` made `smsOtp`, and can make another one. */
  routes?(app: Express, smsOtp: SmsOtp, passport: PassportStatic, options: SmsOtpOptions): void;
  /** Before the session middleware. */
  middleware?(app: Express): void;
}

export interface TestApp {
  readonly app: Express;
  readonly server: Server;
  readonly sim: GatewaySimulator;
  readonly smsOtp: SmsOtp;
  readonly clock: TestClock;
  readonly sessions: CountingSessionStore;
  readonly events: SmsOtpEvent[];
  readonly users: Map<string, TestUser>;
  /** What reached the app's error handler. */
  readonly errors: unknown[];
  /** The id of every user Passport has logged in to a session. */
  readonly logins: string[];
  /** What `store` has made. */
  readonly store: SmsOtpStore;
  /** The store of `isTampered`. */
  readonly tampered: TamperedStore;
  /** The phone book of `hasPhones`. */
  readonly book: MemoryPhoneBook;
  /** Recovery codes and trusted devices of `hasFactors`. */
  readonly recoveryCodes: NonNullable<SmsOtp['recoveryCodes']>;
  readonly trustedDevices: NonNullable<SmsOtp['trustedDevices']>;
  /** Calls of `endOtherSessions`: the user, and the session that stays. */
  readonly ended: { userId: UserId; sessionId: string | undefined }[];
  /** A user's password in another version than the first. */
  readonly passwords: Map<string, string>;
  agent(): ReturnType<typeof supertest.agent>;
  /** A browser that keeps every cookie, as one does that came over TLS. */
  readonly browser: (user?: TestUser) => Visit;
  /** One of `people` whom no test has had yet, so that no test meets the limits of another. */
  nextUser(): TestUser;
  /** The newest code on a user's phone. */
  code(user?: TestUser): string;
  /** The events of one type. */
  told<Type extends SmsOtpEvent['type']>(type: Type): Extract<SmsOtpEvent, { type: Type }>[];
  /** The user's first recovery codes, from before there was a number. */
  firstCodes(user?: TestUser): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** What an app is made of before there is a server. */
type Parts = Pick<
  TestApp,
  'sim' | 'clock' | 'sessions' | 'events' | 'users' | 'errors' | 'logins' | 'book' | 'ended'
> &
  Pick<TestApp, 'passwords'> & {
    readonly store: SmsOtpStore | undefined;
    /** The gateway of a suite that has chosen one; undefined: the client. */
    readonly gateway: OtpGateway | undefined;
    /** Those whom `nextUser` has not handed out yet. */
    readonly waiting: Iterator<TestUser>;
    readonly tampered: TamperedStore | undefined;
  };

/** A small app with a password, a texted code and two guarded pages. Every answer is JSON. */
export async function startTestApp(given: TestAppOptions = {}): Promise<TestApp> {
  const sim = await GatewaySimulator.start({ variant: given.variant ?? 'A', ...given.simulator });
  try {
    return await startBeside(sim, given);
  } catch (error) {
    // Where the options are wrong on purpose, the simulator does not stay behind.
    await sim.close();
    throw error;
  }
}

async function startBeside(sim: GatewaySimulator, given: TestAppOptions): Promise<TestApp> {
  const parts = makeParts(sim, given);
  const passport = makePassport(parts, given);
  const options = makeOptions(parts, passport, given);
  const smsOtp = createSmsOtp(options);
  const app = makeExpress(parts, passport, given);
  addRoutes(app, smsOtp, passport);
  if (given.hasPhones === true) addPhones(app, smsOtp);
  if (given.hasFactors === true) addFactors(app, smsOtp);
  given.routes?.(app, smsOtp, passport, options);
  addErrorHandler(app, parts.errors);
  // One server that stays: requests of one browser may run side by side.
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return assemble(parts, { app, server, smsOtp });
}

function makeParts(sim: GatewaySimulator, given: TestAppOptions): Parts {
  const clock = given.clock ?? testClock();
  const defaults = given.hasPhones === true ? [ALICE, { ...BOB, phone: null }] : [ALICE, BOB];
  const users = given.users ?? (given.people === undefined ? defaults : people(given.people));
  const book = given.book ?? memoryPhoneBook();
  const tampered = given.isTampered === true ? tamperedStore(clock) : undefined;
  const store = tampered?.store ?? given.store?.(clock);
  const provider = isSmsGatewayChosen()
    ? createSmsProvider(clock, given.options?.store ?? store, () => sim.close())
    : undefined;
  if (given.hasPhones === true && given.book === undefined) book.seed(ALICE.id, HOME);
  return {
    sim: provider?.sim ?? sim,
    gateway: provider?.gateway,
    clock,
    book,
    tampered,
    store,
    waiting: users[Symbol.iterator](),
    users: new Map(users.map((user) => [user.id, { ...user }])),
    sessions: new CountingSessionStore(),
    events: [],
    errors: [],
    logins: [],
    ended: [],
    passwords: new Map(),
  };
}

function makePassport({ users, logins }: Parts, { PassportClass }: TestAppOptions): PassportStatic {
  const passport = new (PassportClass ?? (Passport as unknown as new () => PassportStatic))();
  passport.use(
    new LocalStrategy((username, password, done) => {
      const user = users.get(username);
      done(null, password === 'right' && asUser(user));
    }),
  );
  passport.serializeUser((user, done) => {
    if (asTestUser(user).isUnserializable === true)
      return done(new Error('no session for this user'));
    logins.push(asTestUser(user).id);
    done(null, asTestUser(user).id);
  });
  passport.deserializeUser((id: string, done) => done(null, asUser(users.get(id))));
  return passport;
}

function makeOptions(parts: Parts, passport: PassportStatic, given: TestAppOptions): SmsOtpOptions {
  const { sim, clock, users, events, store } = parts;
  return {
    gateway: parts.gateway ?? {
      baseUrl: sim.baseUrl,
      variant: given.variant ?? 'A',
      username: sim.username,
      password: sim.password,
      ...given.gateway,
    },
    passport,
    allowedCountries: given.people === undefined ? ['US'] : 'any',
    // With a phone book the numbers are in there.
    ...(given.options?.phoneBook === undefined &&
      given.hasPhones !== true && {
        getPhone: (user: Express.User) => asTestUser(user).phone,
      }),
    secret: 'a secret of the tests, long enough to be one',
    loadUser: (id: string) => asUser(users.get(id)),
    isRequiredFor: (user) => asTestUser(user).isOptional !== true,
    onEvent: (event) => events.push(event),
    now: () => clock.now(),
    ...(store && { store }),
    ...(given.hasPhones === true && phoneOptions(parts)),
    ...(given.hasFactors === true && factorOptions(parts)),
    ...given.options,
    ...given.oddOptions,
  };
}

/** Who has no number needs no second factor. */
function phoneOptions({ book, ended }: Parts): Partial<SmsOtpOptions> {
  return {
    phoneBook: book,
    isRequiredFor: (user) =>
      asTestUser(user).isOptional !== true && book.list(asTestUser(user).id).length > 0,
    endOtherSessions: (userId, req) => void ended.push({ userId, sessionId: req?.sessionID }),
  };
}

function factorOptions({ passwords, ended }: Parts): Partial<SmsOtpOptions> {
  return {
    recoveryCodes: {},
    trustedDevices: { getPasswordVersion: (user) => passwords.get(asTestUser(user).id) ?? 'first' },
    endOtherSessions: (userId, req) => void ended.push({ userId, sessionId: req?.sessionID }),
  };
}

function makeExpress(
  { sessions }: Parts,
  passport: PassportStatic,
  given: TestAppOptions,
): Express {
  const createApp = given.createApp ?? express;
  const app = createApp();
  if (given.trustProxy !== undefined) app.set('trust proxy', given.trustProxy);
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
      ...(given.rolling !== undefined && { rolling: given.rolling }),
    }),
    passport.session(),
  ];
  if (sessionMiddleware.length > 0) app.use(...sessionMiddleware);
  return app;
}

function assemble(
  parts: Parts,
  { app, server, smsOtp }: Pick<TestApp, 'app' | 'server' | 'smsOtp'>,
): TestApp {
  const { sim, events, waiting } = parts;
  const test: TestApp = {
    ...parts,
    app,
    server,
    smsOtp,
    get store() {
      return orFail(parts.store, 'store');
    },
    get tampered() {
      return orFail(parts.tampered, 'isTampered');
    },
    get recoveryCodes() {
      return orFail(smsOtp.recoveryCodes, 'hasFactors');
    },
    get trustedDevices() {
      return orFail(smsOtp.trustedDevices, 'hasFactors');
    },
    agent: () => supertest.agent(server),
    browser: (user) => visitOverTls(test, user),
    nextUser: () => {
      const { value, done } = waiting.next();
      return orFail(done === true ? undefined : value, 'more people');
    },
    code: (user = ALICE) => sim.lastPin(user.phone ?? '') ?? 'none',
    told: (type) => events.filter((event) => event.type === type) as never,
    firstCodes: (user = ALICE) =>
      withoutPhone(test, user, () => test.recoveryCodes.generate(user.id)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await smsOtp.close();
      await sim.close();
    },
  };
  return test;
}

async function withoutPhone<Result>(
  { users }: TestApp,
  { id, phone }: TestUser,
  act: () => Promise<Result>,
): Promise<Result> {
  const setPhone = (number: string | null): void => {
    const user = users.get(id);
    if (user !== undefined) user.phone = number;
  };
  setPhone(null);
  return act().finally(() => setPhone(phone));
}

function orFail<Part>(part: Part | undefined, option: string): Part {
  if (part === undefined) throw new Error(`the app was started without ${option}`);
  return part;
}
