import express, { type Express, type Request, type Response } from 'express';
import session from 'express-session';
import { Passport, type PassportStatic } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import {
  createSmsOtp,
  type Factor,
  memoryStore,
  SmsOtpError,
  type SmsOtpStore,
} from 'passport-sms-otp';
import { testClock, type TestClock } from '../support/clock';
import { memoryPhoneBook, type MemoryPhoneBook } from '../support/memory-phone-book';
import { ALICE, asTestUser, asUser, BOB, type TestUser } from '../support/test-users';
import {
  PendingOwners,
  PointGateway,
  PointSessions,
  toPointBook,
  toPointStore,
  type WatchedGateway,
} from './calls';
import { Journal } from './journal';
import type { Points } from './points';
import { type Received, request } from './request';
import { PointSmsGateway } from './sms-gateway';

/** The numbers of Alice: the one that is texted, another one, and the one that she enrolls. */
export { HOME, NEW, WORK } from '../support/test-users';

const USERS: readonly TestUser[] = [ALICE, BOB];

/** An answer as a browser sees it. */
export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** Names and values of the cookies that it sets; an empty value takes one away. */
  readonly cookies: ReadonlyMap<string, string>;
}

/** Cookies of a browser, by name. */
export type Jar = ReadonlyMap<string, string>;

export const SESSION_COOKIE = 'connect.sid';
export const KNOWN_COOKIE = '__Host-sms-otp-browser';
export const DEVICE_COOKIE = '__Host-sms-otp-device';

/** The application and everything it keeps, which can begin anew without being made again. */
export interface World {
  readonly points: Points;
  readonly gateway: WatchedGateway;
  readonly clock: TestClock;
  readonly sessions: PointSessions;
  /** The parts of the moment. */
  readonly now: {
    store: Required<SmsOtpStore>;
    book: MemoryPhoneBook;
    preferredFactor: string;
    /** The factor that comes first in a browser that shows a device's cookie; null: the same. */
    factorOfDevices: string | null;
    /** Whether the users have a passkey. */
    hasPasskey: boolean;
  };
  /** How many responses of a passkey were right since `startCounting`. */
  readonly answered: { count: number };
  /** Forgets everything but the app. */
  readonly reset: () => Promise<void>;
  /**
   * Returns a function that brings everything back as it is now, without the requests that have led
   * here.
   */
  readonly keep: () => () => Promise<void>;
  /** Lets time pass until a text may be sent again, and the one before is still good. */
  readonly passGap: () => Promise<void>;
  /** @param userAgent Default: none. */
  readonly post: (path: string, jar: Jar, body?: object, userAgent?: string) => Promise<Answer>;
  readonly get: (path: string, jar: Jar) => Promise<Answer>;
  /** Returns the purposes of all pending logins whose codes are accepted. */
  readonly listTexted: () => Promise<readonly string[]>;
  /** Returns the id of the number that is texted to a user. */
  readonly findPhoneId: (user: TestUser) => Promise<string>;
  /** Makes recovery codes for a user, who must have no number yet. */
  readonly makeRecoveryCodes: (user: TestUser) => Promise<readonly string[]>;
}

export interface WorldOptions {
  /**
   * For a store with a clock of its own, which no test can move: gaps between texts are lifted in
   * place of waiting for their end. Called before each run, to empty it.
   */
  readonly emptyStore?: () => Promise<unknown>;
  /** Whether each login has a record, which every guarded request asks for. Default: true. */
  readonly hasLogins?: boolean;
  /** Whether `smsGateway` makes and compares the codes, in place of the client. */
  readonly hasSmsGateway?: boolean;
  /** Makes the store of each run. Default: the memory store. */
  readonly makeStore?: (now: () => number) => Required<SmsOtpStore>;
}

/** After this a text may be sent again, and the one before is still good. */
const AFTER_GAP_SECONDS = 70;

/** Makes the real app, every outside call of which is a scheduling point. */
export function makeWorld(
  points: Points,
  {
    hasLogins = true,
    hasSmsGateway = false,
    makeStore = (now) => memoryStore({ now }),
    emptyStore,
  }: WorldOptions = {},
): World {
  const startedAt = Date.now();
  let clock = testClock(startedAt);
  const read = (): number => clock.now();
  const now = {
    store: makeStore(read),
    book: memoryPhoneBook(),
    preferredFactor: 'sms',
    factorOfDevices: null as string | null,
    hasPasskey: false,
  };
  const answered = { count: 0 };
  const owners = new PendingOwners();
  const gateway = hasSmsGateway
    ? new PointSmsGateway(points, () => now.store, read)
    : new PointGateway(points);
  const sessions = new PointSessions(points);
  const passport = makePassport(points);
  const callback = toCallback(points);
  const smsOtp = createSmsOtp({
    gateway,
    passport,
    allowedCountries: ['US'],
    secret: 'a secret of the tests, long enough to be one',
    phoneBook: toPointBook(points, () => now.book),
    loadUser: (id: string) => callback('loadUser', () => findUser(id) ?? null),
    preferredFactor: (_user, req) =>
      callback('preferredFactor', () => {
        const isDevice = req.headers.cookie?.includes(DEVICE_COOKIE) === true;
        return (isDevice ? now.factorOfDevices : null) ?? now.preferredFactor;
      }),
    factors: [toPasskey(now, answered, callback)],
    recoveryCodes: {},
    trustedDevices: { getPasswordVersion: () => callback('getPasswordVersion', () => 'first') },
    endOtherSessions: () => callback('endOtherSessions', () => undefined),
    logins: hasLogins ? { checkEverySeconds: 0 } : false,
    // So few that two wrong codes use a challenge up.
    maxAttempts: 2,
    store: toPointStore(points, owners, () => now.store),
    now: read,
  });

  const app = express();
  // No answer is asked for again.
  app.disable('etag');
  app.use(
    session({
      secret: 'a test secret',
      resave: false,
      saveUninitialized: false,
      store: sessions,
      // None is a part of another, because cookies are searched for them.
      genid: () => points.nextId('sid'),
    }),
    passport.session(),
  );
  const { phones, recoveryCodes, logins } = smsOtp;
  app.post('/login', passport.authenticate('local', { session: false }), smsOtp.send(), answer);
  app.post('/login/pin', smsOtp.verify(), answer);
  app.post('/login/resend', smsOtp.resend(), answer);
  app.post('/login/cancel', smsOtp.cancel(), answer);
  app.post('/recover', smsOtp.verifyWith('recovery-code'), answer);
  app.post('/step-up', smsOtp.stepUp(), answer);
  const transaction = { amount: '10 USD', payee: 'Bob' };
  app.post('/pay', smsOtp.stepUp({ transaction: () => transaction }), answer);
  app.post('/phones/enroll', phones.enroll(), answer);
  app.post('/phones/replace', phones.enroll({ replaces: true }), answer);
  app.post('/phones/confirm', phones.confirm(), answer);
  app.post('/phones/remove', phones.remove(), answer);
  app.post('/passkey/options', smsOtp.optionsWith('passkey'));
  app.post('/passkey', smsOtp.verifyWith('passkey'), answer);
  const { id } = ALICE;
  const tell = (path: string, word: string, work: (req: Request) => Promise<unknown>): void =>
    void app.post(path, (req, res, next) => {
      work(req).then((isDone) => {
        if (isDone === false) res.status(401).json({ error: 'login-ended' });
        else res.json({ done: word });
      }, next);
    });
  tell('/codes', 'generated', (req) => recoveryCodes.generate(id, req));
  tell('/revoke-all', 'revoked', async (req) => {
    await logins?.revokeAll(id, req);
    // Nothing has ended where the login of the request had, and the count does not say so.
    await smsOtp.checkSecondFactor(req);
    return smsOtp.hasSecondFactor(req);
  });
  tell('/forget', 'forgotten', () => smsOtp.forgetUser(id));
  tell('/enable', 'enabled', () => smsOtp.unlockUser(id, { enable: true }));
  app.get('/known/:id', (req, res, next) => {
    smsOtp.browserOf(req, req.params.id).then((browser) => res.json(browser), next);
  });
  app.post('/logout', smsOtp.logout(), answer);
  app.get('/account', smsOtp.requireSecondFactor(), (_req, res) => void res.json({ passed: true }));
  addErrorAnswer(app);

  const call = async (
    method: 'GET' | 'POST',
    url: string,
    jar: Jar,
    body?: object,
    userAgent?: string,
  ): Promise<Answer> => {
    const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ');
    return toAnswer(await request(app, { method, url, cookie, userAgent, body }));
  };
  let journal = new Journal(read);
  const reset = async (): Promise<void> => {
    await emptyStore?.();
    clock = testClock(startedAt);
    journal = new Journal(read);
    now.store = makeStore(read);
    now.book = memoryPhoneBook();
    Object.assign(now, { preferredFactor: 'sms', factorOfDevices: null, hasPasskey: false });
    gateway.reset();
    sessions.reset();
    owners.reset();
  };
  return {
    points,
    gateway,
    sessions,
    now,
    answered,
    get clock() {
      return clock;
    },
    reset: async () => {
      await reset();
      now.store = journal.record(now.store);
      ({ book: now.book } = journal.record({ book: now.book }));
    },
    keep: () => {
      const { preferredFactor, factorOfDevices, hasPasskey } = now;
      const [makeAgain, keptAt] = [journal.keep(), read()];
      const kept = [points.keepNumbers(), gateway.keep(), sessions.keep(), owners.keep()];
      return async () => {
        await reset();
        const setTime = (atMs: number): void => void (clock = testClock(atMs));
        await makeAgain({ ...now.store, book: now.book }, setTime);
        setTime(keptAt);
        Object.assign(now, { preferredFactor, factorOfDevices, hasPasskey });
        for (const bringBack of kept) bringBack();
      };
    },
    passGap: async () => {
      clock.advanceSeconds(AFTER_GAP_SECONDS);
      if (emptyStore === undefined) return;
      for (const user of USERS) await smsOtp.unlockUser(user.id);
    },
    post: (path, jar, body = {}, userAgent) => call('POST', path, jar, body, userAgent),
    get: (path, jar) => call('GET', path, jar),
    listTexted: async () => {
      const ids = owners.list();
      const found = await Promise.all(ids.map((id) => now.store.pendingLogins.find(id)));
      return found.flatMap((login) => {
        if (login === null || login === 'passed' || login.otps.length === 0) return [];
        // It was written by the library.
        return [(JSON.parse(login.value) as { readonly purpose: string }).purpose];
      });
    },
    findPhoneId: async (user) => (await phones.list(asUser({ ...user })))[0]?.phoneId ?? 'none',
    makeRecoveryCodes: (user) => recoveryCodes.generate(user.id),
  };
}

function answer(req: Request, res: Response): void {
  res.json(req.smsOtp);
}

function findUser(id: string): Express.User | undefined {
  const found = USERS.find((user) => user.id === id);
  return found && asUser({ ...found });
}

type Callback = <Result>(name: string, work: () => Result) => Promise<Awaited<Result>>;

/** Makes scheduling points of the app's callbacks, which share nothing. */
function toCallback(points: Points): Callback {
  return <Result>(name: string, work: () => Result) =>
    points.call<Awaited<Result>>({
      name: `app.${name}`,
      touches: [],
      work: work as () => Awaited<Result>,
      toError: () => new Error('the database of the app does not answer'),
    });
}

/** What a passkey answers: the challenge, and whose key it is. */
export interface PasskeyResponse {
  readonly challenge: unknown;
  readonly userId: string;
}

/** Verifies a response as a passkey's verification does, without cryptography. */
function toPasskey(
  now: { readonly hasPasskey: boolean },
  answered: { count: number },
  callback: Callback,
): Factor {
  return {
    name: 'passkey',
    field: 'response',
    isAvailable: () => now.hasPasskey,
    createOptions: ({ challenge }) => callback('createOptions', () => ({ challenge })),
    checkResponse: ({ userId, challenge, response }) =>
      callback('checkResponse', () => {
        const signed = response as PasskeyResponse;
        const isRight = signed.challenge === challenge && signed.userId === userId;
        answered.count += Number(isRight);
        return isRight;
      }),
  };
}

function makePassport(points: Points): PassportStatic {
  const passport = new (Passport as unknown as new () => PassportStatic)();
  passport.use(new LocalStrategy((name, _password, done) => done(null, findUser(name) ?? false)));
  passport.serializeUser((user, done) => done(null, asTestUser(user).id));
  const callback = toCallback(points);
  passport.deserializeUser((id: string, done) => {
    callback('deserializeUser', () => findUser(id)).then((user) => done(null, user), done);
  });
  return passport;
}

function addErrorAnswer(app: Express): void {
  app.use((error: unknown, _req: Request, res: Response, _next: () => void) => {
    // The session's end is saved once the answer is on its way.
    if (res.headersSent) return;
    const isOurs = error instanceof SmsOtpError;
    res.status(isOurs ? error.status : 500).json({ code: isOurs ? error.code : 'app' });
  });
}

function toAnswer({ status, setCookies, text }: Received): Answer {
  const body: unknown = text === '' ? {} : JSON.parse(text);
  // Every route answers an object.
  return { status, body: body as Answer['body'], cookies: new Map(setCookies.map(toCookie)) };
}

function toCookie(line: string): readonly [name: string, value: string] {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  const [, expires] = /; expires=([^;]+)/i.exec(line) ?? [];
  return [name, expires !== undefined && Date.parse(expires) <= 0 ? '' : value];
}

/** Returns the cookies of a browser after an answer. */
export function keepCookies(jar: Jar, { cookies }: Pick<Answer, 'cookies'>): Jar {
  return new Map([...new Map([...jar, ...cookies])].filter(([, value]) => value !== ''));
}
