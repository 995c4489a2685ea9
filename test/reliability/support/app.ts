import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import session, { type Store } from 'express-session';
import { Passport, type PassportStatic } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import {
  createSmsOtp,
  type Policy,
  type SmsOtp,
  type SmsOtpEvent,
  type SmsOtpOptions,
} from 'passport-sms-otp';
import { spendLimits } from 'passport-sms-otp/policies';
import { people } from '../../support/people';
import { addErrorHandler, addRoutes } from '../../support/test-routes';
import { asTestUser, asUser } from '../../support/test-users';
import type { State } from './state';

/** The option `secret` of every app under test. */
const APP_SECRET = 'a secret of the tests, long enough to be one';

/**
 * What an app is made of; all of it can be sent to another process, but for callbacks among the
 * options.
 */
export interface AppSettings {
  readonly gateway: SmsOtpOptions['gateway'];
  /** So many users: those that `people(count)` gives. */
  readonly people: number;
  readonly options?: Partial<SmsOtpOptions>;
  /**
   * What may be spent in a day, and what a message counts as: a policy is made of functions and
   * cannot be sent.
   */
  readonly dailyBudget?: { readonly daily: string; readonly fallbackPrice: string } | undefined;
  /**
   * Events and errors that are kept; the rest is let go, where a long run watches memory. Default:
   * all.
   */
  readonly mostRecords?: number | undefined;
}

/** A second factor that was passed: whose, and with which code. */
export interface Pass {
  readonly otpId: string;
  readonly userId: string;
  readonly code: string;
}

export interface RunningApp {
  readonly url: string;
  readonly smsOtp: SmsOtp;
  readonly passes: Pass[];
  readonly events: SmsOtpEvent[];
  /** What reached the app's error handler. */
  readonly errors: unknown[];
  close(): Promise<void>;
}

/**
 * An Express app as its users know it: a password, a texted code, a guarded page. Nothing in it is
 * a double.
 */
export async function startApp(
  { gateway, people: count, options, dailyBudget, mostRecords = Infinity }: AppSettings,
  { store, sessions }: Pick<State, 'store' | 'sessions'>,
): Promise<RunningApp> {
  const passport = new (Passport as unknown as new () => PassportStatic)();
  const users = new Map(people(count).map((user) => [user.id, user]));
  passport.use(
    new LocalStrategy((name, password, done) =>
      done(null, password === 'right' && asUser(users.get(name))),
    ),
  );
  passport.serializeUser((user, done) => done(null, asTestUser(user).id));
  passport.deserializeUser((id: string, done) => done(null, asUser(users.get(id))));
  const events: SmsOtpEvent[] = [];
  const smsOtp = createSmsOtp({
    gateway,
    store,
    passport,
    allowedCountries: 'any',
    getPhone: (user) => asTestUser(user).phone,
    secret: APP_SECRET,
    loadUser: (id) => asUser(users.get(id)),
    onEvent: (event) => events.length < mostRecords && events.push(event),
    policies: dailyBudget === undefined ? [] : [toPolicy(dailyBudget)],
    ...options,
  });
  const passes: Pass[] = [];
  const errors: unknown[] = [];
  const app = express();
  app.set('trust proxy', true);
  app.get('/ping', (_req, res) => void res.json({ pong: true }));
  app.use(express.json(), sessionMiddleware(sessions), passport.session());
  app.use('/login/pin', notePass(passes));
  addRoutes(app, smsOtp, passport);
  addErrorHandler(app, errors, mostRecords);
  const server = createServer(app);
  // A browser must not meet a connection that is just being closed for having been idle.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve));
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    smsOtp,
    passes,
    events,
    errors,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await smsOtp.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function toPolicy({
  daily,
  fallbackPrice,
}: NonNullable<AppSettings['dailyBudget']>): Policy<unknown> {
  return spendLimits({ mode: 'enforce', fallbackPrice, budgets: { daily } });
}

function sessionMiddleware(store: Store | undefined): RequestHandler {
  const options = { secret: 'a test secret', resave: false, saveUninitialized: false };
  return session(store === undefined ? options : { ...options, store });
}

/** Notes who passed with which OTP id: the one the session waited for when the code came in. */
function notePass(passes: Pass[]): RequestHandler {
  return (req, res, next) => {
    const otpId = req.session.smsOtp?.pending?.otpId;
    res.once('finish', () => {
      const outcome = req.smsOtp;
      if (outcome === undefined || !('verified' in outcome) || !outcome.verified) return;
      const { pin } = req.body as { pin: string };
      passes.push({ otpId: String(otpId), userId: asTestUser(outcome.user).id, code: pin });
    });
    next();
  };
}
