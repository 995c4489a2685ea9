import { join, relative } from 'node:path';
import { Eta } from 'eta';
import express, { type Express } from 'express';
import type { Store } from 'express-session';
import helmet from 'helmet';
import type { SmsOtpOptions } from 'passport-sms-otp';
import type { PageLayout } from 'passport-sms-otp/pages';
import type { PasskeyOptions } from '../docs/recipes/passkeys';
import { createAuthenticatorApps } from './authenticator-app';
import { addLogin, type BankOtp } from './bank-login';
import type { Config } from './config';
import { answerNotFound, handleErrors } from './errors';
import { fillLanguage, languageSwitch } from './i18n';
import { memoryLists, type UserLists } from './lists';
import { createLog, type Log } from './log';
import { memoryFigures, type FigureStore } from './ops/figures';
import { recordEvents } from './ops/record-events';
import { loginPages } from './pages/login';
import { opsPages } from './pages/ops';
import { settingsPages } from './pages/settings';
import { transferPages } from './pages/transfer';
import { createTextSwitch } from './text-switch';
import type { Users } from './users';

export interface AppParts {
  readonly gateway: SmsOtpOptions['gateway'];
  /** The page with the simulator's messages. Null with a real gateway. */
  readonly inboxUrl: string | null;
  readonly users: Users;
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
  /**
   * The stores of sessions, of the library's state and of the operators' figures. Default: the
   * memory of this process.
   */
  readonly sessionStore?: Store | undefined;
  readonly smsOtpStore?: SmsOtpOptions['store'];
  readonly figures?: FigureStore | undefined;
  /** The store of authenticator apps. Default: the memory of this process. */
  readonly authenticatorLists?: UserLists | undefined;
  readonly log?: Log | undefined;
}

const VIEWS = join(__dirname, 'views');

export function createApp(config: Config, parts: AppParts): { app: Express; smsOtp: BankOtp } {
  const app = express();
  app.set('trust proxy', config.trustProxy);
  app.use(securityHeaders(config));
  app.use(express.static(join(__dirname, 'public'), { index: false }));
  const log = parts.log ?? createLog('silent');
  app.use(log.requests);
  app.use(fillLanguage, languageSwitch(config));
  app.use(express.urlencoded({ extended: false, limit: '10kb' }));
  const layout = addViews(app, config);
  Object.assign(app.locals, { inboxUrl: parts.inboxUrl, now: parts.now });

  const figures = parts.figures ?? memoryFigures();
  const recorder = recordEvents(figures, parts.now);
  const authenticatorApps = createAuthenticatorApps(
    config.smsOtpSecret,
    parts.authenticatorLists ?? memoryLists(),
    parts.now,
  );
  const texts = createTextSwitch(parts.users.passkeys, authenticatorApps);
  const passkeyOptions: PasskeyOptions = {
    rpId: new URL(config.origin).hostname,
    origin: config.origin,
    requireUserVerification: true,
    now: parts.now,
    onRefused: log.passkeyRefused,
  };
  const smsOtp = addLogin(app, config, {
    ...parts,
    authenticatorApps,
    passkeyOptions,
    texts,
    layout,
    policies: [recorder.policy],
    onEvent: (event) => {
      log.onEvent(event);
      recorder.onEvent(event);
    },
  });

  app.use(loginPages(smsOtp), transferPages(smsOtp, parts.users.passkeys));
  app.use(settingsPages(smsOtp, { authenticatorApps, passkeyOptions, texts, users: parts.users }));
  app.use(opsPages(smsOtp, { figures, now: parts.now, isShared: parts.figures !== undefined }));
  app.use(answerNotFound, handleErrors(log));
  return { app, smsOtp };
}

/** Allows resources of this site only, nothing inline, and no framing. */
function securityHeaders({ isProduction }: Config): ReturnType<typeof helmet> {
  const own = ["'self'"];
  const none = ["'none'"];
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        ...{
          defaultSrc: none,
          scriptSrc: own,
          styleSrc: own,
          imgSrc: own,
          connectSrc: own,
          formAction: own,
        },
        ...{ frameAncestors: none, baseUri: none },
      },
    },
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'same-origin' },
    // Only in production: it has no effect over plain http, as on a developer's machine.
    strictTransportSecurity: isProduction,
  });
}

/**
 * Sets up the views: `res.render('name', data)` renders `views/name.eta`, and `<%= %>` escapes its
 * output. Returns the layout for the ready-made pages, which is the same.
 */
function addViews(app: Express, { isProduction }: Config): PageLayout {
  const eta = new Eta({ views: VIEWS, cache: isProduction });
  app.engine('eta', (path, data, done) =>
    done(null, eta.render(`/${relative(VIEWS, path)}`, data)),
  );
  app.set('views', VIEWS);
  app.set('view engine', 'eta');
  return ({ title, body, page }, { res }) =>
    eta.render('/layout', {
      ...app.locals,
      ...res?.locals,
      title,
      body,
      notice: page.notice,
      wide: page.name === 'settings',
      current: page.isLoggedIn ? 'settings' : 'login',
    });
}
